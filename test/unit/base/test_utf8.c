/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/utf8.h"

#define SPAN(text) \
	{ \
		(const uint8_t *)(text), sizeof(text) - 1 \
	}

static const struct {
	struct span text, repaired;
} cases[] = {
#include "utf8_cases.h"
};

/* In memory of exactly its size, so that a sanitizer sees a read past the end. */
static void
check_case(struct span text, struct span repaired)
{
	uint8_t *copy = malloc(text.size + 1);
	uint8_t *out = malloc(3 * text.size + 1);
	struct span exact;
	size_t size;

	exact = span_of(memcpy(copy + 1, text.data, text.size), text.size);
	size = utf8_repair(exact, out);
	assert_int_equal(size, repaired.size);
	assert_memory_equal(out, repaired.data, size);
	assert_int_equal(utf8_is_valid(exact), span_equal(text, repaired));
	assert_true(utf8_is_valid(span_of(out, size)));
	free(out);
	free(copy);
}

static void
replaces_as_python_does(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
		check_case(cases[i].text, cases[i].repaired);
}

static void
grows_threefold_at_most(void **state)
{
	uint8_t bad[1000], out[3000];

	(void)state;
	memset(bad, 0xff, sizeof(bad));
	assert_int_equal(utf8_repair(span_of(bad, sizeof(bad)), out), sizeof(out));
	assert_memory_equal(out + 2997, "\xef\xbf\xbd", 3);
}

static void
takes_an_empty_span_without_data(void **state)
{
	uint8_t out[1];

	(void)state;
	assert_true(utf8_is_valid((struct span){0}));
	assert_int_equal(utf8_repair((struct span){0}, out), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replaces_as_python_does),
		cmocka_unit_test(grows_threefold_at_most),
		cmocka_unit_test(takes_an_empty_span_without_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
