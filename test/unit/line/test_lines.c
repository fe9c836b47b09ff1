/* SPDX-License-Identifier: BSD-3-Clause */
/* The plain way is the reference, tested by itself in dsd/ and agg/; here the cached way must give
 * the same, whatever comes, with the vectors and without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "line/twin.h"

static uint64_t seed = 88172645463325252u;

static uint32_t
draw(uint32_t below)
{
	seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
	return (uint32_t)(seed >> 32) % below;
}

static void
add_text(struct twin *twin, const char *text)
{
	twin_add(twin, span_from_string(text), (struct dgram){0});
}

/* How many lines the cache answered for: all that were received, less those that went the full
 * way, cannot be seen in the counters, so it is asked for its entries instead. */
static uint32_t
cached_lines(const struct twin *twin)
{
	return twin->cached.lines.cache.n_entries;
}

/* A line of a hundred series, of any type, with any kind of value, sometimes damaged. */
static size_t
draw_line(char *line, size_t size)
{
	static const char *const type[] = {"c", "g", "ms", "h", "d", "s"};
	static const char *const value[] = {"1", "-2.5", "12345678", "0.001", "1e3", "nan", "1:2:3",
		"1::2", "123456789.125", "+7", "0x1p4", "x", "", ":", "inf:1", ".5", "5.", "-"};
	static const char *const rest[] = {"", "|@0.5", "|@0.1|#a:1,b:2", "|#b:2,a:1",
		"|#b:2,a:1,b:2", "|#host:x,a:1", "|T1700000000", "|@2", "|c:ci-1|#z", "||#q",
		"|#a:\xff\xfe", "|card:low|#dd.internal.card:high"};
	static const char *const name[] = {"hits", "a", "app.request.latency.of.the.longest.name",
		"n\xc3\xa9", "x y", "_sc.total", "_e{1,1}"};
	uint32_t series = draw(100);
	size_t n = (size_t)snprintf(line, size, "%s%s%u:%s|%s%s%s", name[series % 7],
		draw(50) == 0 ? "|" : "", series, value[draw(4) != 0 ? series % 4 : draw(18)],
		type[series % 6], rest[draw(8) != 0 ? series % 6 : draw(12)],
		draw(30) == 0 ? "\r" : "");

	if (draw(40) == 0)
		line[draw((uint32_t)n)] = (char)draw(256);
	if (draw(40) == 0)
		n = draw((uint32_t)n + 1);
	return n;
}

static void
draw_dgram(struct twin *twin)
{
	char payload[TWIN_PAYLOAD_MAX];
	size_t n = 0, n_lines = draw(40);
	struct dgram like = {
		.truncated = draw(20) == 0,
		.eol_required = draw(20) == 0,
		.origin = draw(10) == 0 ? draw(3) : 0,
	};

	for (size_t i = 0; i < n_lines && n + 200 < sizeof(payload); i++) {
		n += draw_line(payload + n, sizeof(payload) - n);
		if (i + 1 < n_lines || draw(2) == 0)
			payload[n++] = '\n';
	}
	twin_add(twin, span_of(payload, n), like);
}

static void
run_random_traffic(const struct line_passes *passes)
{
	struct twin *twin = twin_open(passes);

	for (int bucket = 0; bucket < 10; bucket++) {
		for (int i = 0; i < 300; i++)
			draw_dgram(twin);
		twin_compare(twin);
	}
	assert_true(cached_lines(twin) > 100);
	twin_close(twin);
}

static void
plain_passes_equal_the_reference(void **state)
{
	(void)state;
	run_random_traffic(&line_passes_plain);
}

static void
vector_passes_equal_the_reference(void **state)
{
	(void)state;
	if (line_passes_choose() != &line_passes_avx2)
		skip();
	run_random_traffic(&line_passes_avx2);
}

/* Sizes at which a part of a key begins or ends a vector, and beyond what is cached. */
static void
every_length_is_compared_to_its_end(void **state)
{
	static const uint32_t length[] = {1, 2, 31, 32, 33, 63, 64, 65, 95, 96, 97, 511, 512, 513,
		2046, 2047, 2048, 2049};

	(void)state;
	for (size_t n = 0; n < ARRAY_LENGTH(length); n++) {
		for (size_t r = 0; r < ARRAY_LENGTH(length); r++) {
			struct twin *twin = twin_open(NULL);
			char line[8192], other[8192];
			size_t size;

			memset(line, 'n', length[n]);
			size = length[n];
			memcpy(line + size, ":1|c|#", 6);
			size += 6;
			memset(line + size, 't', length[r]);
			size += length[r];
			memcpy(other, line, size);
			other[length[n] - 1] = 'm'; /* the name's last byte */
			for (int i = 0; i < 3; i++) {
				twin_add(twin, span_of(line, size), (struct dgram){0});
				twin_add(twin, span_of(other, size), (struct dgram){0});
			}
			memcpy(other, line, size);
			other[size - 1] = 'u'; /* the line's last byte */
			twin_add(twin, span_of(other, size), (struct dgram){0});
			twin_add(twin, span_of(other, size - 1), (struct dgram){0});
			twin_compare(twin);
			twin_close(twin);
		}
	}
}

