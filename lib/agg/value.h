/* SPDX-License-Identifier: BSD-3-Clause */
/* What one context gathers in one bucket. Which member is in use follows from the metric type. */
#ifndef AGG_VALUE_H
#define AGG_VALUE_H

#include <assert.h>
#include <stdint.h>

#include "agg/set.h"
#include "agg/weighted.h"
#include "sketch/ddsketch.h"

struct value {
	union {
		uint64_t n; /* samples recorded; 0: untouched, the rest is not valid */
		uint64_t time; /* gauge, which needs no number: monotonic ns of the last sample */
	};
	union {
		double sum; /* count */
		double last; /* gauge */
		struct set *set;
		struct weighted_piece *weighted;
		struct ddsketch *sketch;
	};
};

static_assert(sizeof(struct value) == 16, "four to a cache line, and none lies across two");

#endif
