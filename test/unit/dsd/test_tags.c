/* SPDX-License-Identifier: BSD-3-Clause */
/* Expected sets are by hand, from the rules in dsd/tags.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/utf8.h"
#include "dsd/tags.h"

#define RAW_MAX 65536
#define EXTRA_MAX 8

static const char *
joined(const struct tags *tags)
{
	static char text[1000];
	size_t size = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < tags->n; i++)
		size += (size_t)snprintf(text + size, sizeof(text) - size, "%s%.*s",
			i == 0 ? "" : ",", (int)tags->tag[i].size, (const char *)tags->tag[i].data);
	return text;
}

static const char *
canonical(struct tags *tags, const char *raw)
{
	tags_canonicalise(tags, span_from_string(raw), false, NULL, 0);
	return joined(tags);
}

static void
assert_span(struct span text, const char *expected)
{
	assert_true(span_equal(text, span_from_string(expected)));
}

static void
sorts_and_drops_empty_and_repeated_tags(void **state)
{
	struct tags *tags = *state;

	assert_string_equal(canonical(tags, ""), "");
	assert_string_equal(canonical(tags, ",,,"), "");
	assert_string_equal(canonical(tags, "b,a"), "a,b");
	assert_string_equal(canonical(tags, "b,,a,b,ab,a,"), "a,ab,b");
	assert_string_equal(canonical(tags, "a, a,A,a:,a:1"), " a,A,a,a:,a:1");
	assert_string_equal(canonical(tags, "\xc3\xa9,z,\x7f"), "z,\x7f,\xc3\xa9");
	tags_canonicalise(tags, (struct span){0}, false, NULL, 0);
	assert_int_equal(tags->n, 0);
}

static void
takes_special_tags_out(void **state)
{
	struct tags *tags = *state;

	assert_string_equal(canonical(tags,
				    "x,host:h1,dd.internal.entity_id:u1,dd.internal.card:low,"
				    "dd.internal.jmx_check_name:kafka,hostname:y"),
		"hostname:y,x");
	assert_true(tags->has_host);
	assert_span(tags->host, "h1");
	assert_span(tags->entity_id, "u1");
	assert_span(tags->cardinality, "low");
	assert_span(tags->jmx_check_name, "kafka");
	/* None of it stays for the next message. */
	assert_string_equal(canonical(tags, "x"), "x");
	assert_false(tags->has_host);
	assert_int_equal(tags->host.size, 0);
	assert_int_equal(tags->entity_id.size, 0);
	assert_int_equal(tags->cardinality.size, 0);
	assert_int_equal(tags->jmx_check_name.size, 0);
	/* Case and the colon matter. */
	assert_string_equal(canonical(tags, "Host:a,host,dd.internal.card"),
		"Host:a,dd.internal.card,host");
	assert_false(tags->has_host);
}

static void
lets_the_last_host_win(void **state)
{
	struct tags *tags = *state;

	assert_string_equal(canonical(tags, "host:a,x,host:b"), "x");
	assert_span(tags->host, "b");
	assert_string_equal(canonical(tags, "host:a,host:"), "");
	assert_true(tags->has_host);
	assert_int_equal(tags->host.size, 0);
}

static void
lets_the_first_cardinality_win(void **state)
{
	struct tags *tags = *state;

	assert_string_equal(canonical(tags, "dd.internal.card:b,dd.internal.card:a"),
		"dd.internal.card:a");
	assert_span(tags->cardinality, "b");
	assert_string_equal(canonical(tags, "dd.internal.card:,dd.internal.card:a"), "");
	assert_span(tags->cardinality, "a");
	tags_canonicalise(tags, SPAN_LITERAL("dd.internal.card:b,a"), true, NULL, 0);
	assert_string_equal(joined(tags), "a,dd.internal.card:b");
	assert_int_equal(tags->cardinality.size, 0);
}

static void
merges_extra_tags_without_reading_them(void **state)
{
	static const struct span extra[] = {SPAN_LITERAL("env:prod"), SPAN_LITERAL("host:kept"),
		SPAN_LITERAL("b"), SPAN_LITERAL(""), SPAN_LITERAL("env:prod")};
	struct tags *tags = *state;

	tags_canonicalise(tags, SPAN_LITERAL("z,b,a"), false, extra, ARRAY_LENGTH(extra));
	assert_string_equal(joined(tags), "a,b,env:prod,host:kept,z");
	assert_false(tags->has_host);
}

