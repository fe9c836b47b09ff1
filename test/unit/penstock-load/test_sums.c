/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>

#include "penstock-load/sums.h"
#include "penstock-load/sums_row.h"

/* With six contexts and equal weights the multiples of the golden ratio (0.618, 0.236, 0.854,
 * 0.472, 0.090, 0.708) give these types. */
enum {
	HISTOGRAM,
	GAUGE,
	DISTRIBUTION,
	TIMING,
	COUNTER,
	SET
};

static struct profile profile;
static char *output;
static size_t output_size;
static FILE *file;
static struct sums *sums;

static int
set_up(void **state)
{
	struct profile_options options = {.n_contexts = 6,
		.naming = {.prefix = "t."},
		.type_weight = {1, 1, 1, 1, 1, 1},
		.timestamps_from = 1000};

	(void)state;
	profile_init(&profile, &options);
	file = open_memstream(&output, &output_size);
	return file != NULL ? sums_open(&profile, "box", file, &sums) : -1;
}

static int
tear_down(void **state)
{
	(void)state;
	sums_close(sums);
	fclose(file);
	free(output);
	return 0;
}

static void
add(struct line line)
{
	line.type = profile_type(&profile, line.context);
	assert_int_equal(sums_add(sums, &line), 0);
}

static void
assert_output(const char *expected)
{
	assert_int_equal(sums_finish(sums), 0);
	assert_string_equal(output, expected);
}

#define E8(x) ((int32_t)((x)*EIGHTHS))

/* Rates by their place in rate_table: 1 is @0.5, 4 is @0.1, 7 is @0.3. */
static void
gives_the_sums_of_ten_lines_worked_by_hand(void **state)
{
	(void)state;
	add((struct line){.context = COUNTER, .n_values = 1, .values = {E8(3)}});
	add((struct line){.context = COUNTER,
		.n_values = 2,
		.values = {E8(1), E8(2.5)},
		.rate = 4});
	add((struct line){.context = GAUGE, .n_values = 1, .values = {E8(5)}});
	add((struct line){.context = GAUGE,
		.n_values = 2,
		.values = {E8(7), E8(-2.25)},
		.rate = 4});
	add((struct line){.context = SET, .n_values = 1, .values = {3}});
	add((struct line){.context = SET, .n_values = 1, .values = {1023}});
	add((struct line){.context = SET, .n_values = 1, .values = {3}, .rate = 1});
	add((struct line){.context = HISTOGRAM,
		.n_values = 4,
		.values = {E8(4), E8(2), E8(1), E8(3)}});
	add((struct line){.context = HISTOGRAM, .n_values = 1, .values = {E8(10)}, .rate = 1});
	add((struct line){.context = DISTRIBUTION,
		.n_values = 2,
		.values = {E8(10), E8(1)},
		.rate = 7});
	/* Histogram: weights 1 1 1 1 2, total 6, sum 30. Median: running weight > 2.5, at 3.
	 * 95percentile: > 5.69, at 10. Distribution: weight trunc(1 / 0.3) = 3. */
	assert_output(
		"{\"type\":\"count\",\"name\":\"t.response_size.000000.count\",\"host\":\"box\","
		"\"tags\":[],\"value\":6}\n"
		"{\"type\":\"gauge\",\"name\":\"t.response_size.000000.avg\",\"host\":\"box\","
		"\"tags\":[],\"value\":5}\n"
		"{\"type\":\"gauge\",\"name\":\"t.response_size.000000.max\",\"host\":\"box\","
		"\"tags\":[],\"value\":10}\n"
		"{\"type\":\"gauge\",\"name\":\"t.response_size.000000.median\",\"host\":\"box\","
		"\"tags\":[],\"value\":3}\n"
		"{\"type\":\"gauge\",\"name\":\"t.response_size.000000.95percentile\",\"host\":"
		"\"box\",\"tags\":[],\"value\":10}\n"
		"{\"type\":\"gauge\",\"name\":\"t.queue_depth.000001\",\"host\":\"box\",\"tags\":[]"
		","
		"\"value\":-2.25}\n"
		"{\"type\":\"distribution\",\"name\":\"t.payload.000002\",\"host\":\"box\","
		"\"tags\":"
		"[],\"sketch\":{\"count\":6,\"sum\":33,\"min\":1,\"max\":10,\"avg\":5.5,\"k\":["
		"1338,"
		"1487],\"n\":[3,3]}}\n"
		"{\"type\":\"count\",\"name\":\"t.requests.000004\",\"host\":\"box\",\"tags\":[],"
		"\"value\":38}\n"
		"{\"type\":\"set\",\"name\":\"t.users.000005\",\"host\":\"box\",\"tags\":[],"
		"\"value\":"
		"2}\n");
}

