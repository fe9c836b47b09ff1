/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"

#include <stddef.h>
#include <time.h>

static int64_t
read_clock(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static int64_t
system_wall(void *context)
{
	(void)context;
	return read_clock(CLOCK_REALTIME);
}

static uint64_t
system_monotonic(void *context)
{
	(void)context;
	return (uint64_t)read_clock(CLOCK_MONOTONIC);
}

const struct clock clock_system = {system_wall, system_monotonic, NULL};
