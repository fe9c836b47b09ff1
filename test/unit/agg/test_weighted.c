/* SPDX-License-Identifier: BSD-3-Clause */
/* Expected values worked by hand from the Agent's rules: median is the first sorted value whose
 * running weight exceeds (N-1)/2, percentile p the first whose running weight exceeds (p*N-1)/100.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "agg/weighted.h"

static void
rate_scales_count_and_sum_but_not_the_mean(void **state)
{
	/* t:61|ms|@0.1 */
	struct weighted_sample one[] = {{61, 10}};
	struct weighted_summary s;

	(void)state;
	weighted_summarise(one, 1, &s);
	assert_true(s.count == 10);
	assert_true(s.sum == 610);
	assert_true(s.avg == 61);
	assert_true(s.median == 61);
}

static void
mean_is_weighted(void **state)
{
	/* t:30|ms|@0.5 and t:60|ms|@0.2: weights 2 and 5, 360/7 = 51.428571428571431 */
	struct weighted_sample two[] = {{60, 5}, {30, 2}};
	struct weighted_summary s;

	(void)state;
	weighted_summarise(two, 2, &s);
	assert_true(s.count == 7);
	assert_true(s.avg == 360.0 / 7);
	assert_true(s.min == 30);
	assert_true(s.max == 60);
	assert_true(s.median == 60); /* running 2, 7; limit 3 */
}

static void
percentiles_follow_the_running_weight(void **state)
{
	struct weighted_sample samples[20];
	struct weighted_summary s;

	(void)state;
	for (int i = 0; i < 20; i++)
		samples[i] = (struct weighted_sample){20 - i, 1};
	weighted_summarise(samples, 20, &s);
	assert_true(s.median == 10); /* limit 9.5: the tenth */
	/* (95*20-1)/100 = 18.99: the nineteenth */
	assert_true(weighted_percentile(samples, 20, s.count, 95) == 19);
	/* 19.99: the twentieth */
	assert_true(weighted_percentile(samples, 20, s.count, 100) == 20);
	/* -0.01: the first */
	assert_true(weighted_percentile(samples, 20, s.count, 0) == 1);
}

static void
sum_does_not_lose_small_values_beside_large(void **state)
{
	struct weighted_sample samples[] = {{1e16, 1}, {1, 1}, {-1e16, 1}};
	struct weighted_summary s;

	(void)state;
	weighted_summarise(samples, 3, &s);
	assert_true(s.sum == 1);
}

static void
lists_keep_every_sample(void **state)
{
	struct weighted_piece *a = NULL, *b = NULL;
	struct weighted_sample out[2000];
	struct weighted_summary summary;
	struct arena arena;

	(void)state;
	arena_init(&arena, NULL);
	for (int i = 0; i < 1500; i++)
		assert_int_equal(weighted_add(&a, &arena, i, 1), 0);
	for (int i = 1500; i < 2000; i++)
		assert_int_equal(weighted_add(&b, &arena, i, 1), 0);
	weighted_join(&a, b);
	weighted_join(&a, NULL);
	assert_int_equal(weighted_count(a), 2000);
	weighted_copy(a, out);
	weighted_summarise(out, 2000, &summary); /* sorts */
	for (int i = 0; i < 2000; i++)
		assert_true(out[i].value == i);
	arena_reset(&arena);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rate_scales_count_and_sum_but_not_the_mean),
		cmocka_unit_test(mean_is_weighted),
		cmocka_unit_test(percentiles_follow_the_running_weight),
		cmocka_unit_test(sum_does_not_lose_small_values_beside_large),
		cmocka_unit_test(lists_keep_every_sample),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
