/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Values for whatever keeps quantiles, and the least that can be done with one: the key by log()
 * and one counter of a dense array; no bins that collapse, no sum, minimum or maximum.
 */
#ifndef BENCH_LATENCIES_H
#define BENCH_LATENCIES_H

#include <stdint.h>

#define LATENCIES 65536 /* too many for a branch predictor to learn */
#define LATENCY_KEYS 4096

struct latencies {
	double values[LATENCIES]; /* ms: log-uniform from 0.1 to 10,000 */
	uint64_t n; /* counted, in all turns */
	uint64_t dense[LATENCY_KEYS];
};

void latencies_init(struct latencies *latencies, uint64_t seed);

/* The run of a contestant that counts them; context is a struct latencies. */
uint64_t latencies_run(void *context, uint64_t duration);

/* Ends the program when not all were counted. */
void latencies_check(const struct latencies *latencies);

#endif
