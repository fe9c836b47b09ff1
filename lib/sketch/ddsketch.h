/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Datadog Agent's quantile sketch, bin for bin: gamma 1 + 1/64, bias 1338, keys rounded half to
 * even, at most 4096 bins of at most 65535 each, the lowest keys collapse first.
 *
 * Counts are conserved: sum of n over the bins = count, through insert, collapse and merge.
 */
#ifndef SKETCH_DDSKETCH_H
#define SKETCH_DDSKETCH_H

#include <stdint.h>

#include "mem/arena.h"
#include "sketch/window.h"

#define DDSKETCH_BINS_MAX 4096
#define DDSKETCH_BIN_WIDTH_MAX 65535

struct ddsketch_bin {
	int16_t key;
	uint16_t n;
};

/* A few values are a list of keys, many of them counts in a window. Settled, there are bins only.
 */
struct ddsketch {
	struct ddsketch_bin *bins; /* ascending keys; a key with more than the width repeats */
	uint32_t n_bins, bins_capacity;
	int16_t *pending; /* keys of weight 1 that are not in bins yet */
	uint32_t n_pending, pending_capacity;
	struct window *window; /* NULL, or it has all counts: no bins, nothing pending */
	uint64_t count;
	double min, max, sum, avg;
};

/* The key of a finite value. */
int16_t ddsketch_key(double value);

/* All zero is an empty sketch; its memory comes from the arena that each call names, and goes
 * away with it. value is finite, weight at least 1. 0, or -ENOMEM and the sketch is unchanged. */
int ddsketch_insert(struct ddsketch *sketch, struct arena *arena, double value, uint64_t weight);

/* Brings everything into bins. 0 or -ENOMEM (what is there stays as it is). */
int ddsketch_settle(struct ddsketch *sketch, struct arena *arena);

/* Adds other, which must be settled, to sketch and settles it. */
int ddsketch_merge(struct ddsketch *sketch, struct arena *arena, const struct ddsketch *other);

/* Of a settled sketch; q in [0, 1]. 0 for an empty one. */
double ddsketch_quantile(const struct ddsketch *sketch, double q);

#endif
