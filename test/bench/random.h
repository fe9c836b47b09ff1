/* SPDX-License-Identifier: BSD-3-Clause */
/* Repeatable random numbers from a seed. */
#ifndef BENCH_RANDOM_H
#define BENCH_RANDOM_H

#include <stdint.h>

/* SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014). */
static inline uint64_t
random_next(uint64_t *state)
{
	uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/* 0 to n - 1. */
static inline uint32_t
random_below(uint64_t *state, uint32_t n)
{
	return (uint32_t)(((random_next(state) >> 32) * n) >> 32);
}

/* Every order of the n items is equally likely. */
static inline void
random_shuffle(uint64_t *state, uint32_t *items, uint32_t n)
{
	for (uint32_t left = n; left > 1; left--) {
		uint32_t i = random_below(state, left), item = items[i];

		items[i] = items[left - 1];
		items[left - 1] = item;
	}
}

#endif
