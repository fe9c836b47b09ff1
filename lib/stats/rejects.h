/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The last rejected lines of one worker, with their reasons: a ring that its worker writes and
 * that any thread may read while it is written.
 */
#ifndef STATS_REJECTS_H
#define STATS_REJECTS_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/span.h"
#include "stats/stats.h"

#define REJECTS_KEPT 64
#define REJECT_BYTES 192 /* of each line; the rest is cut */

struct reject {
	uint64_t number; /* 1 for the worker's first */
	int64_t time; /* wall clock, ns */
	uint32_t size; /* of the whole line, bytes */
	uint16_t reason; /* enum counter */
	uint16_t listener; /* as in struct stats */
	uint8_t bytes[REJECT_BYTES];
};

#define REJECT_WORDS (sizeof(struct reject) / sizeof(uint64_t))

struct rejects {
	_Atomic uint64_t written; /* rejects so far */
	struct {
		_Atomic uint32_t sequence; /* odd while the owner writes */
		_Atomic uint64_t word[REJECT_WORDS];
	} slot[REJECTS_KEPT];
};

/* Owner only. Overwrites the oldest. */
void rejects_add(struct rejects *rejects, enum counter reason, uint16_t listener, int64_t time,
	struct span line);

/* Any thread: copies the newest first into out, skips what is being overwritten, returns how many.
 */
size_t rejects_read(struct rejects *rejects, struct reject *out, size_t n_max);

#endif
