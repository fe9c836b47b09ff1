/* SPDX-License-Identifier: BSD-3-Clause */
/* The two clocks of the machine behind one seam, so that a test can simulate both. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

#define NS_PER_S INT64_C(1000000000)
#define NS_PER_MS INT64_C(1000000)

struct clock {
	int64_t (*wall)(void *context); /* ns since 1970; may step */
	uint64_t (*monotonic)(void *context); /* ns; never steps */
	void *context;
};

extern const struct clock clock_system;

static inline int64_t
clock_wall(const struct clock *clock)
{
	return clock->wall(clock->context);
}

static inline uint64_t
clock_monotonic(const struct clock *clock)
{
	return clock->monotonic(clock->context);
}

/* ms from now until a monotonic time; 0 when it has passed. */
static inline int
clock_ms_until(const struct clock *clock, uint64_t time)
{
	uint64_t now = clock_monotonic(clock);

	return now < time ? (int)((time - now) / NS_PER_MS) : 0;
}

#endif
