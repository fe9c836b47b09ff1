/* SPDX-License-Identifier: BSD-3-Clause */
#include "mem/chunk_pool.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/memfd.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mem/region.h"

#define NO_CHUNK UINT32_MAX
#define TAKE_TRIES 8 /* a chunk can pass from one stack to the other behind our back */

struct chunk_link {
	_Atomic uint32_t next; /* below this one in its stack */
	_Atomic bool is_huge; /* where its pages are */
};

static uint64_t
changed_top(uint64_t top, uint32_t chunk)
{
	return ((top >> 32) + 1) << 32 | chunk;
}

static void
push(struct chunk_pool *pool, _Atomic uint64_t *stack, uint32_t chunk)
{
	uint64_t top = atomic_load_explicit(stack, memory_order_relaxed);

	do
		atomic_store_explicit(&pool->link[chunk].next, (uint32_t)top, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(stack, &top, changed_top(top, chunk),
		memory_order_release, memory_order_relaxed));
}

static uint32_t
pop(struct chunk_pool *pool, _Atomic uint64_t *stack)
{
	uint64_t top = atomic_load_explicit(stack, memory_order_acquire);
	uint32_t chunk, next;

	do {
		chunk = (uint32_t)top;
		if (chunk == NO_CHUNK)
			return NO_CHUNK;
		next = atomic_load_explicit(&pool->link[chunk].next, memory_order_relaxed);
	} while (!atomic_compare_exchange_weak_explicit(stack, &top, changed_top(top, next),
		memory_order_acquire, memory_order_acquire));
	return chunk;
}

/* A chunk that was never taken before. */
static uint32_t
next_fresh(struct chunk_pool *pool)
{
	uint32_t n = atomic_load_explicit(&pool->n_fresh, memory_order_relaxed);

	do
		if (n == pool->n)
			return NO_CHUNK;
	while (!atomic_compare_exchange_weak_explicit(&pool->n_fresh, &n, n + 1,
		memory_order_relaxed, memory_order_relaxed));
	return n;
}

static void
raise(_Atomic uint32_t *peak, uint32_t value)
{
	uint32_t before = atomic_load_explicit(peak, memory_order_relaxed);

	while (before < value &&
		!atomic_compare_exchange_weak_explicit(peak, &before, value, memory_order_relaxed,
			memory_order_relaxed))
		;
}

static uint8_t *
address(const struct chunk_pool *pool, uint32_t chunk)
{
	bool is_huge = atomic_load_explicit(&pool->link[chunk].is_huge, memory_order_relaxed);

	return (is_huge ? pool->huge : pool->plain) + chunk * pool->chunk_size;
}

/* All pages of a chunk at once: several times cheaper than a fault for each, and where there are
 * none this fails, where a fault in a hugepage would end the process. */
static bool
populate(struct chunk_pool *pool, uint32_t chunk)
{
	off_t offset = (off_t)(chunk * pool->chunk_size);
	bool is_huge = pool->huge_fd >= 0 &&
		fallocate(pool->huge_fd, 0, offset, (off_t)pool->chunk_size) == 0;

	atomic_store_explicit(&pool->link[chunk].is_huge, is_huge, memory_order_relaxed);
	/* EINVAL: a kernel before 5.14, where the pages come one by one. */
	if (!is_huge && madvise(address(pool, chunk), pool->chunk_size, MADV_POPULATE_WRITE) != 0 &&
		errno != EINVAL) {
		region_give_back(address(pool, chunk), pool->chunk_size); /* a part of it */
		return false;
	}
	raise(&pool->resident_peak, atomic_fetch_add(&pool->n_resident, 1) + 1);
	return true;
}

static void
depopulate(struct chunk_pool *pool, uint32_t chunk)
{
	if (atomic_load_explicit(&pool->link[chunk].is_huge, memory_order_relaxed))
		fallocate(pool->huge_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			(off_t)(chunk * pool->chunk_size), (off_t)pool->chunk_size);
	else
		region_give_back(address(pool, chunk), pool->chunk_size);
	atomic_fetch_sub(&pool->n_resident, 1);
}

