/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What to send. Line number i of a profile is a pure function of the profile and i: whatever the
 * sender, the packing or the pace, the same lines come in the same order, and a line that was sent
 * can be drawn again to add it to the expected sums.
 */
#ifndef PENSTOCK_LOAD_PROFILE_H
#define PENSTOCK_LOAD_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "penstock-load/series.h"

#define LINE_VALUES_MAX 8
#define SET_MEMBERS 1024 /* different members that a set may get */
#define PROFILE_CONTEXTS_MAX 100000000

/* Values are whole numbers of eighths: they have exact decimal and binary forms, so that sums are
 * exact doubles in whatever order they are added. */
#define EIGHTHS 8

struct profile_options {
	uint64_t seed;
	uint32_t n_contexts; /* 1 to PROFILE_CONTEXTS_MAX */
	struct series_naming naming;
	uint32_t type_weight[SERIES_TYPE_COUNT]; /* not all 0 */

	/* Shares of all lines; their sum is at most 1. */
	double malformed, events, checks;

	/* Shares of the metric lines. */
	double packed; /* 2 to LINE_VALUES_MAX values; never sets */
	double sampled; /* with a sample rate */
	double timestamped; /* of counters and gauges: with a timestamp of their own */
	double reordered; /* tags in another order, and one of them twice */
	int64_t timestamps_from; /* seconds; client timestamps are in the hour from here */
};

enum line_kind {
	LINE_METRIC,
	LINE_EVENT,
	LINE_CHECK,
	LINE_MALFORMED,
};

enum notation {
	NOTATION_PLAIN,
	NOTATION_PLUS, /* +5 */
	NOTATION_EXPONENT, /* 5e3; the value is a multiple of 1000 */
};

/* A sample rate: the text after '@' and what one sample then stands for. */
struct rate {
	const char *text; /* "" for none */
	uint32_t weight;
};

#define RATE_NONE 0
#define RATE_COUNT 9
#define RATE_EXACT_COUNT 7 /* the first ones: 1 / rate is exactly the weight */
extern const struct rate rate_table[RATE_COUNT];

struct line {
	uint64_t index;
	enum line_kind kind;
	enum series_type type;
	uint32_t context; /* also of other kinds: it lends them its name or tags */
	uint32_t rate; /* index into rate_table */
	enum notation notation;
	bool is_reordered;
	uint32_t malformed_kind, variant; /* of a malformed line; variant: any number */
	int64_t timestamp; /* seconds; 0 for none */
	uint32_t n_values;
	int32_t values[LINE_VALUES_MAX]; /* eighths; of a set: the number of its member */
};

struct profile {
	struct profile_options options;
	uint64_t type_end[SERIES_TYPE_COUNT]; /* cumulative weights, scaled to 2^32 */
	uint64_t malformed_end, events_end, checks_end; /* cumulative shares, scaled to 2^32 */
	uint64_t packed, sampled, timestamped, reordered; /* shares, scaled to 2^32 */
	uint64_t stride; /* coprime to n_contexts */
};

/* Options must be in their ranges. */
void profile_init(struct profile *profile, const struct profile_options *options);

/* The type of a context; each type gets its share of any run of contexts. */
enum series_type profile_type(const struct profile *profile, uint32_t context);

/* Contexts come in rounds: each one once in every n_contexts lines, in an order that differs from
 * round to round. */
void profile_line(const struct profile *profile, uint64_t index, struct line *ret_line);

#endif
