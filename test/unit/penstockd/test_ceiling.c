/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "penstockd/ceiling.h"

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

static void
expect_account(const struct ceiling_plan *plan, enum ceiling_account i, const char *name,
	uint64_t reserve, uint64_t cap)
{
	assert_string_equal(plan->account[i].name, name);
	assert_int_equal(plan->account[i].reserve, reserve);
	assert_int_equal(plan->account[i].cap, cap);
}

/* Two backlogs of two chunks of 256 KiB, and two frames with a buffer being doubled: 512 + 512 KiB
 * and 2 * (2 * 8128 + 128) = 32 KiB are the least. The rest is split by 4, 4 and 16. */
static void
reserves_leave_a_shared_part(void **state)
{
	const struct ceiling_need need = {
		.limit = 64 * MIB + 1056 * KIB,
		.n_port_workers = 1,
		.n_socket_workers = 1,
		.has_streams = true,
		.payload_max = 8128,
	};
	struct ceiling_plan plan;
	uint64_t least;

	(void)state;
	assert_int_equal(ceiling_plan(&need, &plan, &least), 0);
	assert_int_equal(plan.limit, need.limit);
	assert_int_equal(plan.chunk_size, 256 * KIB);
	assert_false(plan.use_hugepages);
	/* 28 of the 64 MiB are nobody's own. */
	expect_account(&plan, CEILING_PORTS, "ports", 16 * MIB + 512 * KIB, 44 * MIB + 512 * KIB);
	expect_account(&plan, CEILING_SOCKETS, "sockets", 16 * MIB + 512 * KIB,
		44 * MIB + 512 * KIB);
	expect_account(&plan, CEILING_STREAMS, "streams", 4 * MIB + 32 * KIB,
		16 * MIB + 264 * KIB); /* a quarter of all */
}

static void
what_is_not_there_reserves_nothing(void **state)
{
	const struct ceiling_need need = {.limit = 8 * MIB,
		.n_socket_workers = 1,
		.payload_max = 8192};
	struct ceiling_plan plan;
	uint64_t least;

	(void)state;
	assert_int_equal(ceiling_plan(&need, &plan, &least), 0);
	expect_account(&plan, CEILING_PORTS, "ports", 0, 0);
	expect_account(&plan, CEILING_STREAMS, "streams", 0, 0);
	/* 512 KiB and a quarter of 7.5 MiB; alone it may have all. */
	expect_account(&plan, CEILING_SOCKETS, "sockets", 512 * KIB + 1920 * KIB, 8 * MIB);
}

static void
a_chunk_holds_the_longest_datagram(void **state)
{
	static const struct {
		uint32_t payload_max;
		uint64_t chunk_size;
	} rows[] = {
		{64, 256 * KIB},
		{65507, 256 * KIB},
		{256 * KIB - 256, 256 * KIB},
		{256 * KIB, 512 * KIB},
		{1 * MIB, 2 * MIB},
	};
	struct ceiling_plan plan;
	uint64_t least;

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		const struct ceiling_need need = {.limit = 64 * MIB,
			.n_socket_workers = 1,
			.payload_max = rows[i].payload_max};

		assert_int_equal(ceiling_plan(&need, &plan, &least), 0);
		assert_int_equal(plan.chunk_size, rows[i].chunk_size);
	}
}

static void
a_small_ceiling_is_refused_with_the_least(void **state)
{
	struct ceiling_need need = {
		.limit = 4 * MIB,
		.n_port_workers = 8,
		.n_socket_workers = 1,
		.payload_max = 8192,
	};
	struct ceiling_plan plan;
	uint64_t least = 0;

	(void)state;
	assert_int_equal(ceiling_plan(&need, &plan, &least), -ENOSPC);
	assert_int_equal(least, 9 * 512 * KIB);
	need.limit = least;
	assert_int_equal(ceiling_plan(&need, &plan, &least), 0);
	expect_account(&plan, CEILING_PORTS, "ports", 8 * 512 * KIB, 8 * 512 * KIB);
}

/* A chunk is a hugepage of 2 MiB then, so two workers reserve 8 MiB: a sixteenth of 128. */
static void
hugepages_want_a_large_ceiling(void **state)
{
	struct ceiling_need need = {
		.limit = 128 * MIB,
		.n_port_workers = 1,
		.n_socket_workers = 1,
		.payload_max = 8192,
		.use_hugepages = true,
	};
	struct ceiling_plan plan;
	uint64_t least;

	(void)state;
	assert_int_equal(ceiling_plan(&need, &plan, &least), 0);
	assert_true(plan.use_hugepages);
	assert_int_equal(plan.chunk_size, 2 * MIB);
	need.limit--;
	assert_int_equal(ceiling_plan(&need, &plan, &least), 0);
	assert_false(plan.use_hugepages);
	assert_int_equal(plan.chunk_size, 256 * KIB);
}

static void
inputs_find_their_account(void **state)
{
	const struct ceiling_need need = {.limit = 8 * MIB,
		.n_port_workers = 1,
		.n_socket_workers = 1,
		.has_streams = true,
		.payload_max = 8192};
	struct ceiling ceiling;
	struct ceiling_plan plan;
	uint64_t least;
	size_t reserved = 0;

	(void)state;
	assert_int_equal(ceiling_plan(&need, &plan, &least), 0);
	assert_int_equal(ceiling_open(&ceiling, &plan), 0);
	assert_string_equal(ceiling_account(&ceiling, "dpdk")->conf.name, "ports");
	assert_string_equal(ceiling_account(&ceiling, "udp")->conf.name, "sockets");
	assert_string_equal(ceiling_account(&ceiling, "uds_dgram")->conf.name, "sockets");
	assert_string_equal(ceiling_account(&ceiling, "uds_stream")->conf.name, "streams");
	for (int i = 0; i < CEILING_ACCOUNT_COUNT; i++)
		reserved += ceiling.account[i].conf.reserve;
	assert_int_equal(ceiling.shared.limit, 8 * MIB - reserved);
	ceiling_close(&ceiling);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reserves_leave_a_shared_part),
		cmocka_unit_test(what_is_not_there_reserves_nothing),
		cmocka_unit_test(a_chunk_holds_the_longest_datagram),
		cmocka_unit_test(a_small_ceiling_is_refused_with_the_least),
		cmocka_unit_test(hugepages_want_a_large_ceiling),
		cmocka_unit_test(inputs_find_their_account),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
