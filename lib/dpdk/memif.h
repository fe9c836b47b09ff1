/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shared memory of a memif client, for what DPDK's driver does not tell: how far the peer has
 * read. The layout is memif's, version 2.0; the client's first ring starts region 0.
 */
#ifndef DPDK_MEMIF_H
#define DPDK_MEMIF_H

struct memif_ring;

/* The first ring from client to server, or NULL when this process has not exactly one region 0.
 * Valid as long as the peer is connected (see dpdk/guard.h). */
const struct memif_ring *memif_find_ring(void);

/* Frames that the client has written and the server has not read. */
int memif_unread(const struct memif_ring *ring);

#endif
