/* SPDX-License-Identifier: BSD-3-Clause */
/* Two threads at a guard: whoever shuts it never meets one that is inside. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "dpdk/guard.h"

#define DEVICE 3

static struct guard guards[2];
static _Atomic bool is_over;
static _Atomic int is_inside, n_met;
static _Atomic unsigned long n_entered, n_refused;

static void *
burst(void *guard)
{
	while (!atomic_load(&is_over)) {
		if (!guard_enter(guard)) {
			atomic_fetch_add(&n_refused, 1);
			continue;
		}
		atomic_fetch_add(&is_inside, 1);
		atomic_fetch_add(&n_entered, 1);
		atomic_fetch_sub(&is_inside, 1);
		guard_leave(guard);
	}
	return NULL;
}

static void
nobody_is_inside_while_it_is_shut(void **state)
{
	pthread_t thread[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		guard_add(&guards[i], DEVICE);
		assert_int_equal(pthread_create(&thread[i], NULL, burst, &guards[i]), 0);
	}
	for (int i = 0; i < 300; i++) {
		guard_shut(DEVICE);
		for (int n = 0; n < 100; n++)
			atomic_fetch_add(&n_met, atomic_load(&is_inside));
		usleep(100);
		guard_open(DEVICE);
		usleep(100);
	}
	atomic_store(&is_over, true);
	for (int i = 0; i < 2; i++) {
		pthread_join(thread[i], NULL);
		guard_remove(&guards[i]);
	}
	assert_int_equal(n_met, 0);
	assert_true(n_entered > 0);
	assert_true(n_refused > 0);
}

static void
other_devices_stay_open(void **state)
{
	struct guard ours = {0}, other = {0};

	(void)state;
	guard_add(&ours, DEVICE);
	guard_add(&other, DEVICE + 1);
	guard_shut(DEVICE);
	assert_false(guard_enter(&ours));
	assert_true(guard_enter(&other));
	guard_leave(&other);
	guard_open(DEVICE);
	assert_true(guard_enter(&ours));
	guard_leave(&ours);
	guard_remove(&ours);
	guard_remove(&other);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_is_inside_while_it_is_shut),
		cmocka_unit_test(other_devices_stay_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
