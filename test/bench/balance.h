/* SPDX-License-Identifier: BSD-3-Clause */
/* The ledger's equation, so that no benchmark counts work that was not done. */
#ifndef BENCH_BALANCE_H
#define BENCH_BALANCE_H

#include "measure.h"
#include "stats/stats.h"

/* Ends the program when at any level the total is not the sum of its terms. */
static inline void
balance_check(const struct stats *stats)
{
	uint64_t total[STAT_LEVEL_COUNT] = {0}, sum[STAT_LEVEL_COUNT] = {0};

	for (enum counter i = STAT_NONE + 1; i < STAT_COUNT; i++) {
		if (stat_info[i].role == STAT_ROLE_TOTAL)
			total[stat_info[i].level_index] = stats->counter[i];
		if (stat_info[i].role == STAT_ROLE_TERM)
			sum[stat_info[i].level_index] += stats->counter[i];
	}
	for (unsigned i = 0; i < STAT_LEVEL_COUNT; i++)
		if (total[i] != sum[i])
			measure_fail("level %u of the ledger does not balance", i);
}

#endif
