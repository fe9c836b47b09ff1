/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "dsd/decode.h"
#include "penstock-load/line.h"

static struct profile profile;

static void
set_up_profile(uint32_t n_tags)
{
	struct profile_options options = {.seed = 3,
		.n_contexts = 20000,
		.naming = {"t.", n_tags},
		.type_weight = {1, 1, 1, 1, 1, 1},
		.events = 0.05,
		.checks = 0.05,
		.packed = 0.3,
		.sampled = 0.3,
		.timestamped = 0.3,
		.reordered = 0.3,
		.timestamps_from = 1700000000};

	profile_init(&profile, &options);
}

static void
assert_text(const struct line *line, const char *expected)
{
	char text[LINE_SIZE_MAX];

	*line_write(&profile, line, text) = '\0';
	assert_string_equal(text, expected);
}

static void
writes_metrics(void **state)
{
	(void)state;
	set_up_profile(0);
	assert_text(&(struct line){.type = SERIES_COUNTER,
			    .context = 12,
			    .n_values = 1,
			    .values = {24}},
		"t.requests.000012:3|c");
	assert_text(&(struct line){.type = SERIES_TIMING,
			    .rate = 4,
			    .n_values = 3,
			    .values = {1, 20, 8 * 1000 + 7}},
		"t.latency.000000:0.125:2.5:1000.875|ms|@0.1");
	assert_text(&(struct line){.type = SERIES_GAUGE,
			    .n_values = 1,
			    .values = {-18},
			    .timestamp = 1700000001},
		"t.queue_depth.000000:-2.25|g|T1700000001");
	assert_text(&(struct line){.type = SERIES_GAUGE,
			    .n_values = 1,
			    .values = {40},
			    .notation = NOTATION_PLUS},
		"t.queue_depth.000000:+5|g");
	assert_text(&(struct line){.type = SERIES_GAUGE,
			    .n_values = 1,
			    .values = {96000},
			    .notation = NOTATION_EXPONENT},
		"t.queue_depth.000000:12e3|g");
	assert_text(&(struct line){.type = SERIES_SET, .n_values = 1, .values = {3}},
		"t.users.000000:user-3|s");
	assert_text(&(struct line){.type = SERIES_SET, .n_values = 1, .values = {8}},
		"t.users.000000:id:8|s");
}

static void
writes_tags_in_two_orders(void **state)
{
	struct line line = {.type = SERIES_COUNTER, .context = 9, .n_values = 1, .values = {8}};

	(void)state;
	set_up_profile(2);
	/* Name and value numbers: 9 / 8 = 1, 9 % 8 = 1; (1 * 7 + 1 * 13) % 97 = 20. */
	assert_text(&line, "t.requests.000001:1|c|#instance:1,env:env-20");
	line.is_reordered = true;
	line.variant = 1;
	assert_text(&line, "t.requests.000001:1|c|#env:env-20,instance:1,env:env-20");
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
gives_no_two_contexts_the_same_text(void **state)
{
	enum {
		CONTEXTS = 20000
	};
	static char *text[CONTEXTS];
	char line_text[LINE_SIZE_MAX];

	(void)state;
	for (uint32_t n_tags = 0; n_tags <= 1; n_tags++) {
		set_up_profile(n_tags);
		for (uint32_t i = 0; i < CONTEXTS; i++) {
			struct line line = {.type = SERIES_GAUGE,
				.context = i,
				.n_values = 1,
				.values = {8}};

			*line_write(&profile, &line, line_text) = '\0';
			text[i] = strdup(line_text);
			assert_non_null(text[i]);
		}
		qsort(text, CONTEXTS, sizeof(text[0]), by_text);
		for (uint32_t i = 1; i < CONTEXTS; i++)
			assert_string_not_equal(text[i - 1], text[i]);
		for (uint32_t i = 0; i < CONTEXTS; i++)
			free(text[i]);
	}
}

static void
stays_within_the_size_it_announces(void **state)
{
	static const uint32_t n_tags[] = {0, 1, 5, SERIES_TAGS_MAX};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LENGTH(n_tags); i++) {
		size_t size_max;

		set_up_profile(n_tags[i]);
		profile.malformed_end = profile.events_end / 2;
		size_max = line_size_max(&profile.options);
		assert_true(size_max <= LINE_SIZE_MAX);
		for (uint64_t number = 0; number < 20000; number++) {
			char text[2 * LINE_SIZE_MAX];
			struct line line;

			profile_line(&profile, number, &line);
			assert_true((size_t)(line_write(&profile, &line, text) - text) < size_max);
		}
	}
}

static void
assert_metric(const struct line *line, const struct metric *metric)
{
	static const enum metric_type type[SERIES_TYPE_COUNT] = {METRIC_COUNT, METRIC_GAUGE,
		METRIC_HISTOGRAM, METRIC_HISTOGRAM, METRIC_SET, METRIC_DISTRIBUTION};

	assert_int_equal(metric->type, type[line->type]);
	assert_int_equal(metric->is_timing, line->type == SERIES_TIMING);
	assert_int_equal(metric->timestamp, line->timestamp);
	assert_int_equal(metric->n_values, line->n_values);
	if (line->rate != RATE_NONE)
		assert_true(metric->rate == strtod(rate_table[line->rate].text, NULL));
	for (uint32_t i = 0; i < line->n_values && line->type != SERIES_SET; i++)
		assert_true(metric->values[i] == (double)line->values[i] / EIGHTHS);
}

static void
is_read_by_the_decoder_as_it_was_meant(void **state)
{
	struct decoder decoder = {0};

	(void)state;
	set_up_profile(3);
	assert_int_equal(decoder_init(&decoder, LINE_SIZE_MAX), 0);
	decoder.timestamps = true;
	for (uint64_t number = 0; number < 20000; number++) {
		char text[LINE_SIZE_MAX];
		struct message message;
		struct line line;
		size_t size;

		profile_line(&profile, number, &line);
		size = (size_t)(line_write(&profile, &line, text) - text);
		assert_int_equal(decode_line(&decoder, span_of(text, size), &message), STAT_NONE);
		assert_int_equal(message.kind,
			line.kind == LINE_METRIC          ? MESSAGE_METRIC
				: line.kind == LINE_EVENT ? MESSAGE_EVENT
							  : MESSAGE_SERVICE_CHECK);
		if (line.kind == LINE_METRIC)
			assert_metric(&line, &message.metric);
	}
	decoder_done(&decoder);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_metrics),
		cmocka_unit_test(writes_tags_in_two_orders),
		cmocka_unit_test(gives_no_two_contexts_the_same_text),
		cmocka_unit_test(stays_within_the_size_it_announces),
		cmocka_unit_test(is_read_by_the_decoder_as_it_was_meant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
