/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "sketch/ddsketch.h"

struct expected {
	uint64_t count;
	uint32_t n_bins;
	uint64_t digest;
	double min, max, sum, avg;
};

#include "ddsketch_expected.h"

/* The formulas of ddsketch_model.py. */
static uint64_t
random53(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 11;
}

static double
request_times(uint64_t r, uint64_t *ret_weight)
{
	*ret_weight = 1;
	return (double)(r % 100000) / 8;
}

static double
weighted(uint64_t r, uint64_t *ret_weight)
{
	static const uint64_t weights[] = {1, 1, 3, 10, 70000, 131070};

	*ret_weight = weights[(r >> 20) % 6];
	return (double)(r % 1000) / 4;
}

static double
mixed(uint64_t r, uint64_t *ret_weight)
{
	*ret_weight = 1;
	return ((double)(r % 2001) - 1000) / 16;
}

static double
zeros(uint64_t r, uint64_t *ret_weight)
{
	*ret_weight = 1;
	return 0;
}

static double
negatives(uint64_t r, uint64_t *ret_weight)
{
	*ret_weight = 1 + r % 3;
	return -(double)(r % 5000 + 1) / 2;
}

static double
wide(uint64_t r, uint64_t *ret_weight)
{
	double magnitude = ldexp(1 + (double)(r % 4096) / 4096, (int)((r >> 20) % 1400) - 700);

	*ret_weight = 1;
	return ((r >> 40) & 1) != 0 ? -magnitude : magnitude;
}

static double
overflow(uint64_t r, uint64_t *ret_weight)
{
	*ret_weight = 40000 + r % 1000;
	return ldexp(1 + (double)(r % 4096) / 4096, (int)((r >> 20) % 700));
}

static double
outliers(uint64_t r, uint64_t *ret_weight)
{
	*ret_weight = 1;
	return ldexp((double)(r % 1000 + 1), (r >> 30) % 500 == 0 ? (int)((r >> 20) % 40) : 0);
}

static double
heavy(uint64_t r, uint64_t *ret_weight)
{
	*ret_weight = (r >> 20) % 2 != 0 ? 90000 + r % 7 : 1;
	return (double)(r % 1000) / 2;
}

static const struct {
	double (*formula)(uint64_t r, uint64_t *ret_weight);
	uint32_t n;
} fillings[] = {
	{zeros, 0},
	{zeros, 700},
	{negatives, 900},
	{request_times, 3000},
	{weighted, 400},
	{mixed, 2000},
	{wide, 30000},
	{overflow, 6000},
	{outliers, 4000},
	{heavy, 4000},
};

static struct ddsketch
filled(size_t which, struct arena *arena)
{
	struct ddsketch sketch = {0};
	uint64_t state = fillings[which].n, weight;

	for (uint32_t i = 0; i < fillings[which].n; i++) {
		double value = fillings[which].formula(random53(&state), &weight);

		assert_int_equal(ddsketch_insert(&sketch, arena, value, weight), 0);
	}
	assert_int_equal(ddsketch_settle(&sketch, arena), 0);
	return sketch;
}

static uint64_t
fnv1a(uint64_t hash, int32_t word)
{
	for (int i = 0; i < 4; i++)
		hash = (hash ^ (((uint32_t)word >> (8 * i)) & 0xff)) * UINT64_C(0x100000001b3);
	return hash;
}

static void
check(const struct ddsketch *sketch, const struct expected *expected)
{
	uint64_t digest = UINT64_C(0xcbf29ce484222325), sum = 0;

	for (uint32_t i = 0; i < sketch->n_bins; i++) {
		digest = fnv1a(fnv1a(digest, sketch->bins[i].key), sketch->bins[i].n);
		sum += sketch->bins[i].n;
		if (i > 0)
			assert_true(sketch->bins[i - 1].key <= sketch->bins[i].key);
	}
	assert_int_equal(sum, sketch->count);
	assert_int_equal(sketch->count, expected->count);
	assert_int_equal(sketch->n_bins, expected->n_bins);
	assert_int_equal(digest, expected->digest);
	assert_true(sketch->min == expected->min && sketch->max == expected->max);
	assert_true(sketch->sum == expected->sum && sketch->avg == expected->avg);
}

