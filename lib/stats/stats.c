/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct stat_info stat_info[STAT_COUNT] = {
#define STAT(level, name, role, help) \
	[STAT_##level##_##name] = {#level, NULL, #name, help, STAT_LEVEL_##level, STAT_ROLE_##role},
#define REASON(level, group, name, help) \
	[STAT_##level##_##group##_## \
		name] = {#level, #group, #name, help, STAT_LEVEL_##level, STAT_ROLE_TERM},
#include "stats/stats.def"
#undef STAT
#undef REASON
};

void
stats_publish(struct stats_block *block, const struct stats *stats, uint64_t epoch)
{
	const uint64_t *word = (const uint64_t *)stats;
	uint32_t sequence = atomic_load_explicit(&block->sequence, memory_order_relaxed);

	atomic_store_explicit(&block->sequence, sequence + 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&block->epoch, epoch, memory_order_relaxed);
	for (size_t i = 0; i < STATS_WORDS; i++)
		atomic_store_explicit(&block->word[i], word[i], memory_order_relaxed);
	atomic_store_explicit(&block->sequence, sequence + 2, memory_order_release);
}

uint64_t
stats_collect(struct stats_block *block, struct stats *sum)
{
	struct stats copy;
	uint64_t *word = (uint64_t *)&copy, *total = (uint64_t *)sum, epoch;
	uint32_t before, after;

	do {
		before = atomic_load_explicit(&block->sequence, memory_order_acquire);
		epoch = atomic_load_explicit(&block->epoch, memory_order_relaxed);
		for (size_t i = 0; i < STATS_WORDS; i++)
			word[i] = atomic_load_explicit(&block->word[i], memory_order_relaxed);
		atomic_thread_fence(memory_order_acquire);
		after = atomic_load_explicit(&block->sequence, memory_order_relaxed);
	} while (before != after || (before & 1) != 0);

	for (size_t i = 0; i < STATS_WORDS; i++)
		total[i] += word[i];
	return epoch;
}

void
stat_name(enum counter stat, char *text, size_t size)
{
	const struct stat_info *info = &stat_info[stat];

	if (info->group != NULL)
		snprintf(text, size, "%s.%s.%s", info->level, info->group, info->name);
	else
		snprintf(text, size, "%s.%s", info->level, info->name);
}

enum counter
stat_by_name(const char *name)
{
	char text[96];

	for (enum counter stat = STAT_NONE + 1; stat < STAT_COUNT; stat++) {
		stat_name(stat, text, sizeof(text));
		if (strcmp(text, name) == 0)
			return stat;
	}
	return STAT_NONE;
}

#ifdef PENSTOCK_LEDGER_FAULT
uint64_t
stats_fault(enum counter stat, uint64_t n)
{
	static _Atomic int armed = -1;

	if (atomic_load(&armed) == -1) {
		const char *name = getenv("PENSTOCK_LEDGER_FAULT");

		atomic_store(&armed, name != NULL ? (int)stat_by_name(name) : STAT_NONE);
	}
	if (n == 0 || atomic_load(&armed) != (int)stat)
		return n;
	atomic_store(&armed, STAT_NONE);
	return n - 1;
}
#endif
