/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "agg/bucket_clock.h"

/* A machine whose two clocks the test moves. */
struct machine {
	int64_t wall, monotonic;
};

static int64_t
machine_wall(void *context)
{
	return ((struct machine *)context)->wall;
}

static uint64_t
machine_monotonic(void *context)
{
	return (uint64_t)((struct machine *)context)->monotonic;
}

static void
pass(struct machine *machine, int64_t ns)
{
	machine->wall += ns;
	machine->monotonic += ns;
}

#define MACHINE(name, seconds) \
	struct machine name = {.wall = (seconds)*NS_PER_S, .monotonic = 77 * NS_PER_S}; \
	const struct clock name##_clock = {machine_wall, machine_monotonic, &name}

static void
first_bucket_begins_in_the_second_of_the_start(void **state)
{
	MACHINE(m, 1003);
	struct bucket_clock bc;
	struct bucket_time closed;

	(void)state;
	m.wall += NS_PER_S / 2;
	bucket_clock_init(&bc, &m_clock, 10);
	assert_int_equal(bc.start, 1003);
	assert_int_equal(bucket_clock_remaining(&bc), 6 * NS_PER_S + NS_PER_S / 2);
	closed = bucket_clock_advance(&bc);
	assert_int_equal(closed.start, 1003);
	assert_int_equal(closed.interval, 7);
	closed = bucket_clock_advance(&bc);
	assert_int_equal(closed.start, 1010);
	assert_int_equal(closed.interval, 10);
}

static void
cut_parts_share_no_timestamp_and_add_up(void **state)
{
	MACHINE(m, 1000);
	struct bucket_clock bc;
	struct bucket_time a, b, c;

	(void)state;
	bucket_clock_init(&bc, &m_clock, 10);
	pass(&m, 4 * NS_PER_S + 300 * NS_PER_MS);
	a = bucket_clock_cut(&bc);
	assert_int_equal(a.start, 1000);
	assert_int_equal(a.interval, 4);
	b = bucket_clock_cut(&bc); /* in the same second */
	assert_int_equal(b.start, 1004);
	assert_int_equal(b.interval, 1);
	c = bucket_clock_advance(&bc);
	assert_int_equal(c.start, 1005);
	assert_int_equal(c.interval, 5);
	assert_int_equal(bc.start, 1010);
}

static void
cut_in_the_last_second_opens_the_next_regular_bucket(void **state)
{
	MACHINE(m, 1000);
	struct bucket_clock bc;
	struct bucket_time closed;

	(void)state;
	bucket_clock_init(&bc, &m_clock, 1);
	pass(&m, 300 * NS_PER_MS);
	closed = bucket_clock_cut(&bc);
	assert_int_equal(closed.start, 1000);
	assert_int_equal(closed.interval, 1);
	assert_int_equal(bc.start, 1001);
	assert_int_equal(bc.end, 1002);
}

/* 100 cuts as fast as they may come. */
static void
cuts_do_not_drive_bucket_time_into_the_future(void **state)
{
	MACHINE(m, 1000);
	struct bucket_clock bc;
	int64_t last = 999;

	(void)state;
	m.wall += 300 * NS_PER_MS;
	bucket_clock_init(&bc, &m_clock, 10);
	for (int i = 0; i < 100; i++) {
		int64_t left = bucket_clock_cut_remaining(&bc);
		struct bucket_time closed;

		assert_true(left > 0 && left <= NS_PER_S);
		pass(&m, left - 1);
		assert_int_equal(bucket_clock_cut_remaining(&bc), 1);
		pass(&m, 1);
		closed = bucket_clock_cut(&bc);
		assert_true(closed.start > last);
		assert_true(closed.start < m.wall / NS_PER_S); /* a process that starts now */
		last = closed.start;
		assert_true(bc.start <= m.wall / NS_PER_S);
		assert_true(bucket_clock_remaining(&bc) <= 10 * NS_PER_S);
	}
}