/* Computed with Python's math.log and round. */
static void
keys_are_those_of_the_agent(void **state)
{
	static const struct {
		double value;
		int key;
	} known[] = {
		{1e-9, 1},
		{0.001, 892},
		{0.5, 1293},
		{1, 1338},
		{1.5, 1364},
		{2, 1383},
		{3.14159, 1412},
		{10, 1487},
		{100, 1635},
		{1000, 1784},
		{1e6, 2229},
		{1e9, 2675},
		{1e100, 16189},
		{-1, -1338},
		{-42, -1579},
		{0, 0},
		{-0.0, 0},
		{9.9418e-10, 0}, /* gamma^-1337 is 9.94185e-10 */
		{-9.9418e-10, 0},
		{9.942e-10, 1},
		{5e-324, 0},
		{4e211, 32764},
		{1.7976931348623157e308, 32767},
		{-1.7976931348623157e308, -32767},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(known); i++)
		assert_int_equal(ddsketch_key(known[i].value), known[i].key);
}

static void
bins_and_summary_are_those_of_the_model(void **state)
{
	struct arena arena;

	arena_init(&arena, NULL);
	for (size_t i = 0; i < ARRAY_LENGTH(fillings); i++) {
		struct ddsketch sketch = filled(i, &arena);

		check(&sketch, &expected_filled[i]);
	}
	arena_reset(&arena);
}

static void
merges_every_pair_as_the_model(void **state)
{
	struct arena arena;

	arena_init(&arena, NULL);
	for (size_t i = 0; i < ARRAY_LENGTH(fillings) * ARRAY_LENGTH(fillings); i++) {
		struct ddsketch into = filled(i / ARRAY_LENGTH(fillings), &arena);
		struct ddsketch other = filled(i % ARRAY_LENGTH(fillings), &arena);

		assert_int_equal(ddsketch_merge(&into, &arena, &other), 0);
		check(&into, &expected_merged[i]);
		check(&other, &expected_filled[i % ARRAY_LENGTH(fillings)]);
		arena_reset(&arena);
	}
}

static void
merges_with_itself_as_with_a_copy(void **state)
{
	struct arena arena;

	arena_init(&arena, NULL);
	for (size_t i = 0; i < ARRAY_LENGTH(fillings); i++) {
		struct ddsketch sketch = filled(i, &arena);

		assert_int_equal(ddsketch_merge(&sketch, &arena, &sketch), 0);
		check(&sketch, &expected_merged[i * ARRAY_LENGTH(fillings) + i]);
	}
	arena_reset(&arena);
}

static void
splits_a_count_into_the_remainder_and_full_bins(void **state)
{
	struct ddsketch sketch = {0};
	struct arena arena;

	arena_init(&arena, NULL);
	assert_int_equal(ddsketch_insert(&sketch, &arena, 1, 2 * 65535 + 7), 0);
	assert_int_equal(sketch.n_bins, 3);
	assert_int_equal(sketch.bins[0].n, 7);
	assert_int_equal(sketch.bins[1].n, 65535);
	assert_int_equal(sketch.bins[2].n, 65535);
	assert_int_equal(ddsketch_insert(&sketch, &arena, 1, 65528), 0);
	assert_int_equal(sketch.n_bins, 3);
	assert_int_equal(sketch.bins[0].n, 65535);
	assert_int_equal(ddsketch_insert(&sketch, &arena, 1, 1), 0);
	assert_int_equal(ddsketch_settle(&sketch, &arena), 0);
	assert_int_equal(sketch.n_bins, 4);
	assert_int_equal(sketch.bins[0].n, 1);
	arena_reset(&arena);
}

static void
stays_as_it_is_without_memory(void **state)
{
	struct ddsketch sketch = {0}, before;
	struct budget budget;
	struct arena arena;

	budget_init(&budget, 64 << 10);
	arena_init(&arena, &budget);
	assert_int_equal(ddsketch_insert(&sketch, &arena, 1, 2), 0);
	before = sketch;
	assert_int_equal(ddsketch_insert(&sketch, &arena, 1, UINT64_MAX), -ENOMEM);
	assert_int_equal(ddsketch_insert(&sketch, &arena, 2, UINT64_C(1) << 40), -ENOMEM);
	assert_memory_equal(&sketch, &before, sizeof(sketch));
	while (arena_alloc(&arena, 64) != NULL)
		;
	for (int i = 0; i < 7; i++) /* the first array has room for 8 */
		assert_int_equal(ddsketch_insert(&sketch, &arena, ldexp(1, i + 1), 2), 0);
	before = sketch;
	assert_int_equal(ddsketch_insert(&sketch, &arena, 1e6, 2), -ENOMEM);
	assert_memory_equal(&sketch, &before, sizeof(sketch));
	arena_reset(&arena);
}

