/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/compiler.h"
#include "output/ndjson.h"

static struct arena arena;

static int
init_arena(void **state)
{
	arena_init(&arena, NULL);
	return 0;
}

static int
reset_arena(void **state)
{
	arena_reset(&arena);
	return 0;
}

static const struct context *
context(enum metric_type type, const char *name, const char *host, const char *tags)
{
	struct context_key key = {.type = type,
		.name = span_from_string(name),
		.host = span_from_string(host),
		.tags = span_from_string(tags)};

	return context_new_in(&arena, &key);
}

/* The line is expected, and is JSON to another reader. */
static void
assert_line(const struct flush *flush, size_t index, const char *expected)
{
	struct json json = {0};
	json_t *read;

	ndjson_line(&json, flush, index);
	assert_false(json.failed);
	assert_int_equal(json.size, strlen(expected) + 1);
	assert_memory_equal(json.text, expected, strlen(expected));
	assert_int_equal(json.text[json.size - 1], '\n');
	read = json_loadb(json.text, json.size, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(read);
	json_decref(read);
	json_done(&json);
}

static void
assert_point(const struct point *point, const char *expected)
{
	struct flush flush = {.start = 1700000000, .interval = 10, .points = point, .n_points = 1};

	assert_line(&flush, 0, expected);
}

static void
writes_counts_with_their_interval(void **state)
{
	const struct point point = {
		.context = context(METRIC_COUNT, "page.views", "web-1", "env:prod,team:é"),
		.kind = POINT_COUNT,
		.timestamp = 1700000000,
		.value = 2.5};

	assert_point(&point,
		"{\"type\":\"count\",\"name\":\"page.views\",\"ts\":1700000000,\"host\":\"web-1\","
		"\"tags\":[\"env:prod\",\"team:é\"],\"interval\":10,\"value\":2.5}");
}

static void
writes_gauges_without_host_and_tags(void **state)
{
	const struct point point = {.context = context(METRIC_GAUGE, "fuel \"left\"", "", ""),
		.kind = POINT_GAUGE,
		.timestamp = 1700000000,
		.value = -0.1};

	assert_point(&point,
		"{\"type\":\"gauge\",\"name\":\"fuel \\\"left\\\"\",\"ts\":1700000000,\"host\":"
		"\"\",\"tags\":[],\"value\":-0.1}");
}

static void
writes_sets(void **state)
{
	const struct point point = {.context = context(METRIC_SET, "users", "h", "a"),
		.kind = POINT_SET,
		.timestamp = 1700000000,
		.value = 3};

	assert_point(&point,
		"{\"type\":\"set\",\"name\":\"users\",\"ts\":1700000000,\"host\":\"h\",\"tags\":"
		"[\"a\"],\"value\":3}");
}

static void
names_histogram_aggregates_by_their_suffix(void **state)
{
	const struct context *histogram = context(METRIC_HISTOGRAM, "lat", "h", "");
	const struct point count = {.context = histogram,
		.suffix = SPAN_LITERAL("count"),
		.kind = POINT_COUNT,
		.timestamp = 1700000000,
		.value = 4};
	const struct point percentile = {.context = histogram,
		.suffix = SPAN_LITERAL("95percentile"),
		.kind = POINT_GAUGE,
		.timestamp = 1700000000,
		.value = 1e300};

	assert_point(&count,
		"{\"type\":\"count\",\"name\":\"lat.count\",\"ts\":1700000000,\"host\":\"h\","
		"\"tags\":[],\"interval\":10,\"value\":4}");
	assert_point(&percentile,
		"{\"type\":\"gauge\",\"name\":\"lat.95percentile\",\"ts\":1700000000,\"host\":"
		"\"h\",\"tags\":[],\"value\":1e+300}");
}

static void
marks_the_timestamp_of_a_client(void **state)
{
	const struct point point = {.context = context(METRIC_GAUGE, "g", "h", ""),
		.kind = POINT_GAUGE,
		.is_timestamped = true,
		.timestamp = 1600000000,
		.value = 1};

	assert_point(&point,
		"{\"type\":\"gauge\",\"name\":\"g\",\"ts\":1600000000,\"host\":\"h\",\"tags\":[],"
		"\"timestamped\":true,\"value\":1}");
}

static void
writes_distributions_with_their_bins(void **state)
{
	struct ddsketch sketch = {0};
	struct point point = {.context = context(METRIC_DISTRIBUTION, "d", "h", ""),
		.kind = POINT_SKETCH,
		.timestamp = 1700000000,
		.sketch = &sketch};

	ddsketch_insert(&sketch, &arena, -1, 2);
	ddsketch_insert(&sketch, &arena, 0, 1);
	ddsketch_insert(&sketch, &arena, 100, 65536);
	ddsketch_settle(&sketch, &arena);
	sketch.avg = 99.5; /* a text that does not depend on rounding */
	assert_point(&point,
		"{\"type\":\"distribution\",\"name\":\"d\",\"ts\":1700000000,\"host\":\"h\","
		"\"tags\":[],\"sketch\":{\"count\":65539,\"sum\":6553598,\"min\":-1,\"max\":100,"
		"\"avg\":99.5,\"k\":[-1338,0,1635,1635],\"n\":[2,1,1,65535]}}");
}

static void
writes_events(void **state)
{
	const struct flush_event events[] = {
		{.event = {.title = SPAN_LITERAL("Deploy"),
			 .text = SPAN_LITERAL("line 1\nline 2"),
			 .timestamp = 1700000003},
			.host = SPAN_LITERAL("h"),
			.tags = SPAN_LITERAL("a:1,b")},
		{.event = {.title = SPAN_LITERAL("t"),
			 .timestamp = 5,
			 .aggregation_key = SPAN_LITERAL("k"),
			 .source_type = SPAN_LITERAL("jenkins"),
			 .priority = EVENT_LOW,
			 .alert = EVENT_ERROR}},
	};
	struct flush flush = {.events = events, .n_events = ARRAY_LENGTH(events)};

	assert_int_equal(ndjson_n_lines(&flush), 2);
	assert_line(&flush, 0,
		"{\"type\":\"event\",\"ts\":1700000003,\"host\":\"h\",\"tags\":[\"a:1\",\"b\"],"
		"\"title\":\"Deploy\",\"text\":\"line 1\\nline 2\",\"priority\":\"normal\","
		"\"alert_type\":\"info\",\"source_type_name\":\"api\"}");
	assert_line(&flush, 1,
		"{\"type\":\"event\",\"ts\":5,\"host\":\"\",\"tags\":[],\"title\":\"t\",\"text\":"
		"\"\",\"priority\":\"low\",\"alert_type\":\"error\",\"source_type_name\":"
		"\"jenkins\",\"aggregation_key\":\"k\"}");
}

static void
writes_service_checks_after_all_else(void **state)
{
	const struct point point = {.context = context(METRIC_GAUGE, "g", "", ""),
		.kind = POINT_GAUGE};
	const struct flush_event event = {.event = {.timestamp = 1}};
	const struct flush_check check = {.check = {.name = SPAN_LITERAL("db.up"),
						  .message = SPAN_LITERAL("slow"),
						  .timestamp = 7,
						  .status = 2},
		.host = SPAN_LITERAL("h"),
		.tags = SPAN_LITERAL("x")};
	struct flush flush = {.points = &point,
		.n_points = 1,
		.events = &event,
		.n_events = 1,
		.checks = &check,
		.n_checks = 1};

	assert_int_equal(ndjson_n_lines(&flush), 3);
	assert_line(&flush, 2,
		"{\"type\":\"service_check\",\"name\":\"db.up\",\"ts\":7,\"host\":\"h\",\"tags\":["
		"\"x\"],\"status\":2,\"message\":\"slow\"}");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_counts_with_their_interval),
		cmocka_unit_test(writes_gauges_without_host_and_tags),
		cmocka_unit_test(writes_sets),
		cmocka_unit_test(names_histogram_aggregates_by_their_suffix),
		cmocka_unit_test(marks_the_timestamp_of_a_client),
		cmocka_unit_test(writes_distributions_with_their_bins),
		cmocka_unit_test(writes_events),
		cmocka_unit_test(writes_service_checks_after_all_else),
	};

	return cmocka_run_group_tests(tests, init_arena, reset_arena);
}