static void
repairs_before_it_compares(void **state)
{
	struct tags *tags = *state;

	assert_string_equal(canonical(tags, "a\xff,a\xfe,a\xef\xbf\xbd,b\xc3\x28"),
		"a\xef\xbf\xbd,b\xef\xbf\xbd\x28");
	assert_string_equal(canonical(tags, "host:h\x80,\xe2\x82,\xac"), "\xef\xbf\xbd");
	assert_span(tags->host, "h\xef\xbf\xbd");
	assert_true(tags->scratch_used <= tags->scratch_size);
}

static void
has_room_when_every_byte_is_bad(void **state)
{
	static uint8_t raw[RAW_MAX];
	struct tags *tags = *state;

	memset(raw, 0xff, sizeof(raw));
	tags_canonicalise(tags, span_of(raw, sizeof(raw)), false, NULL, 0);
	assert_int_equal(tags->n, 1);
	assert_int_equal(tags->tag[0].size, 3 * sizeof(raw));
	for (size_t i = 1; i < sizeof(raw); i += 2)
		raw[i] = ',';
	tags_canonicalise(tags, span_of(raw, sizeof(raw)), false, NULL, 0);
	assert_int_equal(tags->n, 1);
	assert_span(tags->tag[0], "\xef\xbf\xbd");
}

/* Fills raw with as many tags of 4 letters as fit; letter order from step. Returns its size. */
static size_t
write_many(char *raw, size_t size, uint32_t start, uint32_t step)
{
	size_t used = 0;

	for (uint32_t n = start; used + 5 <= size; n += step, used += 5) {
		raw[used] = (char)('a' + n / (26 * 26 * 26) % 26);
		raw[used + 1] = (char)('a' + n / (26 * 26) % 26);
		raw[used + 2] = (char)('a' + n / 26 % 26);
		raw[used + 3] = (char)('a' + n % 26);
		raw[used + 4] = ',';
	}
	return used;
}

static void
sorts_many_tags_in_any_order(void **state)
{
	static const struct {
		uint32_t start, step;
	} order[] = {{0, 1}, {400000, UINT32_MAX}, {7, 104729}};
	static char raw[RAW_MAX];
	struct tags *tags = *state;

	for (size_t i = 0; i < ARRAY_LENGTH(order); i++) {
		size_t size = write_many(raw, sizeof(raw), order[i].start, order[i].step);

		tags_canonicalise(tags, span_of(raw, size), false, NULL, 0);
		assert_int_equal(tags->n, size / 5);
		for (uint32_t n = 1; n < tags->n; n++)
			assert_true(span_compare(tags->tag[n - 1], tags->tag[n]) < 0);
	}
}

static void
holds_the_most_tags_that_fit(void **state)
{
	static const struct span extra = SPAN_LITERAL("extra");
	static char raw[RAW_MAX];
	struct tags *tags = *state;

	for (size_t i = 0; i < sizeof(raw); i++)
		raw[i] = i % 2 == 0 ? (char)('a' + i / 2 % 26) : ',';
	tags_canonicalise(tags, span_of(raw, sizeof(raw)), false, &extra, 1);
	assert_string_equal(joined(tags),
		"a,b,c,d,e,extra,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,y,z");
}

static int
set_up(void **state)
{
	*state = calloc(1, sizeof(struct tags));
	return *state != NULL ? tags_init(*state, RAW_MAX, EXTRA_MAX) : -1;
}

static int
tear_down(void **state)
{
	tags_done(*state);
	tags_done(NULL);
	free(*state);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorts_and_drops_empty_and_repeated_tags),
		cmocka_unit_test(takes_special_tags_out),
		cmocka_unit_test(lets_the_last_host_win),
		cmocka_unit_test(lets_the_first_cardinality_win),
		cmocka_unit_test(merges_extra_tags_without_reading_them),
		cmocka_unit_test(repairs_before_it_compares),
		cmocka_unit_test(has_room_when_every_byte_is_bad),
		cmocka_unit_test(sorts_many_tags_in_any_order),
		cmocka_unit_test(holds_the_most_tags_that_fit),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