static void
cut_waits_for_a_second_at_most(void **state)
{
	MACHINE(m, 7200);
	struct bucket_clock bc;

	(void)state;
	bucket_clock_init(&bc, &m_clock, 3600);
	pass(&m, 3600 * NS_PER_S);
	m.wall -= 300 * NS_PER_S;
	bucket_clock_advance(&bc); /* bucket time goes back by 300 s, the start does not */
	assert_int_equal(bucket_clock_cut_remaining(&bc), NS_PER_S);
	pass(&m, NS_PER_S);
	assert_int_equal(bucket_clock_cut_remaining(&bc), 0);
	assert_int_equal(bucket_clock_cut(&bc).start, 10800);
	assert_int_equal(bc.start, 10801);
	assert_int_equal(bucket_clock_cut_remaining(&bc), NS_PER_S);
}

/* A day of buckets while the wall clock is stepped: each start is the one before + interval. */
static void
steps_neither_repeat_nor_skip_a_bucket(void **state)
{
	static const int64_t step[] = {-1, 1, -3600, 3600, 7, -12, 0, 86400, -86400};
	MACHINE(m, 50000);
	struct bucket_clock bc;
	int64_t expected = 50000;

	(void)state;
	bucket_clock_init(&bc, &m_clock, 10);
	for (size_t i = 0; i < 8640; i++) {
		struct bucket_time closed;
		int64_t left = bucket_clock_remaining(&bc);

		assert_true(left >= 9 * NS_PER_S && left <= 11 * NS_PER_S);
		pass(&m, left);
		assert_int_equal(bucket_clock_remaining(&bc), 0);
		if (i % 100 == 0)
			m.wall += step[i / 100 % 9] * NS_PER_S;
		closed = bucket_clock_advance(&bc);
		assert_int_equal(closed.start, expected);
		assert_int_equal(closed.interval, 10);
		expected += 10;
	}
}

static void
skew_is_made_up_by_a_tenth_of_an_interval(void **state)
{
	MACHINE(m, 1000);
	struct bucket_clock bc;

	(void)state;
	bucket_clock_init(&bc, &m_clock, 10);
	pass(&m, 10 * NS_PER_S);
	m.wall += 2500 * NS_PER_MS;
	bucket_clock_advance(&bc);
	assert_int_equal(bucket_clock_skew(&bc), 1500 * NS_PER_MS);
	assert_int_equal(bucket_clock_remaining(&bc), 9 * NS_PER_S);
	pass(&m, 9 * NS_PER_S);
	bucket_clock_advance(&bc);
	pass(&m, 9 * NS_PER_S);
	bucket_clock_advance(&bc);
	assert_int_equal(bucket_clock_skew(&bc), 0);
}

static void
late_close_still_gives_every_bucket_once(void **state)
{
	MACHINE(m, 1000);
	struct bucket_clock bc;

	(void)state;
	bucket_clock_init(&bc, &m_clock, 10);
	pass(&m, 34 * NS_PER_S);
	for (int64_t start = 1000; start < 1030; start += 10) {
		assert_true(bucket_clock_remaining(&bc) <= 0);
		assert_int_equal(bucket_clock_advance(&bc).start, start);
	}
	assert_int_equal(bucket_clock_remaining(&bc), 6 * NS_PER_S);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_bucket_begins_in_the_second_of_the_start),
		cmocka_unit_test(cut_parts_share_no_timestamp_and_add_up),
		cmocka_unit_test(cut_in_the_last_second_opens_the_next_regular_bucket),
		cmocka_unit_test(cuts_do_not_drive_bucket_time_into_the_future),
		cmocka_unit_test(cut_waits_for_a_second_at_most),
		cmocka_unit_test(steps_neither_repeat_nor_skip_a_bucket),
		cmocka_unit_test(skew_is_made_up_by_a_tenth_of_an_interval),
		cmocka_unit_test(late_close_still_gives_every_bucket_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