static void
open_hugepages(struct chunk_pool *pool, size_t size)
{
	void *memory = MAP_FAILED;

	pool->huge_fd = memfd_create("penstock-burst", MFD_CLOEXEC | MFD_HUGETLB | MFD_HUGE_2MB);
	if (pool->huge_fd >= 0 && ftruncate(pool->huge_fd, (off_t)size) == 0)
		memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
			pool->huge_fd, 0);
	if (memory != MAP_FAILED) {
		pool->huge = memory;
		return;
	}
	if (pool->huge_fd >= 0)
		close(pool->huge_fd);
	pool->huge_fd = -1;
}

int
chunk_pool_init(struct chunk_pool *pool, size_t limit, size_t chunk_size, size_t idle,
	bool hugepages)
{
	/* One more than the accounts give out, since a trim has one in its hands. */
	size_t n = limit / chunk_size + 1, size = n * chunk_size;

	assert(n < NO_CHUNK && (!hugepages || chunk_size % CHUNK_POOL_HUGEPAGE == 0));
	*pool = (struct chunk_pool){
		.chunk_size = chunk_size,
		.n = (uint32_t)n,
		.n_idle = (uint32_t)(idle / chunk_size),
		.huge_fd = -1,
		.warm = NO_CHUNK,
		.cold = NO_CHUNK,
	};
	pool->plain = region_map(size);
	if (pool->plain == NULL)
		return -ENOMEM;
	pool->link = calloc(n, sizeof(pool->link[0]));
	if (pool->link == NULL) {
		chunk_pool_done(pool);
		return -ENOMEM;
	}
	if (hugepages)
		open_hugepages(pool, size);
	return 0;
}

void
chunk_pool_done(struct chunk_pool *pool)
{
	size_t size = pool->n * pool->chunk_size;

	if (pool->plain == NULL)
		return;
	region_unmap(pool->plain, size);
	if (pool->huge != NULL)
		munmap(pool->huge, size);
	if (pool->huge_fd >= 0)
		close(pool->huge_fd);
	free(pool->link);
	*pool = (struct chunk_pool){.huge_fd = -1};
}

static uint32_t
find(struct chunk_pool *pool, bool *ret_is_warm)
{
	for (int i = 0; i < TAKE_TRIES; i++) {
		uint32_t chunk = pop(pool, &pool->warm);

		*ret_is_warm = chunk != NO_CHUNK;
		if (chunk == NO_CHUNK)
			chunk = pop(pool, &pool->cold);
		if (chunk == NO_CHUNK)
			chunk = next_fresh(pool);
		if (chunk != NO_CHUNK)
			return chunk;
	}
	return NO_CHUNK;
}

void *
chunk_pool_take(struct chunk_pool *pool)
{
	bool is_warm;
	uint32_t chunk = find(pool, &is_warm);

	if (chunk == NO_CHUNK)
		return NULL;
	if (!is_warm && !populate(pool, chunk)) {
		push(pool, &pool->cold, chunk);
		return NULL;
	}
	raise(&pool->used_peak, atomic_fetch_add(&pool->n_used, 1) + 1);
	return address(pool, chunk);
}

void
chunk_pool_give(struct chunk_pool *pool, void *chunk)
{
	const uint8_t *at = chunk;
	size_t offset = (size_t)(at - pool->plain);

	if (at < pool->plain || offset >= pool->n * pool->chunk_size)
		offset = (size_t)(at - pool->huge);
	assert(offset % pool->chunk_size == 0 && offset / pool->chunk_size < pool->n);
	atomic_fetch_sub(&pool->n_used, 1);
	push(pool, &pool->warm, (uint32_t)(offset / pool->chunk_size));
}

void
chunk_pool_trim(struct chunk_pool *pool)
{
	uint32_t used = atomic_load(&pool->n_used);
	uint32_t kept = atomic_exchange(&pool->used_peak, used) + pool->n_idle;

	while (atomic_load(&pool->n_resident) > kept) {
		uint32_t chunk = pop(pool, &pool->warm);

		if (chunk == NO_CHUNK)
			return;
		depopulate(pool, chunk);
		push(pool, &pool->cold, chunk);
	}
}

size_t
chunk_pool_resident(const struct chunk_pool *pool)
{
	return atomic_load(&pool->n_resident) * pool->chunk_size;
}

size_t
chunk_pool_resident_peak(const struct chunk_pool *pool)
{
	return atomic_load(&pool->resident_peak) * pool->chunk_size;
}
