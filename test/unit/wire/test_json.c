/* SPDX-License-Identifier: BSD-3-Clause */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/compiler.h"
#include "wire/json.h"

static void
assert_text(struct json *json, const char *expected)
{
	assert_false(json->failed);
	assert_int_equal(json->size, strlen(expected));
	assert_memory_equal(json->text, expected, json->size);
	json_reset(json);
}

static void
places_commas_and_brackets(void **state)
{
	struct json json = {0};

	json_object_begin(&json);
	json_key(&json, "empty");
	json_object_begin(&json);
	json_object_end(&json);
	json_key(&json, "list");
	json_array_begin(&json);
	json_uint(&json, 1);
	json_array_begin(&json);
	json_array_end(&json);
	json_text(&json, "two");
	json_array_end(&json);
	json_key(&json, "yes");
	json_bool(&json, true);
	json_key(&json, "no");
	json_bool(&json, false);
	json_object_end(&json);
	assert_text(&json, "{\"empty\":{},\"list\":[1,[],\"two\"],\"yes\":true,\"no\":false}");
	json_done(&json);
}

static void
starts_anew_after_a_newline(void **state)
{
	struct json json = {0};

	for (int i = 0; i < 2; i++) {
		json_object_begin(&json);
		json_object_end(&json);
		json_newline(&json);
	}
	assert_text(&json, "{}\n{}\n");
	json_done(&json);
}

/* RFC 8259 section 7. */
static void
escapes_quotes_backslashes_and_controls(void **state)
{
	struct json json = {0};

	json_span(&json, SPAN_LITERAL("a\"b\\c/d\b\t\n\f\r\x01\x1f\x7f\xc3\xa9\0."));
	assert_text(&json, "\"a\\\"b\\\\c/d\\b\\t\\n\\f\\r\\u0001\\u001f\x7f\xc3\xa9\\u0000.\"");
	json_key(&json, "k\"");
	assert_text(&json, "\"k\\\"\":");
	json_span(&json, (struct span){0});
	assert_text(&json, "\"\"");
	json_joined(&json, (struct span[]){SPAN_LITERAL("a\n"), {0}, SPAN_LITERAL("b")}, 3);
	assert_text(&json, "\"a\\nb\"");
	json_done(&json);
}

static void
shows_any_bytes_in_ascii(void **state)
{
	struct json json = {0};

	json_escaped_bytes(&json, SPAN_LITERAL("a b\"\\\n\0\x7f\xff~"));
	assert_text(&json, "\"a b\\\"\\\\\\\\x0a\\\\x00\\\\x7f\\\\xff~\"");
	json_done(&json);
}

static void
writes_integers_to_their_limits(void **state)
{
	struct json json = {0};

	json_uint(&json, 0);
	json_uint(&json, UINT64_MAX);
	json_int(&json, INT64_MIN);
	json_int(&json, INT64_MAX);
	json_int(&json, -1);
	assert_text(&json, "0,18446744073709551615,-9223372036854775808,9223372036854775807,-1");
	json_done(&json);
}

/* Texts by Python's % operator, the first of 15, 16 and 17 digits that float() reads back. */
static const struct {
	double value;
	const char *text;
} known_doubles[] = {
	{0x0.0p+0, "0"},
	{-0x0.0p+0, "-0"},
	{0x1.0000000000000p+0, "1"},
	{-0x1.0000000000000p+0, "-1"},
	{0x1.999999999999ap-4, "0.1"},
	{0x1.3333333333333p-2, "0.3"},
	{0x1.5555555555555p-2, "0.3333333333333333"},
	{0x1.5555555555555p-1, "0.6666666666666666"},
	{0x1.c6bf526340000p+49, "1e+15"},
	{0x1.c6bf52633fff8p+49, "999999999999999"},
	{0x1.1c37937e08000p+53, "1e+16"},
	{0x1.b69b4ba630f35p+56, "1.2345678901234568e+17"},
	{0x1.b1ae4d6e2ef50p+69, "1e+21"},
	{0x1.0f0cf064dd592p+73, "1e+22"},
	{0x0.0000000000001p-1022, "4.94065645841247e-324"},
	{0x1.0000000000000p-1022, "2.2250738585072014e-308"},
	{0x1.fffffffffffffp+1023, "1.7976931348623157e+308"},
	{-0x1.fffffffffffffp+1023, "-1.7976931348623157e+308"},
	{0x1.3333333333334p-2, "0.30000000000000004"},
	{0x1.4f8b588e368f1p-17, "1e-05"},
	{0x1.a36e2eb1c432dp-14, "0.0001"},
	{0x1.02c9dedbc309dp-13, "0.0001234"},
	{0x1.9200000000000p+6, "100.5"},
	{0x1.1666666666666p+2, "4.35"},
	{0x1.0000000000000p+53, "9007199254740992"},
	{0x1.8000000000001p+1, "3.0000000000000004"},
	{-0x1.12e0be826d695p-32, "-2.5e-10"},
};

static void
check_known_doubles(void)
{
	struct json json = {0};

	for (size_t i = 0; i < ARRAY_LENGTH(known_doubles); i++) {
		json_double(&json, known_doubles[i].value);
		assert_text(&json, known_doubles[i].text);
	}
	json_done(&json);
}

static void
writes_doubles_that_read_back(void **state)
{
	check_known_doubles();
}

static void
writes_a_point_in_a_locale_with_a_comma(void **state)
{
	static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ps_AF"};

	for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
		if (setlocale(LC_NUMERIC, names[i]) == NULL)
			continue;
		check_known_doubles();
		setlocale(LC_NUMERIC, "C");
		return;
	}
	skip(); /* no such locale on this machine */
}

static void
is_read_back_by_another_implementation(void **state)
{
	struct json json = {0};
	uint64_t random = 42;

	for (int round = 0; round < 2000; round++) {
		char text[40];
		size_t size = (size_t)round % sizeof(text);
		double value;
		json_t *read;

		for (size_t i = 0; i < size; i++) {
			random = random * UINT64_C(6364136223846793005) + 1;
			text[i] = (char)(random >> 57); /* ASCII is valid UTF-8 */
		}
		random = random * UINT64_C(6364136223846793005) + 1;
		value = (double)(int64_t)random / (double)((random >> 40) + 1);
		json_array_begin(&json);
		json_span(&json, span_of(text, size));
		json_double(&json, value);
		json_array_end(&json);
		read = json_loadb(json.text, json.size, JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL,
			NULL);
		assert_non_null(read);
		assert_int_equal(json_string_length(json_array_get(read, 0)), size);
		assert_memory_equal(json_string_value(json_array_get(read, 0)), text, size);
		assert_true(json_real_value(json_array_get(read, 1)) == value);
		json_decref(read);
		json_reset(&json);
	}
	json_done(&json);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_commas_and_brackets),
		cmocka_unit_test(starts_anew_after_a_newline),
		cmocka_unit_test(escapes_quotes_backslashes_and_controls),
		cmocka_unit_test(shows_any_bytes_in_ascii),
		cmocka_unit_test(writes_integers_to_their_limits),
		cmocka_unit_test(writes_doubles_that_read_back),
		cmocka_unit_test(writes_a_point_in_a_locale_with_a_comma),
		cmocka_unit_test(is_read_back_by_another_implementation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
