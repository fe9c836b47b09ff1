/* SPDX-License-Identifier: BSD-3-Clause */
/* The search against a receiver that is played: it carries so much and no more. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "penstock-load/search.h"

struct receiver {
	double capacity; /* lines a second */
	double generator; /* the fastest that the generator can do */
	double hiccup_after; /* seconds of one trial after which a line is lost; 0: never */
	double hiccup_rate; /* … at this rate or above */
	unsigned fails_at; /* number of the trial that cannot be run; 0: none */
	unsigned n_trials;
	double seconds; /* of all trials */
};

static int
play(void *context, double rate, double seconds, struct trial *trial)
{
	struct receiver *receiver = context;
	double offered = rate > 0 && rate < receiver->generator ? rate : receiver->generator;
	double carried = offered < receiver->capacity ? offered : receiver->capacity;

	receiver->n_trials++;
	receiver->seconds += seconds;
	if (receiver->n_trials == receiver->fails_at)
		return -ECONNREFUSED;
	trial->seconds = seconds;
	trial->took = rate > offered ? seconds * rate / offered : seconds;
	trial->offered = (uint64_t)floor(offered * trial->took);
	trial->sent = (uint64_t)floor(carried * trial->took);
	trial->received = trial->sent;
	if (receiver->hiccup_after > 0 && seconds > receiver->hiccup_after &&
		rate >= receiver->hiccup_rate)
		trial->received--;
	trial->carried = carried;
	return 0;
}

static const struct search_conf conf = {
	.resolution = 0.005,
	.trial_seconds = 3,
	.confirm_seconds = 60,
	.confirmations = 3,
};

static struct search search;

static void
finds_the_capacity_within_the_resolution(void **state)
{
	const double capacities[] = {1000, 123456, 18.7e6};

	for (unsigned i = 0; i < 3; i++) {
		struct receiver receiver = {.capacity = capacities[i], .generator = 1e9};

		assert_int_equal(search_run(&search, &conf, play, &receiver), 0);
		assert_true(search.rate <= capacities[i]);
		assert_true(search.rate >= 0.994 * capacities[i]);
		assert_true(fabs(search.offered - search.rate) < 1);
		assert_true(search.saturation == capacities[i]);
		assert_true(search.is_confirmed);
		assert_false(search.is_limited);
	}
}

static void
trials_are_short_and_the_last_is_long(void **state)
{
	struct receiver receiver = {.capacity = 1e6, .generator = 1e9};

	assert_int_equal(search_run(&search, &conf, play, &receiver), 0);
	/* Saturation, then halvings of 1.1 until 0.005 of the rate: 1.1/256 < 0.005 < 1.1/128. */
	assert_int_equal(search.n_trials, 1 + 8 + 1);
	assert_true(receiver.seconds == 9 * 3 + 60);
	assert_true(search.trials[0].rate == 0);
	assert_true(search.trials[9].seconds == 60);
	assert_true(search.trials[9].rate == search.rate);
}

static void
stays_within_given_bounds(void **state)
{
	struct receiver receiver = {.capacity = 1e6, .generator = 1e9};
	struct search_conf bounded = conf;

	bounded.rate_min = 1e5;
	bounded.rate_max = 2e5;
	assert_int_equal(search_run(&search, &bounded, play, &receiver), 0);
	for (unsigned i = 1; i < search.n_trials; i++)
		assert_true(search.trials[i].rate > 1e5 && search.trials[i].rate < 2e5);
	assert_true(search.rate >= 0.995 * 2e5);
}

/* The receiver could carry more, but nobody can say so. */
static void
a_slow_generator_is_told_from_a_slow_receiver(void **state)
{
	struct receiver receiver = {.capacity = 1e9, .generator = 1e6};

	assert_int_equal(search_run(&search, &conf, play, &receiver), 0);
	assert_true(search.is_limited);
	/* Being 1/60 late (50 ms of 3 s) is forgiven, but the result is what was offered. */
	assert_true(search.offered >= 0.99 * 1e6 && search.offered <= 1e6);
	for (unsigned i = 1; i < search.n_trials; i++) {
		const struct trial *trial = &search.trials[i];

		if (trial->seconds == 3)
			assert_int_equal(trial_is_valid(trial), trial->rate <= 1e6 * 3.05 / 3);
	}
}

static void
a_loss_in_the_long_trial_lowers_the_rate(void **state)
{
	struct receiver receiver = {.capacity = 1e6, .generator = 1e9, .hiccup_after = 3};

	receiver.hiccup_rate = 0.99 * 1e6;
	assert_int_equal(search_run(&search, &conf, play, &receiver), 0);
	assert_true(search.is_confirmed);
	assert_true(search.rate < 0.99 * 1e6 && search.rate > 0.97 * 1e6);
}

static void
is_not_confirmed_when_every_long_trial_loses(void **state)
{
	struct receiver receiver = {.capacity = 1e6, .generator = 1e9, .hiccup_after = 3};

	assert_int_equal(search_run(&search, &conf, play, &receiver), 0);
	assert_false(search.is_confirmed);
	assert_int_equal(search.n_trials, 1 + 8 + 3);
}

static void
ends_when_a_trial_cannot_be_run(void **state)
{
	struct receiver receiver = {.capacity = 1e6, .generator = 1e9, .fails_at = 3};

	assert_int_equal(search_run(&search, &conf, play, &receiver), -ECONNREFUSED);
	assert_int_equal(search.n_trials, 2);
	assert_false(search.is_confirmed);
}

static void
each_kind_of_loss_is_one(void **state)
{
	const struct trial clean = {.seconds = 3,
		.took = 3,
		.offered = 1000,
		.sent = 1000,
		.received = 1000};
	struct trial trial = clean;

	assert_true(trial_is_clean(&trial));
	trial.received--;
	assert_false(trial_is_clean(&trial));
	trial = clean;
	trial.dropped = 1;
	assert_false(trial_is_clean(&trial));
	trial = clean;
	trial.sent = trial.received = 999; /* it found no room in the transmit ring */
	assert_true(trial_is_valid(&trial));
	assert_false(trial_is_clean(&trial));
	trial = clean;
	trial.received = 1001; /* of somebody else: then nothing is known */
	assert_false(trial_is_clean(&trial));
	trial = (struct trial){0};
	assert_false(trial_is_valid(&trial));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_capacity_within_the_resolution),
		cmocka_unit_test(trials_are_short_and_the_last_is_long),
		cmocka_unit_test(stays_within_given_bounds),
		cmocka_unit_test(a_slow_generator_is_told_from_a_slow_receiver),
		cmocka_unit_test(a_loss_in_the_long_trial_lowers_the_rate),
		cmocka_unit_test(is_not_confirmed_when_every_long_trial_loses),
		cmocka_unit_test(ends_when_a_trial_cannot_be_run),
		cmocka_unit_test(each_kind_of_loss_is_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
