/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mem/account.h"

#define N_THREADS 4
#define N_ROUNDS 20000

/* A limit of 100: 30 reserved for a, 20 for b, so 50 for both. */
struct pair {
	struct budget shared;
	struct account a, b;
};

static void
pair_init(struct pair *pair, size_t cap_a, size_t cap_b)
{
	budget_init(&pair->shared, 100 - 30 - 20);
	account_init(&pair->a, &(struct account_conf){"a", 30, cap_a}, &pair->shared);
	account_init(&pair->b, &(struct account_conf){"b", 20, cap_b}, &pair->shared);
}

static void
a_reserve_cannot_be_taken_by_others(void **state)
{
	struct pair pair;

	(void)state;
	pair_init(&pair, 100, 100);
	assert_true(account_take(&pair.a, 80)); /* 30 of its own and all 50 */
	assert_false(account_take(&pair.a, 1));
	assert_true(account_take(&pair.b, 20));
	assert_false(account_take(&pair.b, 1));
	assert_int_equal(pair.a.used + pair.b.used, 100);
	assert_int_equal(pair.a.n_refused, 1);
	assert_int_equal(pair.b.n_refused, 1);
	account_give(&pair.a, 10); /* back to the shared part … */
	assert_true(account_take(&pair.b, 10)); /* … where the other finds it */
	assert_false(account_take(&pair.a, 1));
	account_give(&pair.a, 70);
	account_give(&pair.b, 30);
	assert_int_equal(pair.shared.used, 0);
}

static void
a_take_across_the_reserve_is_split(void **state)
{
	struct pair pair;

	(void)state;
	pair_init(&pair, 100, 100);
	assert_true(account_take(&pair.a, 29));
	assert_int_equal(pair.shared.used, 0);
	assert_true(account_take(&pair.a, 5));
	assert_int_equal(pair.shared.used, 4);
	account_give(&pair.a, 3);
	assert_int_equal(pair.shared.used, 1);
	account_give(&pair.a, 3);
	assert_int_equal(pair.shared.used, 0);
	assert_int_equal(pair.a.used, 28);
	assert_int_equal(pair.a.peak, 34);
}

static void
a_cap_holds_where_there_would_be_room(void **state)
{
	struct pair pair;

	(void)state;
	pair_init(&pair, 40, 100);
	assert_true(account_take(&pair.a, 40));
	assert_false(account_take(&pair.a, 1));
	assert_false(account_take(&pair.a, SIZE_MAX)); /* a sum that would wrap */
	assert_int_equal(pair.shared.used, 10);
}

static void *
take_and_give(void *context)
{
	struct account *account = context;

	for (size_t i = 0; i < N_ROUNDS; i++) {
		size_t size = 1 + i % 37;

		if (account_take(account, size))
			account_give(account, size);
	}
	return NULL;
}

/* What is taken within the reserve is granted whatever others do, and nothing is lost on the way.
 */
static void
threads_leave_no_remainder(void **state)
{
	pthread_t thread[N_THREADS];
	struct pair pair;

	(void)state;
	pair_init(&pair, 100, 100);
	for (size_t i = 0; i < N_THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, take_and_give, &pair.a), 0);
	for (size_t i = 0; i < N_ROUNDS; i++) {
		assert_true(account_take(&pair.b, 20));
		account_give(&pair.b, 20);
	}
	for (size_t i = 0; i < N_THREADS; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(pair.a.used, 0);
	assert_int_equal(pair.shared.used, 0);
	assert_in_range(pair.a.peak, 37, 80);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reserve_cannot_be_taken_by_others),
		cmocka_unit_test(a_take_across_the_reserve_is_split),
		cmocka_unit_test(a_cap_holds_where_there_would_be_room),
		cmocka_unit_test(threads_leave_no_remainder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
