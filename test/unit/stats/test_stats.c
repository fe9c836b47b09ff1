/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "stats/rejects.h"
#include "stats/stats.h"

static void
names_are_unique_and_found(void **state)
{
	char name[96];

	(void)state;
	for (enum counter stat = STAT_NONE + 1; stat < STAT_COUNT; stat++) {
		stat_name(stat, name, sizeof(name));
		assert_int_equal(stat_by_name(name), stat);
		assert_true(strlen(stat_info[stat].help) > 0);
	}
	assert_int_equal(stat_by_name("lines.rejected.no_pipe"), STAT_lines_rejected_no_pipe);
	assert_int_equal(stat_by_name("lines.rejected"), STAT_NONE);
}

static void
each_level_of_the_ledger_has_one_total(void **state)
{
	int totals[STAT_LEVEL_COUNT] = {0};

	(void)state;
	for (enum counter stat = STAT_NONE + 1; stat < STAT_COUNT; stat++)
		totals[stat_info[stat].level_index] += stat_info[stat].role == STAT_ROLE_TOTAL;
	for (int level = 0; level < STAT_LEVEL_worker; level++)
		assert_int_equal(totals[level], 1);
	assert_int_equal(totals[STAT_LEVEL_worker], 0);
}

struct shared {
	struct stats_block block;
	struct rejects rejects;
	_Atomic bool ends;
};

/* Publishes blocks in which two counters are always equal, and rejects that name themselves. */
static void *
write_blocks(void *argument)
{
	struct shared *shared = argument;
	struct stats stats = {0};

	for (uint64_t i = 1; i <= 200000; i++) {
		uint8_t line[8];

		stats_add(&stats, STAT_lines_received, 3);
		stats_add(&stats, STAT_lines_aggregated, 3);
		stats_publish(&shared->block, &stats, i);
		memset(line, (int)(i % 251), sizeof(line));
		rejects_add(&shared->rejects, STAT_lines_rejected_no_pipe, (uint16_t)(i % 251), 0,
			span_of(line, sizeof(line)));
	}
	atomic_store(&shared->ends, true);
	return NULL;
}

static void
readers_never_see_half_a_block(void **state)
{
	struct shared *shared = calloc(1, sizeof(*shared));
	struct reject *seen = calloc(REJECTS_KEPT, sizeof(*seen));
	pthread_t writer;
	uint64_t last = 0;

	(void)state;
	pthread_create(&writer, NULL, write_blocks, shared);
	while (!atomic_load(&shared->ends)) {
		struct stats sum = {0};
		uint64_t epoch = stats_collect(&shared->block, &sum);
		size_t n = rejects_read(&shared->rejects, seen, REJECTS_KEPT);

		assert_true(epoch >= last);
		assert_int_equal(sum.counter[STAT_lines_received], 3 * epoch);
		assert_int_equal(sum.counter[STAT_lines_aggregated], 3 * epoch);
		last = epoch;
		for (size_t i = 0; i < n; i++) {
			assert_int_equal(seen[i].number % 251, seen[i].listener);
			for (int byte = 0; byte < 8; byte++)
				assert_int_equal(seen[i].bytes[byte], seen[i].listener);
		}
	}
	pthread_join(writer, NULL);
	free(seen);
	free(shared);
}

static void
newest_rejects_come_first_and_long_lines_are_cut(void **state)
{
	struct rejects *rejects = calloc(1, sizeof(*rejects));
	struct reject seen[4];
	uint8_t line[REJECT_BYTES + 100];

	(void)state;
	memset(line, 'x', sizeof(line));
	assert_int_equal(rejects_read(rejects, seen, 4), 0);
	for (uint16_t i = 0; i < 2 * REJECTS_KEPT; i++)
		rejects_add(rejects, STAT_lines_rejected_bad_type, i, 7,
			span_of(line, sizeof(line)));
	assert_int_equal(rejects_read(rejects, seen, 4), 4);
	assert_int_equal(seen[0].number, 2 * REJECTS_KEPT);
	assert_int_equal(seen[3].number, 2 * REJECTS_KEPT - 3);
	assert_int_equal(seen[0].size, REJECT_BYTES + 100);
	assert_int_equal(seen[0].bytes[REJECT_BYTES - 1], 'x');
	free(rejects);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_unique_and_found),
		cmocka_unit_test(each_level_of_the_ledger_has_one_total),
		cmocka_unit_test(readers_never_see_half_a_block),
		cmocka_unit_test(newest_rejects_come_first_and_long_lines_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