/* 1 to 20, once each: median at running weight > 9.5, 95percentile at > 18.99. */
static void
ranks_as_the_agent_does(void **state)
{
	(void)state;
	for (int i = 20; i > 0; i--)
		add((struct line){.context = TIMING, .n_values = 1, .values = {E8(i)}});
	assert_int_equal(sums_finish(sums), 0);
	assert_non_null(strstr(output,
		"t.latency.000003.median\",\"host\":\"box\",\"tags\":[],"
		"\"value\":10}"));
	assert_non_null(strstr(output,
		"t.latency.000003.95percentile\",\"host\":\"box\",\"tags\":"
		"[],\"value\":19}"));
	assert_non_null(strstr(output,
		"t.latency.000003.avg\",\"host\":\"box\",\"tags\":[],"
		"\"value\":10.5}"));
}

static void
passes_timestamped_values_as_they_were_sent(void **state)
{
	(void)state;
	add((struct line){.context = COUNTER,
		.n_values = 2,
		.values = {E8(3), E8(4)},
		.rate = 1,
		.timestamp = 1005});
	assert_output(
		"{\"type\":\"count\",\"name\":\"t.requests.000004\",\"host\":\"box\",\"tags\":"
		"[],\"ts\":1005,\"timestamped\":true,\"value\":3}\n"
		"{\"type\":\"count\",\"name\":\"t.requests.000004\",\"host\":\"box\",\"tags\":"
		"[],\"ts\":1005,\"timestamped\":true,\"value\":4}\n");
}

static void
lists_events_and_service_checks(void **state)
{
	(void)state;
	/* Number 3 has a time and a host; variant 4 picks the title with a '|' and the text with
	 * newlines. */
	add((struct line){.kind = LINE_EVENT, .index = 3, .variant = 4});
	add((struct line){.kind = LINE_CHECK, .index = 4, .variant = 2, .context = 1});
	assert_output(
		"{\"type\":\"event\",\"ts\":1003,\"host\":\"edge-04\",\"tags\":[],\"title\":"
		"\"deploy 3 | retried\",\"text\":\"first line\\nsecond line\\n\",\"priority\":"
		"\"normal\",\"alert_type\":\"info\",\"source_type_name\":\"penstock-load\"}\n"
		"{\"type\":\"service_check\",\"name\":\"t.can_connect.01\",\"host\":\"box\","
		"\"tags\":"
		"[],\"status\":2,\"message\":\"\"}\n");
}

static void
expects_nothing_of_malformed_lines(void **state)
{
	(void)state;
	add((struct line){.kind = LINE_MALFORMED});
	assert_int_equal(sums_finish(sums), 0);
	assert_int_equal(output_size, 0);
}

static void
sorts_tags(void **state)
{
	(void)state;
	profile.options.naming.n_tags = 4;
	add((struct line){.context = COUNTER, .n_values = 1, .values = {E8(1)}});
	/* Context 4: numbers (0 * 7 + tag * 13) % 97. */
	assert_output(
		"{\"type\":\"count\",\"name\":\"t.requests.000000\",\"host\":\"box\",\"tags\":["
		"\"env:env-13\",\"instance:4\",\"region:region-39\",\"service:service-26\"],"
		"\"value\":1}\n");
}

/* 2 * 65535 + 5 samples of one key: the remainder first, then full bins. */
static void
splits_bins_at_their_width(void **state)
{
	struct bins bins = {0};
	struct sums_row row;

	(void)state;
	sums_row_init(&row, &profile.options.naming, "box", file);
	assert_int_equal(bins_add(&bins, 1338, 131075), 0);
	assert_int_equal(bins_add(&bins, 1339, 65535), 0);
	sums_row_begin(&row, "distribution");
	sums_row_sketch(&row, &bins, 1, 1, 1);
	sums_row_end(&row);
	assert_int_equal(sums_row_flush(&row), 0);
	assert_non_null(strstr(output, "\"k\":[1338,1338,1338,1339],\"n\":[5,65535,65535,65535]"));
	sums_row_done(&row);
	bins_done(&bins);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(gives_the_sums_of_ten_lines_worked_by_hand),
		TEST(ranks_as_the_agent_does),
		TEST(passes_timestamped_values_as_they_were_sent),
		TEST(lists_events_and_service_checks),
		TEST(expects_nothing_of_malformed_lines),
		TEST(sorts_tags),
		TEST(splits_bins_at_their_width),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
