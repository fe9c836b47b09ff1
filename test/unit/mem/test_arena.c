/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "mem/arena.h"

static void
gives_back_what_it_took(void **state)
{
	struct budget budget;
	struct arena arena;

	(void)state;
	budget_init(&budget, 1 << 20);
	arena_init(&arena, &budget);
	assert_non_null(arena_alloc(&arena, 1));
	assert_int_equal(budget.used, 64 << 10);
	assert_non_null(arena_alloc(&arena, 100000));
	assert_int_equal(budget.used, (64 << 10) + 100000 + 16);
	arena_reset(&arena);
	assert_int_equal(budget.used, 0);
}

static void
refuses_beyond_the_budget(void **state)
{
	struct budget budget;
	struct arena arena;

	(void)state;
	budget_init(&budget, 100 << 10);
	arena_init(&arena, &budget);
	assert_non_null(arena_alloc(&arena, 60000));
	assert_null(arena_alloc(&arena, 60000));
	assert_non_null(
		arena_alloc(&arena, 5000)); /* what is left of the first chunk still serves */
	arena_reset(&arena);
}

static void
moves_chunks_with_their_bytes(void **state)
{
	struct arena a, b;
	struct span first, second;

	(void)state;
	arena_init(&a, NULL);
	arena_init(&b, NULL);
	first = arena_copy(&a, SPAN_LITERAL("first"));
	second = arena_copy(&b, SPAN_LITERAL("second"));
	arena_move(&a, &b);
	assert_null(b.chunks);
	assert_true(span_equal(first, SPAN_LITERAL("first")));
	assert_true(span_equal(second, SPAN_LITERAL("second")));
	assert_non_null(arena_alloc(&a, 8));
	assert_non_null(arena_alloc(&b, 8));
	arena_reset(&a);
	arena_reset(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_back_what_it_took),
		cmocka_unit_test(refuses_beyond_the_budget),
		cmocka_unit_test(moves_chunks_with_their_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
