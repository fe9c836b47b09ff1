/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "mem/chunk_pool.h"

#define CHUNK ((size_t)64 << 10)
#define N_CHUNKS 8
#define N_THREADS 4
#define N_ROUNDS 20000

/* Pages of the pool that are in memory, as the kernel sees it. */
static size_t
resident_chunks(const struct chunk_pool *pool)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), n_pages = pool->n * CHUNK / page, n = 0;
	unsigned char *in_core = malloc(n_pages);

	assert_non_null(in_core);
	assert_int_equal(mincore(pool->plain, pool->n * CHUNK, in_core), 0);
	for (size_t i = 0; i < n_pages; i++)
		n += in_core[i] & 1;
	free(in_core);
	return n * page / CHUNK;
}

static void
take(struct chunk_pool *pool, void **chunks, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		chunks[i] = chunk_pool_take(pool);
		assert_non_null(chunks[i]);
		memset(chunks[i], (int)i + 1, CHUNK);
	}
}

static void
give(struct chunk_pool *pool, void **chunks, size_t n)
{
	for (size_t i = 0; i < n; i++)
		chunk_pool_give(pool, chunks[i]);
}

static void
chunks_do_not_overlap(void **state)
{
	void *chunks[N_CHUNKS];
	struct chunk_pool pool;

	(void)state;
	assert_int_equal(chunk_pool_init(&pool, N_CHUNKS * CHUNK, CHUNK, 0, false), 0);
	take(&pool, chunks, N_CHUNKS);
	for (size_t i = 0; i < N_CHUNKS; i++)
		for (size_t at = 0; at < CHUNK; at += CHUNK - 1)
			assert_int_equal(((uint8_t *)chunks[i])[at], i + 1);
	give(&pool, chunks, N_CHUNKS);
	chunk_pool_done(&pool);
}

static void
the_last_one_given_comes_first(void **state)
{
	void *chunks[3];
	struct chunk_pool pool;

	(void)state;
	assert_int_equal(chunk_pool_init(&pool, N_CHUNKS * CHUNK, CHUNK, 0, false), 0);
	take(&pool, chunks, 3);
	give(&pool, chunks, 3);
	for (int i = 0; i < 10; i++) {
		assert_ptr_equal(chunk_pool_take(&pool), chunks[2]);
		chunk_pool_give(&pool, chunks[2]);
	}
	assert_int_equal(resident_chunks(&pool), 3);
	chunk_pool_done(&pool);
}

static void
pages_come_on_demand_and_go_back(void **state)
{
	void *chunks[N_CHUNKS];
	struct chunk_pool pool;

	(void)state;
	assert_int_equal(chunk_pool_init(&pool, N_CHUNKS * CHUNK, CHUNK, 2 * CHUNK, false), 0);
	assert_int_equal(resident_chunks(&pool), 0);
	take(&pool, chunks, 6);
	assert_int_equal(resident_chunks(&pool), 6);
	assert_int_equal(chunk_pool_resident(&pool), 6 * CHUNK);
	give(&pool, chunks, 6);
	chunk_pool_trim(&pool); /* six were in use since the last time */
	assert_int_equal(resident_chunks(&pool), 6);
	chunk_pool_trim(&pool); /* none was: the idle level stays */
	assert_int_equal(resident_chunks(&pool), 2);
	assert_int_equal(chunk_pool_resident(&pool), 2 * CHUNK);
	assert_int_equal(chunk_pool_resident_peak(&pool), 6 * CHUNK);
	take(&pool, chunks, N_CHUNKS); /* those whose pages went are taken again */
	assert_int_equal(resident_chunks(&pool), N_CHUNKS);
	give(&pool, chunks, N_CHUNKS);
	chunk_pool_done(&pool);
}

/* What is in use stays, and as much again as was needed lately. */
static void
a_steady_need_keeps_its_pages(void **state)
{
	void *chunks[5];
	struct chunk_pool pool;

	(void)state;
	assert_int_equal(chunk_pool_init(&pool, N_CHUNKS * CHUNK, CHUNK, 0, false), 0);
	for (int i = 0; i < 5; i++) {
		take(&pool, chunks, 5);
		give(&pool, chunks, 4);
		chunk_pool_trim(&pool);
		assert_int_equal(resident_chunks(&pool), 5);
		give(&pool, chunks + 4, 1);
	}
	chunk_pool_done(&pool);
}

static void *
use_chunks(void *context)
{
	struct chunk_pool *pool = context;
	_Atomic(void *) *chunk;

	for (int i = 0; i < N_ROUNDS; i++) {
		/* Each has two at a time: as many as there are, over all. */
		void *two[2] = {chunk_pool_take(pool), chunk_pool_take(pool)};

		for (int j = 0; j < 2; j++) {
			if (two[j] == NULL)
				return (void *)1;
			chunk = two[j];
			atomic_store_explicit(chunk, &two[j], memory_order_relaxed);
		}
		for (int j = 0; j < 2; j++) {
			chunk = two[j];
			if (atomic_load_explicit(chunk, memory_order_relaxed) != &two[j])
				return (void *)2; /* somebody else has it too */
			chunk_pool_give(pool, chunk);
		}
	}
	return NULL;
}

static void
threads_never_share_a_chunk_and_never_go_without(void **state)
{
	pthread_t thread[N_THREADS];
	struct chunk_pool pool;

	(void)state;
	assert_int_equal(chunk_pool_init(&pool, N_CHUNKS * CHUNK, CHUNK, 0, false), 0);
	for (size_t i = 0; i < N_THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, use_chunks, &pool), 0);
	for (int i = 0; i < 200; i++) {
		chunk_pool_trim(&pool);
		usleep(100);
	}
	for (size_t i = 0; i < N_THREADS; i++) {
		void *result;

		pthread_join(thread[i], &result);
		assert_null(result);
	}
	assert_int_equal(pool.n_used, 0);
	chunk_pool_trim(&pool);
	chunk_pool_trim(&pool);
	assert_int_equal(resident_chunks(&pool), 0);
	chunk_pool_done(&pool);
}

/* With no hugepages, or too few, ordinary ones stand in: nothing fails, and nothing is killed. */
static void
hugepages_are_a_wish(void **state)
{
	void *chunks[4];
	struct chunk_pool pool;

	(void)state;
	assert_int_equal(
		chunk_pool_init(&pool, 4 * CHUNK_POOL_HUGEPAGE, CHUNK_POOL_HUGEPAGE, 0, true), 0);
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < 4; i++) {
			chunks[i] = chunk_pool_take(&pool);
			assert_non_null(chunks[i]);
			memset(chunks[i], 1, CHUNK_POOL_HUGEPAGE);
		}
		give(&pool, chunks, 4);
		chunk_pool_trim(&pool);
		chunk_pool_trim(&pool);
		assert_int_equal(chunk_pool_resident(&pool), 0);
	}
	chunk_pool_done(&pool);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chunks_do_not_overlap),
		cmocka_unit_test(the_last_one_given_comes_first),
		cmocka_unit_test(pages_come_on_demand_and_go_back),
		cmocka_unit_test(a_steady_need_keeps_its_pages),
		cmocka_unit_test(threads_never_share_a_chunk_and_never_go_without),
		cmocka_unit_test(hugepages_are_a_wish),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
