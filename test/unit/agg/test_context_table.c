/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "agg/context_table.h"

static struct budget budget;

static struct context_key
key_of(const char *name, const char *tags)
{
	struct context_key key = {
		.type = METRIC_COUNT,
		.name = span_from_string(name),
		.tags = span_from_string(tags),
	};

	context_key_hash(&key, 42);
	return key;
}

static void
differs_by_each_part_of_the_identity(void **state)
{
	struct context_table table = {0};
	struct context_key key = key_of("a", "b"), other;
	uint32_t slot;

	(void)state;
	budget_init(&budget, 1 << 20);
	assert_int_equal(context_table_find(&table, &key), SLOT_NONE);
	assert_int_equal(context_table_insert(&table, context_new(&key, &budget), &slot), 0);
	assert_int_equal(context_table_find(&table, &key), slot);

	other = key;
	other.type = METRIC_GAUGE;
	assert_int_equal(context_table_find(&table, &other), SLOT_NONE);
	other = key;
	other.host = SPAN_LITERAL("h");
	assert_int_equal(context_table_find(&table, &other), SLOT_NONE);
	context_table_done(&table, &budget);
	assert_int_equal(budget.used, 0);
}

/* The parts are joined without separators: only the sizes keep them apart. */
static void
bytes_do_not_move_between_the_parts(void **state)
{
	struct context_table table = {0};
	struct context_key key = key_of("ab", "c"), moved = key_of("a", "bc");
	uint32_t slot;

	(void)state;
	budget_init(&budget, 1 << 20);
	moved.hash = key.hash; /* as if the hashes collided */
	assert_int_equal(context_table_insert(&table, context_new(&key, &budget), &slot), 0);
	assert_int_equal(context_table_find(&table, &moved), SLOT_NONE);
	context_table_done(&table, &budget);
}

static void
equal_hashes_never_join_two_contexts(void **state)
{
	struct context_table table = {0};
	struct context_key a = key_of("a", ""), b = key_of("b", "");
	uint32_t slot_a, slot_b;

	(void)state;
	budget_init(&budget, 1 << 20);
	a.hash = b.hash = 7;
	assert_int_equal(context_table_insert(&table, context_new(&a, &budget), &slot_a), 0);
	assert_int_equal(context_table_insert(&table, context_new(&b, &budget), &slot_b), 0);
	assert_int_not_equal(slot_a, slot_b);
	assert_int_equal(context_table_find(&table, &a), slot_a);
	assert_int_equal(context_table_find(&table, &b), slot_b);
	context_table_done(&table, &budget);
}

static void
unlinked_slot_is_not_used_before_its_release(void **state)
{
	struct context_table table = {0};
	struct context_key a = key_of("a", ""), b = key_of("b", ""), c = key_of("c", "");
	uint32_t slot_a, slot;

	(void)state;
	budget_init(&budget, 1 << 20);
	assert_int_equal(context_table_insert(&table, context_new(&a, &budget), &slot_a), 0);
	context_unref(context_table_unlink(&table, slot_a), &budget);
	assert_int_equal(context_table_find(&table, &a), SLOT_NONE);
	assert_int_equal(context_table_insert(&table, context_new(&b, &budget), &slot), 0);
	assert_int_not_equal(slot, slot_a);
	context_table_release(&table, slot_a);
	assert_int_equal(context_table_insert(&table, context_new(&c, &budget), &slot), 0);
	assert_int_equal(slot, slot_a);
	context_table_done(&table, &budget);
	assert_int_equal(budget.used, 0);
}

/* A model: which of 5000 names are in the table, through 200,000 random inserts and removals. */
static void
agrees_with_a_model_through_churn(void **state)
{
	enum {
		N = 5000
	};
	struct context_table table = {0};
	uint32_t *slot_of = malloc(N * sizeof(*slot_of));
	uint64_t random = 88172645463325252u;
	uint32_t n = 0;

	(void)state;
	budget_init(&budget, 64 << 20);
	for (int i = 0; i < N; i++)
		slot_of[i] = SLOT_NONE;
	for (int i = 0; i < 200000; i++) {
		char name[32];
		struct context_key key;
		uint32_t at;

		random ^= random << 13, random ^= random >> 7, random ^= random << 17;
		at = random % N;
		snprintf(name, sizeof(name), "name.%u", at);
		key = key_of(name, "env:x");
		assert_int_equal(context_table_find(&table, &key), slot_of[at]);
		if (slot_of[at] == SLOT_NONE) {
			assert_int_equal(context_table_insert(&table, context_new(&key, &budget),
						 &slot_of[at]),
				0);
			n++;
		} else {
			context_unref(context_table_unlink(&table, slot_of[at]), &budget);
			context_table_release(&table, slot_of[at]);
			slot_of[at] = SLOT_NONE;
			n--;
		}
		assert_int_equal(table.n_linked, n);
	}
	context_table_shrink(&table);
	context_table_done(&table, &budget);
	assert_int_equal(budget.used, 0);
	free(slot_of);
}

static void
shrinks_after_a_flood(void **state)
{
	struct context_table table = {0};
	uint32_t slot;

	(void)state;
	budget_init(&budget, 64 << 20);
	for (int i = 0; i < 100000; i++) {
		char name[32];
		struct context_key key;

		snprintf(name, sizeof(name), "flood.%d", i);
		key = key_of(name, "");
		assert_int_equal(context_table_insert(&table, context_new(&key, &budget), &slot),
			0);
	}
	for (slot = 10; slot < 100000; slot++) {
		context_unref(context_table_unlink(&table, slot), &budget);
		context_table_release(&table, slot);
	}
	for (int i = 0; i < 10; i++) /* a part in each call */
		context_table_shrink(&table);
	assert_int_equal(table.n_slots, 10);
	assert_true(table.context_max <= 1024);
	assert_true(table.link_max <= 1024);
	assert_true(table.taken_max <= 4096);
	assert_true(table.heads_max <= 2048);
	for (int i = 0; i < 10; i++) {
		struct context_key key;
		char name[32];

		snprintf(name, sizeof(name), "flood.%d", i);
		key = key_of(name, "");
		assert_int_equal(context_table_find(&table, &key), i);
	}
	context_table_done(&table, &budget);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(differs_by_each_part_of_the_identity),
		cmocka_unit_test(bytes_do_not_move_between_the_parts),
		cmocka_unit_test(equal_hashes_never_join_two_contexts),
		cmocka_unit_test(unlinked_slot_is_not_used_before_its_release),
		cmocka_unit_test(agrees_with_a_model_through_churn),
		cmocka_unit_test(shrinks_after_a_flood),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
