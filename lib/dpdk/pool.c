/* SPDX-License-Identifier: BSD-3-Clause */
#include "dpdk/pool.h"

#include <errno.h>

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

static int
create_on(const char *name, unsigned n, uint16_t size, int node, bool dma,
	struct rte_mempool **ret_pool)
{
	struct rte_pktmbuf_pool_private room = {
		.mbuf_data_room_size = (uint16_t)(RTE_PKTMBUF_HEADROOM + size)};
	/* Where no device sees the addresses, buffers may cross pages: 40 % less memory. */
	unsigned flags = dma ? 0 : RTE_MEMPOOL_F_NO_IOVA_CONTIG;
	struct rte_mempool *pool = rte_mempool_create_empty(name, n, ELEMENT_SIZE(size), CACHE_SIZE,
		sizeof(room), node, flags);
	int result;

	if (pool == NULL)
		return rte_errno != 0 ? -rte_errno : -ENOMEM;
	/* Workers may share a CPU: a ring in which a preempted thread does not hold up the rest. */
	result = rte_mempool_set_ops_byname(pool, "ring_mt_rts", NULL);
	if (result == 0) {
		rte_pktmbuf_pool_init(pool, &room);
		result = rte_mempool_populate_default(pool);
	}
	if (result < 0) {
		rte_mempool_free(pool);
		return result;
	}
	rte_mempool_obj_iter(pool, rte_pktmbuf_init, NULL);
	*ret_pool = pool;
	return 0;
}

int
pool_create(const char *name, unsigned n, uint16_t size, int node, bool dma,
	struct rte_mempool **ret_pool)
{
	struct node_policy before;
	int result;

	/* Ordinary memory has no node of its own: its pages go where they are touched first, which
	 * is here. Where the kernel does not let us choose, they go to the calling thread's. */
	node_prefer(node, &before);
	result = create_on(name, n, size, node, dma, ret_pool);
	node_restore(&before);
	if (result == -ENOMEM && node != SOCKET_ID_ANY)
		result = create_on(name, n, size, SOCKET_ID_ANY, dma, ret_pool);
	return result;
}
