/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "dsd/text.h"

static void
check_text(struct span raw, struct span kept)
{
	uint8_t out[64];
	size_t size = text_unescape(raw, out);

	assert_true(span_equal(span_of(out, size), kept));
}

static void
makes_backslash_n_a_line_feed(void **state)
{
	(void)state;
	check_text(SPAN_LITERAL(""), SPAN_LITERAL(""));
	check_text(SPAN_LITERAL("plain"), SPAN_LITERAL("plain"));
	check_text(SPAN_LITERAL("a\\nb\\n"), SPAN_LITERAL("a\nb\n"));
	check_text(SPAN_LITERAL("\\n\\n"), SPAN_LITERAL("\n\n"));
	/* Nothing else is an escape; the search goes from left to right, as Go's bytes.Replace. */
	check_text(SPAN_LITERAL("\\\\n"), SPAN_LITERAL("\\\n"));
	check_text(SPAN_LITERAL("\\t\\N\\"), SPAN_LITERAL("\\t\\N\\"));
}

static void
replaces_what_is_not_utf8(void **state)
{
	(void)state;
	check_text(SPAN_LITERAL("\xff\\n\xc3"), SPAN_LITERAL("\xef\xbf\xbd\n\xef\xbf\xbd"));
	check_text(SPAN_LITERAL("\xe2\x82\\n"), SPAN_LITERAL("\xef\xbf\xbd\n"));
	check_text(SPAN_LITERAL("\\\xffn"), SPAN_LITERAL("\\\xef\xbf\xbdn"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(makes_backslash_n_a_line_feed),
		cmocka_unit_test(replaces_what_is_not_utf8),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