static void
keeps_pending_keys_when_there_is_no_memory_to_settle_them(void **state)
{
	struct ddsketch sketch = {0};
	struct budget budget;
	struct arena arena, more;

	budget_init(&budget, 64 << 10);
	arena_init(&arena, &budget);
	arena_init(&more, NULL);
	for (int i = 0; i < 12; i++)
		assert_int_equal(ddsketch_insert(&sketch, &arena, ldexp(1, i), 1), 0);
	while (arena_alloc(&arena, 8) != NULL)
		;
	assert_int_equal(ddsketch_settle(&sketch, &arena), -ENOMEM);
	assert_int_equal(sketch.n_pending, 12);
	assert_int_equal(ddsketch_settle(&sketch, &more), 0);
	assert_int_equal(sketch.n_bins, 12);
	assert_int_equal(sketch.count, 12);
	arena_reset(&arena);
	arena_reset(&more);
}

static int
compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* A key covers gamma^(k ± 1/2) and the answer lies in [gamma^k, gamma^(k + 1)]: the farthest
 * apart that they can be is a factor of gamma^1.5 = 1.0236. */
static void
quantiles_stay_within_the_error_of_a_bin(void **state)
{
	static double values[3000];
	struct ddsketch sketch;
	struct arena arena;
	uint64_t random = 3000, weight;

	arena_init(&arena, NULL);
	sketch = filled(3, &arena); /* request_times */
	for (size_t i = 0; i < ARRAY_LENGTH(values); i++)
		values[i] = request_times(random53(&random), &weight);
	qsort(values, ARRAY_LENGTH(values), sizeof(*values), compare_doubles);
	for (int percent = 0; percent <= 100; percent++) {
		double exact = values[(int)nearbyint(percent / 100.0 * 2999)];
		double answer = ddsketch_quantile(&sketch, percent / 100.0);

		assert_true(fabs(answer - exact) <= 0.0236 * exact);
		assert_true(answer >= sketch.min && answer <= sketch.max);
	}
	assert_true(ddsketch_quantile(&sketch, 0) == values[0]);
	assert_true(ddsketch_quantile(&sketch, 1) == values[2999]);
	arena_reset(&arena);
}

static void
quantiles_of_values_beyond_the_last_key_are_finite(void **state)
{
	struct ddsketch sketch = {0};
	struct arena arena;

	arena_init(&arena, NULL);
	assert_true(ddsketch_quantile(&sketch, 0.5) == 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(ddsketch_insert(&sketch, &arena, 1e300, 5), 0);
	assert_true(ddsketch_quantile(&sketch, 0.5) == 1e300);
	assert_int_equal(ddsketch_insert(&sketch, &arena, -1e300, 50), 0);
	assert_true(ddsketch_quantile(&sketch, 0.3) == -1e300);
	arena_reset(&arena);
}

/* Against the definition, with libm's logarithm: random values of all sizes, and the neighbours of
 * every edge between two keys, where an approximation would slip first. */
static void
every_key_is_that_of_the_definition(void **state)
{
	const double ln_gamma = log1p(1.0 / 64);
	uint64_t random = 88172645463325252u;

	(void)state;
	for (int i = 0; i < 3000000; i++) {
		double value, key;

		random ^= random << 13, random ^= random >> 7, random ^= random << 17;
		value = ldexp(1 + (double)(random >> 12) * 0x1p-52, (int)(random % 700) - 28);
		key = nearbyint(log(value) / ln_gamma) + 1338;
		assert_int_equal(ddsketch_key(value), (int)(key < 32767 ? key : 32767));
	}
	for (int k = 2; k < 32767; k++) {
		double edge = exp((k - 1338 - 0.5) * ln_gamma);

		for (int step = -40; step <= 40; step++) {
			double value = edge * (1 + step * 0x1p-52);
			double key = nearbyint(log(value) / ln_gamma) + 1338;

			assert_int_equal(ddsketch_key(value), (int)key);
			assert_int_equal(ddsketch_key(-value), -(int)key);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_is_that_of_the_definition),
		cmocka_unit_test(keys_are_those_of_the_agent),
		cmocka_unit_test(bins_and_summary_are_those_of_the_model),
		cmocka_unit_test(merges_every_pair_as_the_model),
		cmocka_unit_test(merges_with_itself_as_with_a_copy),
		cmocka_unit_test(splits_a_count_into_the_remainder_and_full_bins),
		cmocka_unit_test(stays_as_it_is_without_memory),
		cmocka_unit_test(keeps_pending_keys_when_there_is_no_memory_to_settle_them),
		cmocka_unit_test(quantiles_stay_within_the_error_of_a_bin),
		cmocka_unit_test(quantiles_of_values_beyond_the_last_key_are_finite),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
