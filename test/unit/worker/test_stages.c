/* SPDX-License-Identifier: BSD-3-Clause */
/* The stopwatch with readings that are made up; expected values by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/clock.h"
#include "worker/stages.h"

static uint64_t
sum_of(const uint64_t *values, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	return sum;
}

/* Cycles so many that those of the test itself are nothing beside them. */
static void
time_is_shared_out_by_cycles_to_the_last_ns(void **state)
{
	static struct stats stats;
	struct stages stages = {0};

	(void)state;
	stages_begin(&stages, 7000, &stats);
	stages.cycles[STAGE_POLL] = UINT64_C(1) << 50;
	stages.cycles[STAGE_DECODE] = UINT64_C(3) << 50;
	stages.cycles[STAGE_IDLE] = UINT64_C(6) << 50;
	stages_count(&stages, 7000 + 999999999, &stats);
	assert_in_range(stats.stage[STAGE_POLL], 99999990, 100000000);
	assert_in_range(stats.stage[STAGE_DECODE], 299999990, 300000000);
	assert_in_range(stats.stage[STAGE_IDLE], 599999990, 600000000);
	assert_int_equal(sum_of(stats.stage, STAGE_COUNT), 999999999);
	/* Nothing is counted twice: what follows is the time of the two calls. */
	stages_count(&stages, 7000 + 999999999 + 500, &stats);
	assert_in_range(stats.stage[STAGE_HOUSEKEEP], 500, 530);
	assert_int_equal(sum_of(stats.stage, STAGE_COUNT), 999999999 + 500);
}

static void
a_stage_gets_the_time_until_it_ends(void **state)
{
	static struct stats stats;
	struct stages stages = {0};
	uint64_t began;

	(void)state;
	stages_begin(&stages, 0, &stats);
	began = stages.at;
	stages_end(&stages, STAGE_POLL);
	stages_end(&stages, STAGE_DECODE);
	stages_end(&stages, STAGE_POLL);
	assert_int_equal(sum_of(stages.cycles, STAGE_COUNT), stages.at - began);
	assert_int_equal(stages.cycles[STAGE_IDLE], 0);
}

static void
busy_is_what_was_not_idle_of_the_last_second(void **state)
{
	static struct stats stats = {.stage = {[STAGE_IDLE] = 12345}};
	struct stages stages = {0};

	(void)state;
	stages_begin(&stages, 0, &stats);
	stages.cycles[STAGE_IDLE] = UINT64_C(3) << 50;
	stages.cycles[STAGE_DECODE] = UINT64_C(1) << 50;
	stages_count(&stages, (uint64_t)NS_PER_S / 2, &stats);
	assert_int_equal(stages.busy, 0); /* not a second yet */
	stages.cycles[STAGE_DECODE] = UINT64_C(4) << 50;
	stages_count(&stages, (uint64_t)NS_PER_S, &stats);
	assert_in_range(stages.busy, 624, 626); /* (0.125 s + 0.5 s) of 1 s */
	stages.cycles[STAGE_IDLE] = UINT64_C(4) << 50;
	stages_count(&stages, 3 * (uint64_t)NS_PER_S, &stats);
	assert_in_range(stages.busy, 0, 1);
}

static void
gaps_fall_into_powers_of_two(void **state)
{
	static const struct {
		uint64_t ns;
		uint32_t bucket;
	} expected[] = {
		{0, 0},
		{1023, 0},
		{1024, 1},
		{2047, 1},
		{2048, 2},
		{(1 << 30) - 1, 20},
		{1 << 30, 21},
		{UINT64_MAX, 21},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(expected); i++)
		assert_int_equal(stage_gap_bucket(expected[i].ns), expected[i].bucket);
}

static void
a_gap_is_between_two_polls_and_not_after_waiting(void **state)
{
	static struct stats stats;
	struct stages stages = {0};

	(void)state;
	stages_begin(&stages, 0, &stats);
	stages.rate = UINT64_C(1) << 31; /* 2 GHz */
	stages_poll(&stages, &stats); /* the first has none before it */
	assert_int_equal(sum_of(stats.gap, STAGE_GAPS), 0);
	stages.at += 6000;
	stages_poll(&stages, &stats);
	stages.at += 3000;
	stages_poll(&stages, &stats);
	assert_int_equal(stats.gap[2], 1); /* 3000 ns */
	assert_int_equal(stats.gap[1], 1); /* 1500 ns */
	assert_int_equal(stats.gaps, 4500);
	assert_int_equal(stages.gap_max, 3000);
	stages_waited(&stages);
	stages_poll(&stages, &stats);
	assert_int_equal(sum_of(stats.gap, STAGE_GAPS), 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_is_shared_out_by_cycles_to_the_last_ns),
		cmocka_unit_test(a_stage_gets_the_time_until_it_ends),
		cmocka_unit_test(busy_is_what_was_not_idle_of_the_last_second),
		cmocka_unit_test(gaps_fall_into_powers_of_two),
		cmocka_unit_test(a_gap_is_between_two_polls_and_not_after_waiting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
