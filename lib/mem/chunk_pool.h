/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory for bursts: a range of addresses cut into chunks of one size. A chunk gets its pages when
 * it is taken for the first time; the chunk that was given back last is taken first, so a small
 * need stays in few, warm pages. chunk_pool_trim returns the pages of chunks that were not needed
 * lately to the kernel.
 *
 * How much may be taken is for accounts to say (mem/account.h): take from the account before
 * chunk_pool_take, and give to it after chunk_pool_give.
 */
#ifndef MEM_CHUNK_POOL_H
#define MEM_CHUNK_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

#define CHUNK_POOL_HUGEPAGE ((size_t)2 << 20)

struct chunk_link;

struct chunk_pool {
	/* Written once. */
	size_t chunk_size;
	uint32_t n; /* chunks */
	uint32_t n_idle; /* chunks that keep their pages when nobody needs them */
	int huge_fd; /* file of hugepages, or -1 */
	uint8_t *plain, *huge; /* the same range twice: a chunk lives in one of them */
	struct chunk_link *link; /* by chunk */

	/* Any thread. The stacks hold chunk numbers; the upper half of their word counts up with
	 * every change, so that a chunk that left and came back is not taken for one that stayed.
	 */
	cache_aligned _Atomic uint64_t warm; /* free chunks that have pages */
	cache_aligned _Atomic uint64_t cold; /* free chunks whose pages were returned */
	cache_aligned _Atomic uint32_t n_fresh; /* chunks that were ever taken: the first so many */
	_Atomic uint32_t n_used, n_resident;
	_Atomic uint32_t used_peak; /* since the last trim */
	_Atomic uint32_t resident_peak;
};

/* limit: bytes that all accounts of the pool together may take. idle: bytes that keep their pages.
 * hugepages: each chunk lies in hugepages where there are free ones; chunk_size is a multiple of
 * CHUNK_POOL_HUGEPAGE then, and of the page size otherwise. 0 or -errno. */
int chunk_pool_init(struct chunk_pool *pool, size_t limit, size_t chunk_size, size_t idle,
	bool hugepages);

/* All chunks were given back, or nobody will touch them again. All zero is fine. */
void chunk_pool_done(struct chunk_pool *pool);

/* chunk_size bytes, page-aligned, not zeroed. NULL: the machine has no memory. */
void *chunk_pool_take(struct chunk_pool *pool);
void chunk_pool_give(struct chunk_pool *pool, void *chunk);

/* Returns the pages of free chunks beyond what was in use at any time since the last call, and
 * beyond the idle level. One thread only, about once a second: all is back after the second call
 * that follows a burst. */
void chunk_pool_trim(struct chunk_pool *pool);

/* Bytes that have pages now, and the most since the start. */
size_t chunk_pool_resident(const struct chunk_pool *pool);
size_t chunk_pool_resident_peak(const struct chunk_pool *pool);

#endif
