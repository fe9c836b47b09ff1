/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames in more than one buffer (jumbo frames, or what a virtual device put together), copied into
 * one piece of memory for the length of a burst. One owner thread.
 */
#ifndef DPDK_JOINER_H
#define DPDK_JOINER_H

#include <stdint.h>

#include "base/span.h"
#include "dsd/burst.h"
#include "mem/region.h"

struct rte_mbuf;

/* The longest frame with an IP packet inside: 65535 bytes behind the 40 of an IPv6 header, behind
 * an Ethernet header with two tags. */
#define JOINER_FRAME_MAX (14 + 2 * 4 + 40 + 65535)

/* Bytes that one can take at worst: a burst of such frames, each with its tailroom. */
#define JOINER_SLOT ((JOINER_FRAME_MAX + BURST_TAILROOM + 63) & ~(size_t)63)
#define JOINER_MEMORY (BURST_MAX * JOINER_SLOT)

struct joiner {
	uint8_t *region;
	size_t used; /* bytes, since the last reset */
	size_t touched; /* bytes, since the last refresh */
};

/* 0 or -ENOMEM. */
int joiner_init(struct joiner *joiner);
void joiner_free(struct joiner *joiner); /* one of zeros, or whose joiner_init failed, is fine */

/* The frame's bytes, with BURST_TAILROOM readable bytes behind them, valid until the reset; the
 * buffers stay the caller's. No data when it is longer than JOINER_FRAME_MAX. At most BURST_MAX
 * frames between two resets. */
struct span joiner_join(struct joiner *joiner, const struct rte_mbuf *mbuf);

static inline void
joiner_reset(struct joiner *joiner)
{
	joiner->used = 0;
}

/* Gives unused memory back: a system call, if there is any. */
void joiner_refresh(struct joiner *joiner);

#endif
