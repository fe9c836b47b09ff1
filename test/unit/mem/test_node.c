/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel says of the policy (get_mempolicy) and of the pages (move_pages without a target,
 * which tells where they are). */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>
#include <numa.h>
#include <numaif.h>

#include "mem/node.h"

#define PAGES 8

static void
assert_policy(int mode, int node)
{
	unsigned long nodes[NODE_BITS / (8 * sizeof(unsigned long))] = {0};
	int found;

	assert_int_equal(get_mempolicy(&found, nodes, NODE_BITS, NULL, 0), 0);
	assert_int_equal(found, mode);
	for (int i = 0; i < 64; i++)
		assert_int_equal(nodes[0] >> i & 1, i == node);
}

/* Fresh pages, touched now. */
static void
assert_touched_on(int node)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *memory = mmap(NULL, PAGES * size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *page[PAGES];
	int where[PAGES];

	assert_ptr_not_equal(memory, MAP_FAILED);
	memset(memory, 1, PAGES * size);
	for (size_t i = 0; i < PAGES; i++)
		page[i] = memory + i * size;
	assert_int_equal(move_pages(0, PAGES, page, NULL, where, 0), 0);
	for (size_t i = 0; i < PAGES; i++)
		assert_int_equal(where[i], node);
	munmap(memory, PAGES * size);
}

static void
skip_without_policies(void)
{
	if (numa_available() < 0)
		skip(); /* the kernel has none, or a container's filter forbids the calls */
}

/* On a machine with one node only the policy tells; with more, the pages do too. */
static void
memory_goes_to_each_node_that_has_some(void **state)
{
	struct node_policy before;
	struct bitmask *allowed;

	(void)state;
	skip_without_policies();
	allowed = numa_get_mems_allowed();
	for (int node = 0; node <= numa_max_node() && node < 64; node++) {
		if (!numa_bitmask_isbitset(allowed, (unsigned)node) ||
			numa_node_size64(node, NULL) <= 0)
			continue;
		assert_int_equal(node_prefer(node, &before), 0);
		assert_policy(MPOL_PREFERRED, node);
		assert_touched_on(node);
		node_restore(&before);
		assert_policy(MPOL_DEFAULT, -1);
	}
	numa_bitmask_free(allowed);
}

static void
the_policy_before_comes_back(void **state)
{
	struct node_policy before;
	struct bitmask *allowed;
	unsigned long nodes;
	int node = 0;

	(void)state;
	skip_without_policies();
	allowed = numa_get_mems_allowed();
	while (node < 63 && !numa_bitmask_isbitset(allowed, (unsigned)node))
		node++;
	numa_bitmask_free(allowed);
	nodes = 1UL << node;
	assert_int_equal(set_mempolicy(MPOL_BIND, &nodes, 64), 0);
	assert_int_equal(node_prefer(node, &before), 0);
	assert_policy(MPOL_PREFERRED, node);
	node_restore(&before);
	assert_policy(MPOL_BIND, node);
	assert_int_equal(set_mempolicy(MPOL_DEFAULT, NULL, 0), 0);
}

static void
no_node_changes_nothing(void **state)
{
	struct node_policy before;

	(void)state;
	skip_without_policies();
	assert_int_equal(node_prefer(-1, &before), 0);
	assert_policy(MPOL_DEFAULT, -1);
	assert_int_equal(node_prefer(1000, &before), -EINVAL);
	assert_policy(MPOL_DEFAULT, -1);
	node_restore(&before);
	assert_int_equal(node_prefer(NODE_BITS, &before), -EINVAL);
	assert_policy(MPOL_DEFAULT, -1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_goes_to_each_node_that_has_some),
		cmocka_unit_test(the_policy_before_comes_back),
		cmocka_unit_test(no_node_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
