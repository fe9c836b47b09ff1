/* SPDX-License-Identifier: BSD-3-Clause */
#include "dpdk/pool.h"

#include <rte_errno.h>
#include <rte_mbuf.h>

#include "dsd/burst.h"
#include "mem/node.h"

#define CACHE_SIZE 64
/* The device does not know of the bytes at the end, which vectors may read. */
#define ELEMENT_SIZE(size) \
	((unsigned)(sizeof(struct rte_mbuf) + RTE_PKTMBUF_HEADROOM + (size) + BURST_TAILROOM))

size_t
pool_memory(unsigned n, uint16_t size)
{
	size_t element = RTE_ALIGN_CEIL(ELEMENT_SIZE(size), 4096);

	/* For a device no buffer crosses a page: one in each page of 4 KiB at worst. Beside them
	 * the ring of pointers, and a cache for each of EAL's possible threads. */
	return n * (element + 16) + RTE_MAX_LCORE * sizeof(struct rte_mempool_cache) + 65536;
}

unsigned
pool_cached(unsigned n_threads)
{
	/* DPDK lets a cache grow to half as much again before it flushes. */
	return n_threads * (CACHE_SIZE + CACHE_SIZE / 2);
}

static struct rte_mempool *
create_on(const char *name, unsigned n, uint16_t size, int node, bool dma)
{
	struct rte_pktmbuf_pool_private room = {
		.mbuf_data_room_size = (uint16_t)(RTE_PKTMBUF_HEADROOM + size)};
	/* Where no device sees the addresses, buffers may cross pages: 40 % less memory. */
	unsigned flags = dma ? 0 : RTE_MEMPOOL_F_NO_IOVA_CONTIG;
	struct rte_mempool *pool = rte_mempool_create_empty(name, n, ELEMENT_SIZE(size), CACHE_SIZE,
		sizeof(room), node, flags);

	if (pool == NULL)
		return NULL;
	/* Workers may share a CPU: a ring in which a preempted thread does not hold up the rest. */
	if (rte_mempool_set_ops_byname(pool, "ring_mt_rts", NULL) != 0)
		goto fail;
	rte_pktmbuf_pool_init(pool, &room);
	if (rte_mempool_populate_default(pool) < 0)
		goto fail;
	rte_mempool_obj_iter(pool, rte_pktmbuf_init, NULL);
	return pool;

fail:
	rte_mempool_free(pool);
	return NULL;
}

struct rte_mempool *
pool_create(const char *name, unsigned n, uint16_t size, int node, bool dma)
{
	struct node_policy before;
	struct rte_mempool *pool;

	/* Ordinary memory has no node of its own: its pages go where they are touched first, which
	 * is here. Where the kernel does not let us choose, they go to the calling thread's. */
	node_prefer(node, &before);
	pool = create_on(name, n, size, node, dma);
	node_restore(&before);
	if (pool == NULL && node != SOCKET_ID_ANY && rte_errno == ENOMEM)
		pool = create_on(name, n, size, SOCKET_ID_ANY, dma);
	return pool;
}
