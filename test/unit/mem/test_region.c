/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <sys/mman.h>

#include <cmocka.h>

#include "mem/region.h"

#define SIZE (64 * (size_t)REGION_PAGE)

/* Pages of the region that are in memory: mincore(2) would tell of the zero page too, but only
 * written pages are asked for here. */
static unsigned
count_resident(uint8_t *region)
{
	unsigned char resident[SIZE / REGION_PAGE];
	unsigned n = 0;

	assert_int_equal(mincore(region, SIZE, resident), 0);
	for (size_t i = 0; i < sizeof(resident); i++)
		n += resident[i] & 1;
	return n;
}

static void
takes_memory_when_written_and_gives_it_back(void **state)
{
	uint8_t *region = region_map(SIZE);

	(void)state;
	assert_non_null(region);
	assert_int_equal(count_resident(region), 0);
	for (size_t i = 0; i < 10; i++)
		region[i * REGION_PAGE] = 1;
	assert_int_equal(count_resident(region), 10);
	region_give_back(region + 2 * REGION_PAGE, 3 * REGION_PAGE);
	assert_int_equal(count_resident(region), 7);
	assert_int_equal(region[0], 1);
	assert_int_equal(region[2 * REGION_PAGE], 0);
	region[2 * REGION_PAGE] = 2;
	assert_int_equal(region[2 * REGION_PAGE], 2);
	region_unmap(region, SIZE);
	region_unmap(NULL, SIZE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_memory_when_written_and_gives_it_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
