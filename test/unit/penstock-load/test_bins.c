/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "base/compiler.h"
#include "penstock-load/bins.h"

/* round_half_even(ln v / ln gamma) + 1338, computed with Python's math and decimal modules. */
static void
has_the_keys_of_the_formula(void **state)
{
	static const struct {
		double value;
		int32_t key;
	} cases[] = {{0, 0}, {1e-10, 0}, {1e-9, 1}, {0.001, 892}, {0.5, 1293}, {1, 1338},
		{1.5, 1364}, {2, 1383}, {3.14159, 1412}, {10, 1487}, {100, 1635}, {1000, 1784},
		{1e6, 2229}, {1e9, 2675}, {1e100, 16189}, {-1, -1338}, {-42, -1579},
		{1e300, 32767}};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LENGTH(cases); i++)
		assert_int_equal(bins_key(cases[i].value), cases[i].key);
}

static void
keeps_keys_ascending_and_adds_counts(void **state)
{
	static const int32_t keys[] = {5, -3, 9, 5, 0, -3, 5, 100, 1, 2, 3, 4, 6, 7, 8};
	struct bins bins = {0};
	uint64_t sum = 0;

	(void)state;
	for (unsigned i = 0; i < ARRAY_LENGTH(keys); i++)
		assert_int_equal(bins_add(&bins, keys[i], 2), 0);
	assert_int_equal(bins.n, 12);
	for (uint32_t i = 0; i < bins.n; i++) {
		assert_true(i == 0 || bins.bin[i - 1].key < bins.bin[i].key);
		sum += bins.bin[i].n;
	}
	assert_int_equal(sum, 2 * ARRAY_LENGTH(keys));
	assert_int_equal(bins.bin[0].key, -3);
	assert_int_equal(bins.bin[0].n, 4);
	bins_done(&bins);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_the_keys_of_the_formula),
		cmocka_unit_test(keeps_keys_ascending_and_adds_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
