/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstock-load/pace.h"

#include <time.h>

#include "base/clock.h"

static uint64_t
at_rate(const struct pace *pace, uint64_t n_lines)
{
	return pace->rate > 0 ? (uint64_t)((double)n_lines * (double)NS_PER_S / pace->rate) : 0;
}

uint64_t
pace_due(const struct pace *pace, uint64_t line)
{
	if (pace->burst == 0)
		return at_rate(pace, line);
	return line / pace->burst * pace->gap + at_rate(pace, line % pace->burst);
}

uint64_t
pace_lines_left(const struct pace *pace, uint64_t line)
{
	return pace->burst != 0 ? pace->burst - line % pace->burst : UINT64_MAX;
}

uint64_t
pace_now(void)
{
	return clock_monotonic(&clock_system);
}

void
pace_sleep_until(uint64_t time)
{
	struct timespec until = {.tv_sec = (time_t)(time / NS_PER_S),
		.tv_nsec = (long)(time % NS_PER_S)};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}