static void
the_last_gauge_of_a_burst_wins(void **state)
{
	struct twin *twin = twin_open(NULL);

	(void)state;
	for (int i = 0; i < 3; i++)
		add_text(twin, "g:1|g|#a,b");
	add_text(twin, "g:5|g|#a,b\ng:6|g|#b,a"); /* known, then the same context by another line */
	twin_compare(twin);
	add_text(twin, "g:7|g|#b,a\ng:8|g|#a,b\ng:9:10|g|#a,b\ng:1e1|g|#a,b");
	twin_compare(twin);
	twin_close(twin);
}

static void
only_metrics_without_timestamp_come_in(void **state)
{
	struct twin *twin = twin_open(NULL);

	(void)state;
	add_text(twin, "m:1|c\nm:2|c");
	twin_compare(twin);
	assert_int_equal(cached_lines(twin), 1);
	add_text(twin, "t:1|c|T1700000000\nt:1|c|T1700000000\n_sc|a:1|0\n_sc|a:1|0\nx:y|c\nx:y|c");
	twin_compare(twin);
	assert_int_equal(cached_lines(twin), 1);
	twin_close(twin);
}

/* 16 MiB hold some 130,000 of these lines. */
static void
lines_that_come_once_leave_half_of_the_room(void **state)
{
	struct twin *twin = twin_open(NULL);
	const struct line_cache *cache = &twin->cached.lines.cache;
	uint32_t n_before;
	char line[128];

	(void)state;
	for (int i = 0; i < 200000; i++) {
		snprintf(line, sizeof(line), "flood.%d:1|c|#tag:%040d", i, i);
		add_text(twin, line);
	}
	twin_take(twin, NS_PER_MS);
	/* A tag of 16 bits is taken for another one now and then. */
	assert_in_range(cache->n_used, cache->n_segments / 2, cache->n_segments / 2 + 1);
	n_before = cached_lines(twin);
	for (int i = 0; i < 100; i++) {
		snprintf(line, sizeof(line), "hits.%d:1|c\nhits.%d:2|c", i, i);
		add_text(twin, line);
	}
	twin_compare(twin);
	assert_int_equal(cached_lines(twin), n_before + 100);
	twin_close(twin);
}

/* Contexts expire 20 s after their last sample and their slots get others; stale lines must not
 * reach them. */
static void
stale_lines_never_reach_another_context(void **state)
{
	struct twin *twin = twin_open(NULL);

	(void)state;
	for (int round = 0; round < 200; round++) {
		for (int i = 0; i < 30; i++) {
			uint32_t name = draw(150), value = draw(1000);
			char line[64];

			snprintf(line, sizeof(line), "m.%u:%u|%s", name, value,
				name % 2 == 0 ? "c" : "g");
			add_text(twin, line);
			if (draw(3) == 0)
				add_text(twin, line);
		}
		if (draw(2) == 0)
			twin_compare(twin);
		twin_take(twin, draw(12) * (uint64_t)NS_PER_S);
	}
	twin_compare(twin);
	assert_true(twin->cached.stats.counter[STAT_worker_contexts_expired] > 100);
	twin_close(twin);
}

/* What a flood leaves behind is given back when it is stale. */
static void
memory_comes_back_after_a_flood(void **state)
{
	struct twin *twin = twin_open(NULL);
	struct line_cache *cache = &twin->cached.lines.cache;
	char line[128];

	(void)state;
	for (int i = 0; i < 60000; i++) {
		snprintf(line, sizeof(line), "flood.%d:1|c|#tag:%040d", i, i);
		add_text(twin, line);
		add_text(twin, line);
	}
	twin_compare(twin);
	assert_true(cached_lines(twin) > 50000);
	twin->burst.time += 60 * (uint64_t)NS_PER_S;
	while (lines_sweep(&twin->cached.lines, twin->burst.time))
		;
	assert_int_equal(cached_lines(twin), 0);
	for (uint32_t i = 0; i < cache->n_segments; i++)
		assert_int_equal(cache->segments[i].used, 0);
	lines_sweep(&twin->cached.lines, twin->burst.time + 2 * (uint64_t)NS_PER_S);
	assert_true(cache->buckets.n < 60000 / 8);
	twin_close(twin);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_passes_equal_the_reference),
		cmocka_unit_test(vector_passes_equal_the_reference),
		cmocka_unit_test(every_length_is_compared_to_its_end),
		cmocka_unit_test(the_last_gauge_of_a_burst_wins),
		cmocka_unit_test(only_metrics_without_timestamp_come_in),
		cmocka_unit_test(lines_that_come_once_leave_half_of_the_room),
		cmocka_unit_test(stale_lines_never_reach_another_context),
		cmocka_unit_test(memory_comes_back_after_a_flood),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
