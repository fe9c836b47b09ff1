/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cheapest clock of the CPU, for differences on one core: its unit is the processor's own, and
 * who needs seconds compares two readings with the monotonic clock.
 */
#ifndef BASE_CYCLES_H
#define BASE_CYCLES_H

#include <stdint.h>
#include <time.h>

static inline uint64_t
cycles_now(void)
{
#ifdef __x86_64__
	return __builtin_ia32_rdtsc();
#else
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
#endif
}

#endif
