/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The stopwatch of a worker's loop: each stage ends where the next begins, so that together they
 * are all of its time. One reading of the CPU's counter ends a stage; what they come to in ns is
 * worked out at the housekeeping point, from the share that each had of the time since the last.
 */
#ifndef WORKER_STAGES_H
#define WORKER_STAGES_H

#include <stdatomic.h>

#include "base/cycles.h"
#include "stats/stats.h"

struct stages {
	/* The worker's own. */
	uint64_t at; /* cycles: when the last stage ended */
	uint64_t polled_at; /* cycles: when the last poll began; 0: there was none to count from */
	uint64_t cycles[STAGE_COUNT]; /* since counted_at */
	uint64_t rate; /* ns of 2^32 cycles; 0: not known yet */
	uint64_t began_at, began; /* cycles and monotonic ns of the same moment */
	uint64_t counted; /* monotonic ns, of the last stages_count */
	uint64_t second, second_idle; /* monotonic ns where the running second began; idle then */

	/* Read by any thread. */
	_Atomic uint64_t gap_max; /* ns; the longest time between two polls */
	_Atomic uint32_t busy; /* thousandths of the last second that were not idle */
};

/* When the loop begins. time: monotonic ns; stats: as stages_count has filled it before, if ever.
 */
void stages_begin(struct stages *stages, uint64_t time, const struct stats *stats);

/* Adds the time since the last call to the stages and the polls of stats. */
void stages_count(struct stages *stages, uint64_t time, struct stats *stats);

/* The time since the end of the last stage belonged to this one. */
static inline void
stages_end(struct stages *stages, enum stage stage)
{
	uint64_t now = cycles_now();

	stages->cycles[stage] += now - stages->at;
	stages->at = now;
}

/* After waiting until an input had something: nothing waited for this poll. */
static inline void
stages_waited(struct stages *stages)
{
	stages_end(stages, STAGE_IDLE);
	stages->polled_at = 0;
}

/* A poll of all inputs begins. */
static inline void
stages_poll(struct stages *stages, struct stats *stats)
{
	uint64_t cycles = stages->at - stages->polled_at, ns;
	bool counts = stages->polled_at != 0 && stages->rate != 0;

	stages->polled_at = stages->at;
	if (!counts)
		return;
	ns = (uint64_t)((unsigned __int128)cycles * stages->rate >> 32);
	stats->gap[stage_gap_bucket(ns)]++;
	stats->gaps += ns;
	if (ns > atomic_load_explicit(&stages->gap_max, memory_order_relaxed))
		atomic_store_explicit(&stages->gap_max, ns, memory_order_relaxed);
}

#endif
