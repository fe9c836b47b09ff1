/* SPDX-License-Identifier: BSD-3-Clause */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "dsd/number.h"

#define SPAN(text) \
	{ \
		(const uint8_t *)(text), sizeof(text) - 1 \
	}

/* The text is head, then n_fill times fill, then tail. */
struct float_case {
	struct span head, fill;
	size_t n_fill;
	struct span tail;
	bool ok;
	uint64_t bits;
};

struct int_case {
	struct span text;
	bool ok;
	uint64_t value;
};

#include "number_cases.h"

/* In memory of exactly its size, so that a sanitizer sees a read past the end. */
static struct span
case_text(const struct float_case *c)
{
	size_t size = c->head.size + c->n_fill * c->fill.size + c->tail.size;
	uint8_t *text = malloc(size != 0 ? size : 1);
	uint8_t *out = text;

	memcpy(out, c->head.data, c->head.size);
	out += c->head.size;
	for (size_t i = 0; i < c->n_fill; i++, out += c->fill.size)
		memcpy(out, c->fill.data, c->fill.size);
	memcpy(out, c->tail.data, c->tail.size);
	return span_of(text, size);
}

static void
check_floats(void)
{
	for (size_t i = 0; i < ARRAY_LENGTH(float_cases); i++) {
		const struct float_case *c = &float_cases[i];
		struct span text = case_text(c);
		double value = 12345;
		uint64_t bits;
		bool ok = number_parse(text, &value);

		memcpy(&bits, &value, sizeof(bits));
		if (ok != c->ok)
			fail_msg("\"%.*s\": %d", (int)text.size, (const char *)text.data, ok);
		else if (!ok)
			assert_true(value == 12345);
		else if (!(isnan(value) && c->bits << 1 > UINT64_C(0x7ff) << 53) && bits != c->bits)
			fail_msg("\"%.*s\": %a", (int)text.size, (const char *)text.data, value);
		free((void *)(uintptr_t)text.data);
	}
}

static void
reads_floats_as_go_does(void **state)
{
	(void)state;
	check_floats();
}

static void
reads_floats_alike_in_a_locale_with_a_comma(void **state)
{
	static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
	bool found = false;

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(names) && !found; i++)
		found = setlocale(LC_ALL, names[i]) != NULL;
	if (!found)
		skip();
	check_floats();
	setlocale(LC_ALL, "C");
}

static void
reads_integers_as_go_does(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(int_cases); i++) {
		const struct int_case *c = &int_cases[i];
		int64_t value = 12345;

		if (number_parse_int(c->text, &value) != c->ok)
			fail_msg("\"%s\"", (const char *)c->text.data);
		assert_int_equal(value, c->ok ? (int64_t)c->value : 12345);
	}
}

static void
takes_an_empty_span_without_data(void **state)
{
	double value;
	int64_t integer;

	(void)state;
	assert_false(number_parse((struct span){0}, &value));
	assert_false(number_parse_int((struct span){0}, &integer));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_floats_as_go_does),
		cmocka_unit_test(reads_floats_alike_in_a_locale_with_a_comma),
		cmocka_unit_test(reads_integers_as_go_does),
		cmocka_unit_test(takes_an_empty_span_without_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
