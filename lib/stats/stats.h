/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters: one flat array per worker, indexed by enum counter, single writer, plain adds. At its
 * housekeeping point the worker publishes the array as one block under a sequence number; readers
 * only ever see a whole block, so each level of the ledger balances in every snapshot.
 */
#ifndef STATS_STATS_H
#define STATS_STATS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "stats/stage.h"

enum stat_level {
	STAT_LEVEL_frames,
	STAT_LEVEL_datagrams,
	STAT_LEVEL_lines,
	STAT_LEVEL_samples,
	STAT_LEVEL_worker,
	STAT_LEVEL_COUNT,
};

/* STAT_<level>_<name> or STAT_<level>_<group>_<reason>; STAT_NONE is 0, so that a function can
 * return a reason or nothing. (POSIX has a struct stat, so the type has another name.) */
enum counter {
	STAT_NONE,
#define STAT(level, name, role, help) STAT_##level##_##name,
#define REASON(level, group, name, help) STAT_##level##_##group##_##name,
#include "stats/stats.def"
#undef STAT
#undef REASON
	STAT_COUNT,
};

enum stat_role {
	STAT_ROLE_TOTAL,
	STAT_ROLE_TERM,
	STAT_ROLE_NOTE,
};

struct stat_info {
	const char *level; /* "lines" */
	const char *group; /* "rejected" for a reason, else NULL */
	const char *name; /* "no_pipe" */
	const char *help;
	enum stat_level level_index;
	enum stat_role role;
};

extern const struct stat_info stat_info[STAT_COUNT]; /* [STAT_NONE] is all NULL */

/* Listeners are numbered by the start-up plan; their names live there. */
#define STATS_LISTENERS_MAX 32

struct stats {
	uint64_t counter[STAT_COUNT];
	uint64_t listener[STATS_LISTENERS_MAX]; /* datagrams received, by listener */
	uint64_t stage[STAGE_COUNT]; /* ns; together the time since the worker began */
	uint64_t gap[STAGE_GAPS]; /* polls, by the time since the one before */
	uint64_t gaps; /* ns, all of these together */
};

#define STATS_WORDS (sizeof(struct stats) / sizeof(uint64_t))

#ifdef PENSTOCK_LEDGER_FAULT
/* Test builds: the environment variable PENSTOCK_LEDGER_FAULT names a counter; its first
 * increment is skipped, and the ledger must show it. */
uint64_t stats_fault(enum counter stat, uint64_t n);
#else
#define stats_fault(stat, n) (n)
#endif

static inline void
stats_add(struct stats *stats, enum counter stat, uint64_t n)
{
	stats->counter[stat] += stats_fault(stat, n);
}

/* What was counted as from is counted as to, another term of the same sum: from is a state. */
static inline void
stats_move(struct stats *stats, enum counter from, enum counter to, uint64_t n)
{
	stats->counter[from] -= n;
	stats_add(stats, to, n);
}

/* What every input does for each datagram that it takes in. */
static inline void
stats_received(struct stats *stats, uint16_t listener, uint64_t n_datagrams)
{
	stats_add(stats, STAT_datagrams_received, n_datagrams);
	stats->listener[listener] += n_datagrams;
}

/* A block as other threads see it. */
struct stats_block {
	_Atomic uint32_t sequence; /* odd while the owner writes */
	_Atomic uint64_t epoch;
	_Atomic uint64_t word[STATS_WORDS];
};

/* Owner only. */
void stats_publish(struct stats_block *block, const struct stats *stats, uint64_t epoch);

/* Any thread: adds the block's counters to sum and returns its epoch. */
uint64_t stats_collect(struct stats_block *block, struct stats *sum);

/* STAT_NONE when there is no counter of that name ("lines.rejected.no_pipe"). */
enum counter stat_by_name(const char *name);

/* Writes "level.name" or "level.group.name". */
void stat_name(enum counter stat, char *text, size_t size);

#endif
