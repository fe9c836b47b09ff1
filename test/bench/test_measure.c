/* SPDX-License-Identifier: BSD-3-Clause */
/* Expected values are worked by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "measure.h"

static void
the_median_of_an_odd_count_is_the_middle(void **state)
{
	double one[] = {7}, five[] = {9, 1, 5, 3, 200};

	assert_float_equal(measure_median(one, 1), 7, 0);
	assert_float_equal(measure_median(five, 5), 5, 0);
}

static void
the_median_of_an_even_count_is_between_the_middle_two(void **state)
{
	double two[] = {4, 1}, six[] = {6, 1, 100, 2, 4, -8};

	assert_float_equal(measure_median(two, 2), 2.5, 0);
	assert_float_equal(measure_median(six, 6), 3, 0);
}

static void
assert_interval(const double *values, unsigned n, double low, double high)
{
	double got_low, got_high;

	measure_interval(values, n, 1, &got_low, &got_high);
	assert_float_equal(got_low, low, 0);
	assert_float_equal(got_high, high, 0);
}

static void
equal_values_have_no_interval(void **state)
{
	const double one[] = {3}, four[] = {1.25, 1.25, 1.25, 1.25};

	assert_interval(one, 1, 3, 3);
	assert_interval(four, 4, 1.25, 1.25);
}

/* Both draws are the lower value in a quarter of all resamples, and the higher in another. */
static void
two_values_are_their_own_interval(void **state)
{
	const double two[] = {3, 1};

	assert_interval(two, 2, 1, 3);
}

/*
 * Of ten values, k are 2 and the others 1. The resample has K twos, K of the binomial distribution
 * (10, k / 10); its median is 1 below K = 5, 1.5 at K = 5, and 2 above.
 *
 *   k   P(K >= 5)   P(K >= 6)   so the value that 2.5 % reach
 *   1   0.0016      0.0001      1
 *   2   0.0328      0.0064      1.5
 *   3   0.1503      0.0473      2
 */
static void
the_interval_follows_the_binomial_distribution(void **state)
{
	const double one[] = {1, 1, 1, 1, 2, 1, 1, 1, 1, 1};
	const double two[] = {1, 2, 1, 1, 2, 1, 1, 1, 1, 1};
	const double three[] = {1, 2, 1, 1, 2, 1, 1, 1, 1, 2};

	assert_interval(one, 10, 1, 1);
	assert_interval(two, 10, 1, 1.5);
	assert_interval(three, 10, 1, 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_median_of_an_odd_count_is_the_middle),
		cmocka_unit_test(the_median_of_an_even_count_is_between_the_middle_two),
		cmocka_unit_test(equal_values_have_no_interval),
		cmocka_unit_test(two_values_are_their_own_interval),
		cmocka_unit_test(the_interval_follows_the_binomial_distribution),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
