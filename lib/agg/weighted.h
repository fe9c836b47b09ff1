/* SPDX-License-Identifier: BSD-3-Clause */
/* The samples of a histogram in one bucket: every value with its weight. */
#ifndef AGG_WEIGHTED_H
#define AGG_WEIGHTED_H

#include "mem/arena.h"

struct weighted_sample {
	double value;
	double weight; /* 1/rate, a real */
};

struct weighted_piece {
	struct weighted_piece *older;
	uint32_t n, n_max;
	struct weighted_sample sample[];
};

/* A list is its newest piece, NULL when it is empty; memory is an arena's. 0 or -ENOMEM, nothing
 * is added then. */
int weighted_add(struct weighted_piece **list, struct arena *arena, double value, double weight);

/* Adds the samples of from, whose pieces must live as long as list. */
void weighted_join(struct weighted_piece **list, struct weighted_piece *from);

size_t weighted_count(const struct weighted_piece *list);

/* What the Agent derives from a histogram (its "aggregates" and percentiles). */
struct weighted_summary {
	double count; /* sum of weights */
	double sum, min, max, avg, median;
};

/* Sorts the n samples and summarises them; n > 0. */
void weighted_summarise(struct weighted_sample *samples, size_t n,
	struct weighted_summary *ret_summary);

/* Of sorted samples whose weights add up to count: the first value at which the running weight
 * exceeds (percent * count - 1) / 100. */
double weighted_percentile(const struct weighted_sample *samples, size_t n, double count,
	unsigned percent);

/* Copies the list's samples to out, which has room for all. */
void weighted_copy(const struct weighted_piece *list, struct weighted_sample *out);

#endif
