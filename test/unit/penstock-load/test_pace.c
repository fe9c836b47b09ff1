/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "penstock-load/pace.h"

#define MS UINT64_C(1000000) /* ns */

static void
spaces_lines_by_the_rate(void **state)
{
	const struct pace pace = {.rate = 1000};

	(void)state;
	assert_int_equal(pace_due(&pace, 0), 0);
	assert_int_equal(pace_due(&pace, 1), MS);
	assert_int_equal(pace_due(&pace, 3600000), 3600000 * MS);
	assert_int_equal(pace_lines_left(&pace, 5), UINT64_MAX);
}

static void
starts_bursts_at_their_gap(void **state)
{
	const struct pace pace = {.burst = 100, .gap = 500 * MS};

	(void)state;
	assert_int_equal(pace_due(&pace, 99), 0);
	assert_int_equal(pace_due(&pace, 100), 500 * MS);
	assert_int_equal(pace_due(&pace, 250), 1000 * MS);
	assert_int_equal(pace_lines_left(&pace, 0), 100);
	assert_int_equal(pace_lines_left(&pace, 199), 1);
	assert_int_equal(pace_lines_left(&pace, 200), 100);
}

static void
keeps_the_rate_within_a_burst(void **state)
{
	const struct pace pace = {.rate = 1000, .burst = 100, .gap = 500 * MS};

	(void)state;
	assert_int_equal(pace_due(&pace, 99), 99 * MS);
	assert_int_equal(pace_due(&pace, 101), 501 * MS);
}

static void
asks_for_everything_at_once_without_a_rate(void **state)
{
	const struct pace pace = {0};

	(void)state;
	assert_int_equal(pace_due(&pace, UINT64_MAX), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spaces_lines_by_the_rate),
		cmocka_unit_test(starts_bursts_at_their_gap),
		cmocka_unit_test(keeps_the_rate_within_a_burst),
		cmocka_unit_test(asks_for_everything_at_once_without_a_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
