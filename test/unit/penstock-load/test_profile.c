/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "penstock-load/profile.h"

#define N 100000

/* Five standard deviations of a count of N draws with this share; the draws are the same in every
 * run. */
static void
assert_share(double share, unsigned n)
{
	double expected = share * N, deviation = n - expected;

	assert_true(deviation * deviation <= 25 * N * share * (1 - share));
}

static struct profile_options
plain_options(void)
{
	return (struct profile_options){.seed = 1,
		.n_contexts = 1000,
		.naming = {.prefix = "t."},
		.type_weight = {1, 1, 1, 1, 1, 1},
		.timestamps_from = 1700000000};
}

static void
draws_a_line_from_its_number_alone(void **state)
{
	struct profile_options options = plain_options();
	struct profile profile;
	struct line first = {0}, other = {0}, again = {0};

	(void)state;
	options.packed = options.sampled = options.timestamped = 0.5;
	profile_init(&profile, &options);
	for (uint64_t i = 0; i < 1000; i++) {
		memset(&first, 0, sizeof(first));
		memset(&again, 0, sizeof(again));
		profile_line(&profile, i, &first);
		profile_line(&profile, 7 * i + 5, &other);
		profile_line(&profile, i, &again);
		assert_memory_equal(&first, &again, sizeof(first));
	}
}

static void
gives_other_lines_for_another_seed(void **state)
{
	struct profile_options options = plain_options();
	struct profile one, two;
	unsigned n_equal = 0;

	(void)state;
	profile_init(&one, &options);
	options.seed = 2;
	profile_init(&two, &options);
	for (uint64_t i = 0; i < 1000; i++) {
		struct line a, b;

		profile_line(&one, i, &a);
		profile_line(&two, i, &b);
		n_equal += a.context == b.context && a.values[0] == b.values[0];
	}
	assert_in_range(n_equal, 0, 20);
}

static void
uses_each_context_once_in_every_round(void **state)
{
	static const uint32_t sizes[] = {1, 2, 3, 8, 97, 1000, 65536};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LENGTH(sizes); i++) {
		struct profile_options options = plain_options();
		uint32_t n = sizes[i];
		uint8_t *n_seen = calloc(n, 1);
		struct profile profile;

		assert_non_null(n_seen);
		options.n_contexts = n;
		profile_init(&profile, &options);
		for (uint64_t line = 0; line < 3 * (uint64_t)n; line++) {
			struct line drawn;

			profile_line(&profile, line, &drawn);
			assert_true(drawn.context < n);
			assert_int_equal(n_seen[drawn.context], line / n);
			n_seen[drawn.context]++;
		}
		free(n_seen);
	}
}

static void
gives_each_type_its_share_of_the_contexts(void **state)
{
	struct profile_options options = plain_options();
	static const uint32_t weight[SERIES_TYPE_COUNT] = {60, 20, 15, 0, 0, 5};
	unsigned n[SERIES_TYPE_COUNT] = {0};
	struct profile profile;

	(void)state;
	memcpy(options.type_weight, weight, sizeof(weight));
	profile_init(&profile, &options);
	for (uint32_t i = 0; i < 1000; i++)
		n[profile_type(&profile, i)]++;
	for (unsigned i = 0; i < SERIES_TYPE_COUNT; i++)
		assert_in_range(n[i] + 4, 10 * weight[i], 10 * weight[i] + 8);
}

static void
gives_shares_of_lines(void **state)
{
	struct profile_options options = plain_options();
	unsigned n[LINE_MALFORMED + 1] = {0}, n_packed = 0, n_sampled = 0, n_stamped = 0;
	unsigned n_stampable = 0, n_packable = 0;
	struct profile profile;

	(void)state;
	options.malformed = 0.05;
	options.events = 0.02;
	options.checks = 0.01;
	options.packed = 0.25;
	options.sampled = 0.5;
	options.timestamped = 0.1;
	profile_init(&profile, &options);
	for (uint64_t i = 0; i < N; i++) {
		struct line line;

		profile_line(&profile, i, &line);
		n[line.kind]++;
		if (line.kind != LINE_METRIC)
			continue;
		assert_in_range(line.n_values, 1, LINE_VALUES_MAX);
		assert_true(line.type != SERIES_SET || line.n_values == 1);
		n_packable += line.type != SERIES_SET;
		n_packed += line.n_values > 1;
		n_sampled += line.rate != RATE_NONE;
		n_stampable += line.type == SERIES_COUNTER || line.type == SERIES_GAUGE;
		n_stamped += line.timestamp != 0;
	}
	assert_share(0.05, n[LINE_MALFORMED]);
	assert_share(0.02, n[LINE_EVENT]);
	assert_share(0.01, n[LINE_CHECK]);
	assert_share(0.25, (unsigned)((uint64_t)n_packed * N / n_packable));
	assert_share(0.5, (unsigned)((uint64_t)n_sampled * N / n[LINE_METRIC]));
	assert_in_range((uint64_t)n_stamped * 1000 / n_stampable, 90, 110);
}

static void
gives_every_line_of_a_share_of_one(void **state)
{
	struct profile_options options = plain_options();
	struct profile profile;

	(void)state;
	options.malformed = 1;
	profile_init(&profile, &options);
	for (uint64_t i = 0; i < N; i++) {
		struct line line;

		profile_line(&profile, i, &line);
		assert_int_equal(line.kind, LINE_MALFORMED);
	}
}

/* The definition of a sample's weight: 1 / rate, and trunc(1 / rate) of a distribution. */
static void
weighs_each_rate_by_its_reciprocal(void **state)
{
	(void)state;
	for (unsigned i = 1; i < RATE_COUNT; i++) {
		double reciprocal = 1 / strtod(rate_table[i].text, NULL);

		assert_int_equal(rate_table[i].weight, (uint32_t)reciprocal);
		assert_true(i >= RATE_EXACT_COUNT || reciprocal == rate_table[i].weight);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(draws_a_line_from_its_number_alone),
		cmocka_unit_test(gives_other_lines_for_another_seed),
		cmocka_unit_test(uses_each_context_once_in_every_round),
		cmocka_unit_test(gives_each_type_its_share_of_the_contexts),
		cmocka_unit_test(gives_shares_of_lines),
		cmocka_unit_test(gives_every_line_of_a_share_of_one),
		cmocka_unit_test(weighs_each_rate_by_its_reciprocal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
