/* SPDX-License-Identifier: BSD-3-Clause */
/* Packet buffers of one port, in one piece of memory that is sized to the need. */
#ifndef DPDK_POOL_H
#define DPDK_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rte_mempool;

/* Bytes that a pool of n buffers takes, each for size bytes of a frame, rounded up. */
size_t pool_memory(unsigned n, uint16_t size);

/* A pool on the NUMA node, or on any node where that one has no memory; dma: a device writes into
 * the buffers itself. 0, or -errno; ret_pool is untouched then. The owner frees it with
 * rte_mempool_free. */
int pool_create(const char *name, unsigned n, uint16_t size, int node, bool dma,
	struct rte_mempool **ret_pool);

/* How many buffers the caches of n_threads can keep back. */
unsigned pool_cached(unsigned n_threads);

#endif
