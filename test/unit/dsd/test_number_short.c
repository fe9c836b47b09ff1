/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "dsd/number.h"
#include "dsd/number_short.h"

/* The text, and behind it bytes that must not matter. */
static bool
parse(const char *text, double *ret_value)
{
	uint8_t padded[64];

	memset(padded, '7', sizeof(padded));
	memcpy(padded, text, strlen(text));
	return number_short(padded, strlen(text), ret_value);
}

static void
reads_digits_sign_and_dot(void **state)
{
	static const struct {
		const char *text;
		double value;
	} row[] = {
		{"0", 0},
		{"7", 7},
		{"12345678", 12345678},
		{"007", 7},
		{"-1", -1},
		{"-1234567", -1234567},
		{"1.5", 1.5},
		{".5", .5},
		{"5.", 5},
		{"-.5", -.5},
		{"-5.", -5},
		{"0.000001", 0.000001},
		{"1234.567", 1234.567},
		{"-12.3456", -12.3456},
		{"99999.99", 99999.99},
		{"1.000000", 1},
	};
	double value;

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(row); i++) {
		assert_true(parse(row[i].text, &value));
		assert_true(value == row[i].value);
	}
	assert_true(parse("-0", &value));
	assert_true(value == 0 && __builtin_signbit(value));
}

static void
leaves_everything_else(void **state)
{
	static const char *const text[] = {"", "-", ".", "-.", "1.2.3", "1-2", "--1", "+1", "1e3",
		"nan", "inf", "0x1", "1_0", "1:2", "1234567890123456", "12345678901234567",
		"1234567890.1234567", "123456789e1", "12345678:", "1 ", " 1", "a", "/", ":",
		"\xb5"};
	double value;

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(text); i++)
		assert_false(parse(text[i], &value));
}

/* Random texts of an alphabet that holds all that matters: where this parser reads a number, the
 * exact one reads the same bits. */
static void
agrees_with_the_exact_parser(void **state)
{
	static const char alphabet[] = "0159.-+e:";
	uint64_t random = 88172645463325252u, n_read = 0;

	(void)state;
	for (uint32_t i = 0; i < 2000000; i++) {
		char text[18] = "";
		uint32_t size, rest;
		double ours, exact;

		random ^= random << 13, random ^= random >> 7, random ^= random << 17;
		size = 1 + random % 17;
		/* Mostly digits, so that many of the long ones are numbers. */
		for (uint32_t c = 0; c < size; c++) {
			random ^= random << 13, random ^= random >> 7, random ^= random << 17;
			rest = (uint32_t)(random >> 32);
			text[c] = rest % 8 != 0 ? alphabet[rest / 8 % 4] : alphabet[rest / 8 % 9];
		}
		if (!parse(text, &ours))
			continue;
		n_read++;
		assert_true(number_parse(span_from_string(text), &exact));
		assert_memory_equal(&ours, &exact, sizeof(ours));
	}
	assert_true(n_read > 100000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_digits_sign_and_dot),
		cmocka_unit_test(leaves_everything_else),
		cmocka_unit_test(agrees_with_the_exact_parser),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
