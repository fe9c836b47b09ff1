/* SPDX-License-Identifier: BSD-3-Clause */
/* What one context gathers in one bucket. Which member is in use follows from the metric type. */
#ifndef AGG_VALUE_H
#define AGG_VALUE_H

#include <stdint.h>

#include "agg/set.h"
#include "agg/weighted.h"
#include "sketch/ddsketch.h"

struct value {
	uint64_t n; /* samples recorded; 0: untouched, the rest is not valid */
	union {
		double sum; /* count */
		double last; /* gauge */
	};
	union {
		uint64_t time; /* gauge: monotonic ns of the last sample */
		struct set *set;
		struct weighted_piece *weighted;
		struct ddsketch *sketch;
	};
};

#endif
