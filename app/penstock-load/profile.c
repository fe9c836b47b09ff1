/* SPDX-License-Identifier: BSD-3-Clause */
/* hot: no malloc, no syscall, no log, no lock */
#include "penstock-load/profile.h"

#include "penstock-load/malformed.h"

#define GOLDEN UINT64_C(0x9e3779b97f4a7c15) /* 2^64 divided by the golden ratio */
#define SECONDS_OF_TIMESTAMPS 3600

/* 1 / 0.1, 1 / 0.2 and 1 / 0.01 are exactly 10, 5 and 100 in double arithmetic (IEEE 754, round to
 * nearest). The last two are for distributions alone, whose weight is trunc(1 / rate). */
const struct rate rate_table[RATE_COUNT] = {
	{"", 1},
	{"0.5", 2},
	{"0.25", 4},
	{"0.125", 8},
	{"0.1", 10},
	{"0.2", 5},
	{"1", 1},
	{"0.3", 3},
	{"0.75", 1},
};

/* SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014). */
static uint64_t
mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

struct draw {
	uint64_t state;
};

static uint64_t
draw_next(struct draw *draw)
{
	draw->state += GOLDEN;
	return mix(draw->state);
}

/* 0 to n - 1, taken from 32 random bits. */
static uint32_t
below(uint32_t n, uint32_t bits)
{
	return (uint32_t)(((uint64_t)bits * n) >> 32);
}

static uint64_t
scaled(double share)
{
	return (uint64_t)(share * 0x1p32);
}

static uint64_t
greatest_common_divisor(uint64_t a, uint64_t b)
{
	while (b != 0) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

void
profile_init(struct profile *profile, const struct profile_options *options)
{
	uint64_t total = 0, sum = 0;

	profile->options = *options;
	for (unsigned i = 0; i < SERIES_TYPE_COUNT; i++)
		total += options->type_weight[i];
	for (unsigned i = 0; i < SERIES_TYPE_COUNT; i++) {
		sum += options->type_weight[i];
		profile->type_end[i] = (sum << 32) / total;
	}
	profile->malformed_end = scaled(options->malformed);
	profile->events_end = scaled(options->malformed + options->events);
	profile->checks_end = scaled(options->malformed + options->events + options->checks);
	profile->packed = scaled(options->packed);
	profile->sampled = scaled(options->sampled);
	profile->timestamped = scaled(options->timestamped);
	profile->reordered = scaled(options->reordered);

	profile->stride = (uint64_t)(options->n_contexts * 0.6180339887) | 1;
	while (greatest_common_divisor(profile->stride, options->n_contexts) != 1)
		profile->stride++;
}

/* Multiples of the golden ratio modulo 1 fill the unit interval evenly however few there are. */
enum series_type
profile_type(const struct profile *profile, uint32_t context)
{
	uint64_t point = ((context + UINT64_C(1)) * GOLDEN) >> 32;
	unsigned type = 0;

	while (point >= profile->type_end[type])
		type++;
	return type;
}

static uint32_t
context_of(const struct profile *profile, uint64_t index)
{
	uint64_t n = profile->options.n_contexts;
	uint64_t round = index / n, position = index % n;
	uint64_t start = mix(profile->options.seed + round * GOLDEN) % n;

	return (uint32_t)((position * profile->stride + start) % n);
}

/* Spread over the powers of two from 1/8 to limit_log2, as times and sizes are. */
static int32_t
spread_value(uint64_t bits, unsigned limit_log2)
{
	uint32_t size = UINT32_C(1) << (below(limit_log2 + 4, (uint32_t)bits));

	return (int32_t)(1 + below(size, (uint32_t)(bits >> 32)));
}

static int32_t
value_of(enum series_type type, enum notation notation, uint64_t bits)
{
	uint32_t low = (uint32_t)bits, high = (uint32_t)(bits >> 32);

	if (notation == NOTATION_EXPONENT)
		return (int32_t)(1 + low % 100) * 1000 * EIGHTHS;
	switch (type) {
	case SERIES_COUNTER:
		/* Mostly small whole numbers, as counters are; one in 16 is anything up to
		 * 10000. */
		if (low % 16 != 0)
			return (int32_t)(1 + high % 8) * EIGHTHS;
		return (int32_t)(high % (10000 * EIGHTHS));
	case SERIES_GAUGE:
		return (int32_t)(high % (200000 * EIGHTHS)) -
			(notation == NOTATION_PLUS ? 0 : 100000 * EIGHTHS);
	case SERIES_DISTRIBUTION:
		if (low % 64 == 0)
			return 0;
		return low % 64 == 1 ? -spread_value(mix(bits), 10) : spread_value(mix(bits), 20);
	case SERIES_SET:
		return (int32_t)(high % SET_MEMBERS);
	default:
		return spread_value(bits, 14);
	}
}

static void
draw_metric(const struct profile *profile, struct draw *draw, struct line *line)
{
	uint64_t bits = draw_next(draw), more = draw_next(draw), form = draw_next(draw);
	bool is_stampable = line->type == SERIES_COUNTER || line->type == SERIES_GAUGE;

	line->rate = RATE_NONE;
	if ((uint32_t)bits < profile->sampled) {
		uint32_t n = line->type == SERIES_DISTRIBUTION ? RATE_COUNT : RATE_EXACT_COUNT;

		line->rate = 1 + below(n - 1, (uint32_t)form);
	}
	line->n_values = 1;
	if (line->type != SERIES_SET && (uint32_t)(bits >> 32) < profile->packed)
		line->n_values = 2 + (form >> 32) % (LINE_VALUES_MAX - 1);
	line->timestamp = 0;
	if (is_stampable && (uint32_t)more < profile->timestamped)
		line->timestamp = profile->options.timestamps_from +
			(int64_t)(line->index % SECONDS_OF_TIMESTAMPS);
	line->is_reordered = (uint32_t)(more >> 32) < profile->reordered;
	line->notation = NOTATION_PLAIN;
	if (line->type == SERIES_GAUGE && (form >> 40) % 16 < 2)
		line->notation = (form >> 40) % 16 == 0 ? NOTATION_PLUS : NOTATION_EXPONENT;
	for (uint32_t i = 0; i < line->n_values; i++)
		line->values[i] = value_of(line->type, line->notation, draw_next(draw));
}

void
profile_line(const struct profile *profile, uint64_t index, struct line *ret_line)
{
	struct draw draw = {mix(profile->options.seed ^ mix(index + 1))};
	uint64_t bits = draw_next(&draw);
	uint32_t kind = (uint32_t)bits, variant = (uint32_t)(bits >> 32);

	ret_line->index = index;
	ret_line->context = context_of(profile, index);
	ret_line->type = profile_type(profile, ret_line->context);
	ret_line->malformed_kind = below(MALFORMED_KINDS, (uint32_t)mix(variant));
	ret_line->variant = variant;
	if (kind < profile->malformed_end) {
		ret_line->kind = LINE_MALFORMED;
	} else if (kind < profile->events_end) {
		ret_line->kind = LINE_EVENT;
	} else if (kind < profile->checks_end) {
		ret_line->kind = LINE_CHECK;
	} else {
		ret_line->kind = LINE_METRIC;
		draw_metric(profile, &draw, ret_line);
	}
}
