/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "mem/pages.h"

#define N 1000000

static void
growing_keeps_what_is_there_and_adds_zeros(void **state)
{
	uint32_t *items = NULL;
	size_t n_max = 0;

	(void)state;
	for (uint32_t i = 0; i < N; i++) {
		assert_int_equal(pages_reserve((void **)&items, i + 1, &n_max, sizeof(items[0])),
			0);
		assert_true(n_max > i);
		assert_int_equal(items[i], 0);
		items[i] = i + 1;
	}
	for (uint32_t i = 0; i < N; i++)
		assert_int_equal(items[i], i + 1);
	pages_trim((void **)&items, 0, &n_max, sizeof(items[0]));
	assert_null(items);
	assert_int_equal(n_max, 0);
}

static bool
is_mapped(const void *at)
{
	unsigned char resident;

	return mincore((void *)((uintptr_t)at & ~(uintptr_t)4095), 1, &resident) == 0;
}

static void
trimming_unmaps_what_is_not_needed(void **state)
{
	uint64_t *items = NULL;
	size_t n_max = 0;

	(void)state;
	assert_int_equal(pages_reserve((void **)&items, 4096, &n_max, sizeof(items[0])), 0);
	assert_int_equal(n_max, 4096); /* 8 pages */
	items[0] = 1;
	items[4095] = 2;
	pages_trim((void **)&items, 2048, &n_max, sizeof(items[0])); /* half is not most */
	assert_int_equal(n_max, 4096);
	pages_trim((void **)&items, 513, &n_max, sizeof(items[0]));
	assert_int_equal(n_max, 1024);
	assert_int_equal(items[0], 1);
	assert_true(is_mapped(&items[1023]));
	assert_false(is_mapped(&items[1024]));
	assert_int_equal(pages_reserve((void **)&items, 4096, &n_max, sizeof(items[0])), 0);
	assert_int_equal(items[4095], 0);
	pages_trim((void **)&items, 0, &n_max, sizeof(items[0]));
}

static void
without_memory_nothing_changes(void **state)
{
	uint64_t *items = NULL;
	size_t n_max = 0;

	(void)state;
	assert_int_equal(pages_reserve((void **)&items, 100, &n_max, sizeof(items[0])), 0);
	items[99] = 7;
	assert_true(pages_reserve((void **)&items, (size_t)1 << 58, &n_max, sizeof(items[0])) < 0);
	assert_int_equal(n_max, 512);
	assert_int_equal(items[99], 7);
	pages_trim((void **)&items, 0, &n_max, sizeof(items[0]));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(growing_keeps_what_is_there_and_adds_zeros),
		cmocka_unit_test(trimming_unmaps_what_is_not_needed),
		cmocka_unit_test(without_memory_nothing_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
