/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bins that the Datadog Agent's sketch has for a set of values, kept as a plain map from key to
 * count. Written from the formula and apart from lib/sketch, which it checks.
 */
#ifndef PENSTOCK_LOAD_BINS_H
#define PENSTOCK_LOAD_BINS_H

#include <stdint.h>

struct bin {
	int32_t key;
	uint64_t n;
};

struct bins {
	struct bin *bin; /* ascending keys; owned */
	uint32_t n, capacity;
};

/* gamma = 1 + 1/64, bias 1338, half to even; negative values mirror positive ones. */
int32_t bins_key(double value);

/* 0 or -ENOMEM and nothing has changed. */
int bins_add(struct bins *bins, int32_t key, uint64_t weight);

void bins_done(struct bins *bins);

#endif
