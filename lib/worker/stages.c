/* SPDX-License-Identifier: BSD-3-Clause */
#include "worker/stages.h"

#include <string.h>

#include "base/clock.h"

void
stages_begin(struct stages *stages, uint64_t time, const struct stats *stats)
{
	memset(stages->cycles, 0, sizeof(stages->cycles));
	stages->at = stages->began_at = cycles_now();
	stages->polled_at = 0;
	stages->rate = 0;
	stages->began = stages->counted = stages->second = time;
	stages->second_idle = stats->stage[STAGE_IDLE];
}

/* Shares out the ns, so that not one is lost: what rounding leaves goes to housekeeping. */
static void
share_out(struct stages *stages, uint64_t ns, struct stats *stats)
{
	double sum = 0;
	uint64_t left = ns;

	for (int i = 0; i < STAGE_COUNT; i++)
		sum += (double)stages->cycles[i];
	for (int i = 0; i < STAGE_COUNT && sum > 0; i++) {
		uint64_t share = (uint64_t)((double)ns * ((double)stages->cycles[i] / sum));

		if (i == STAGE_HOUSEKEEP || share > left)
			continue;
		stats->stage[i] += share;
		left -= share;
	}
	stats->stage[STAGE_HOUSEKEEP] += left;
	memset(stages->cycles, 0, sizeof(stages->cycles));
}

static void
count_second(struct stages *stages, uint64_t time, const struct stats *stats)
{
	uint64_t idle = stats->stage[STAGE_IDLE], passed = time - stages->second;

	if (passed < (uint64_t)NS_PER_S)
		return;
	atomic_store_explicit(&stages->busy,
		(uint32_t)((passed - (idle - stages->second_idle)) * 1000 / passed),
		memory_order_relaxed);
	stages->second = time;
	stages->second_idle = idle;
}

void
stages_count(struct stages *stages, uint64_t time, struct stats *stats)
{
	uint64_t cycles;

	if (stages->began_at == 0)
		return; /* the loop never ran */
	stages_end(stages, STAGE_HOUSEKEEP);
	share_out(stages, time - stages->counted, stats);
	stages->counted = time;
	cycles = stages->at - stages->began_at;
	if (cycles != 0)
		stages->rate =
			(uint64_t)(((unsigned __int128)(time - stages->began) << 32) / cycles);
	count_second(stages, time, stats);
}
