/* SPDX-License-Identifier: BSD-3-Clause */
/* When each line is due: a steady rate, bursts, or both. */
#ifndef PENSTOCK_LOAD_PACE_H
#define PENSTOCK_LOAD_PACE_H

#include <stdint.h>

struct pace {
	double rate; /* lines a second; 0: as fast as possible */
	uint64_t burst; /* lines of a burst; 0: no bursts */
	uint64_t gap; /* ns from the start of one burst to the start of the next */
};

/* ns after the start. Within a burst lines come at the rate. */
uint64_t pace_due(const struct pace *pace, uint64_t line);

/* Lines from this one to the end of its burst. */
uint64_t pace_lines_left(const struct pace *pace, uint64_t line);

/* ns of the monotonic clock. */
uint64_t pace_now(void);

/* Sleeps until a time of the monotonic clock (ns) or a signal. */
void pace_sleep_until(uint64_t time);

#endif
