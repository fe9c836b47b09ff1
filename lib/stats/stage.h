/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a worker's time goes, and how long its inputs waited for a poll. A core that polls looks
 * busy to the kernel all the time; these tell what it is busy with.
 */
#ifndef STATS_STAGE_H
#define STATS_STAGE_H

#include <stdint.h>

enum stage {
	STAGE_POLL, /* polls that found something, and giving the burst back */
	STAGE_DECODE, /* from payload to bucket */
	STAGE_HOUSEKEEP, /* swap, expiry, publishing, sweeping the line cache */
	STAGE_IDLE, /* polls that found nothing, pauses, naps, waiting */
	STAGE_COUNT,
};

extern const char *const stage_name[STAGE_COUNT];

/* Times between the beginnings of two polls, by powers of two: bucket i counts those that are
 * shorter than 2^(10 + i) ns (1.024 us … 1.07 s) and belong to no bucket before; the last counts
 * the rest. */
#define STAGE_GAPS 22
#define STAGE_GAP_SHIFT 10

static inline uint32_t
stage_gap_bucket(uint64_t ns)
{
	uint32_t bits = ns == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(ns);

	if (bits <= STAGE_GAP_SHIFT)
		return 0;
	return bits - STAGE_GAP_SHIFT < STAGE_GAPS ? bits - STAGE_GAP_SHIFT : STAGE_GAPS - 1;
}

#endif
