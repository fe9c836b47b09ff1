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
 * the buffers itself. NULL and rte_errno on failure. */
struct rte_mempool *pool_create(const char *name, unsigned n, uint16_t size, int node, bool dma);

/* How many buffers the caches of n_threads can keep back. */
unsigned pool_cached(unsigned n_threads);

#endif
