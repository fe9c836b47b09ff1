/* SPDX-License-Identifier: BSD-3-Clause */
/* hot: no malloc, no syscall, no log, no lock */
#include "dpdk/steer.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <rte_errno.h>
#include <rte_mbuf.h>
#include <rte_prefetch.h>
#include <rte_ring.h>

#include "base/compiler.h"
#include "dsd/burst.h"
#include "frame/flow.h"

/* Frames in a lane: as many as in a NIC's ring, and what comes in the longest nap of its worker
 * (1 ms) at a million frames a second. */
#define LANE_SIZE 1024

/* How far ahead a frame's headers are fetched. */
#define AHEAD 4

struct steer_lane {
	cache_aligned struct rte_ring *ring;
	_Atomic bool ended; /* written by the poller */
};

struct target {
	struct steer_lane *lane; /* NULL: the poller itself */
	uint16_t n;
	struct rte_mbuf *frame[BURST_MAX]; /* of the burst that is being split */
};

struct steer_poller {
	cache_aligned uint64_t seed;
	bool trusts_hash;
	uint32_t n_targets;
	struct target target[];
};

struct steer {
	uint16_t n_queues, n_lanes;
	struct steer_lane *lane;
	struct steer_poller **poller; /* by queue */
};

size_t
steer_memory(unsigned n_lanes)
{
	return n_lanes * ((size_t)rte_ring_get_memsize(LANE_SIZE * 2) + CACHE_LINE_SIZE);
}

unsigned
steer_buffers(unsigned n_lanes)
{
	/* In the lane, in the burst that is decoded behind it, in the one that is split before. */
	return n_lanes * (LANE_SIZE + 2 * BURST_MAX);
}

static int
lanes_open(struct steer *steer, const struct steer_conf *conf)
{
	for (; steer->n_lanes < conf->n_shares - conf->n_queues; steer->n_lanes++) {
		char name[RTE_RING_NAMESIZE];

		snprintf(name, sizeof(name), "lane%u.%u", conf->port_number, steer->n_lanes);
		steer->lane[steer->n_lanes].ring = rte_ring_create(name, LANE_SIZE, conf->node,
			RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ);
		if (steer->lane[steer->n_lanes].ring == NULL)
			return -rte_errno;
	}
	return 0;
}

static int
poller_open(struct steer *steer, const struct steer_conf *conf, uint16_t queue)
{
	uint32_t n_targets = (conf->n_shares - queue - 1u) / conf->n_queues + 1;
	size_t size = sizeof(struct steer_poller) + n_targets * sizeof(struct target);
	struct steer_poller *poller;

	if (n_targets == 1)
		return 0;
	size = (size + CACHE_LINE_SIZE - 1) / CACHE_LINE_SIZE * CACHE_LINE_SIZE;
	poller = aligned_alloc(CACHE_LINE_SIZE, size);
	if (poller == NULL)
		return -ENOMEM;
	memset(poller, 0, size);
	steer->poller[queue] = poller;
	poller->n_targets = n_targets;
	for (uint32_t i = 1; i < n_targets; i++)
		poller->target[i].lane = &steer->lane[queue + (i - 1) * conf->n_queues];
	return getrandom(&poller->seed, sizeof(poller->seed), 0) == sizeof(poller->seed) ? 0
											 : -errno;
}

int
steer_new(const struct steer_conf *conf, struct steer **ret_steer)
{
	size_t n_lanes = (size_t)conf->n_shares - conf->n_queues;
	struct steer *steer = calloc(1, sizeof(*steer));
	int result = -ENOMEM;

	if (steer == NULL)
		return -ENOMEM;
	steer->n_queues = conf->n_queues;
	steer->poller = calloc(conf->n_queues, sizeof(struct steer_poller *));
	steer->lane = aligned_alloc(CACHE_LINE_SIZE, n_lanes * sizeof(struct steer_lane));
	if (steer->poller == NULL || steer->lane == NULL)
		goto fail;
	memset(steer->lane, 0, n_lanes * sizeof(struct steer_lane));
	result = lanes_open(steer, conf);
	for (uint16_t i = 0; i < conf->n_queues && result == 0; i++)
		result = poller_open(steer, conf, i);
	if (result != 0)
		goto fail;
	*ret_steer = steer;
	return 0;

fail:
	steer_free(steer);
	return result;
}

void
steer_free(struct steer *steer)
{
	if (steer == NULL)
		return;
	for (uint16_t i = 0; i < steer->n_lanes; i++)
		rte_ring_free(steer->lane[i].ring);
	for (uint16_t i = 0; steer->poller != NULL && i < steer->n_queues; i++)
		free(steer->poller[i]);
	free(steer->poller);
	free(steer->lane);
	free(steer);
}

void
steer_trust_hash(struct steer *steer, bool trusts)
{
	for (uint16_t i = 0; i < steer->n_queues; i++)
		if (steer->poller[i] != NULL)
			steer->poller[i]->trusts_hash = trusts;
}

struct steer_poller *
steer_poller(struct steer *steer, uint16_t queue)
{
	return steer->poller[queue];
}

struct steer_lane *
steer_lane(struct steer *steer, uint16_t share)
{
	return &steer->lane[share - steer->n_queues];
}

/* The target of a frame; 0, the poller itself, for what has no flow. Fragments are of another type
 * for the device (RTE_PTYPE_L4_FRAG), so those are looked into. */
static inline uint32_t
choose(const struct steer_poller *poller, const struct rte_mbuf *mbuf)
{
	uint64_t hash;

	if (poller->trusts_hash && (mbuf->ol_flags & RTE_MBUF_F_RX_RSS_HASH) != 0 &&
		(mbuf->packet_type & RTE_PTYPE_L4_MASK) == RTE_PTYPE_L4_UDP)
		hash = mbuf->hash.rss * UINT64_C(0x9e3779b97f4a7c15); /* 2^64 / golden ratio */
	else if (!flow_hash(span_of(rte_pktmbuf_mtod(mbuf, uint8_t *), mbuf->data_len),
			 poller->seed, &hash))
		return 0;
	return (uint32_t)((hash >> 32) * poller->n_targets >> 32);
}

/* Returns how many did not fit. */
static inline uint16_t
hand_over(struct target *target)
{
	unsigned n = rte_ring_sp_enqueue_burst(target->lane->ring, (void **)target->frame,
		target->n, NULL);
	uint16_t n_left = (uint16_t)(target->n - n);

	if (unlikely(n_left != 0))
		rte_pktmbuf_free_bulk(target->frame + n, n_left);
	target->n = 0;
	return n_left;
}

uint16_t
steer_split(struct steer_poller *poller, struct rte_mbuf **mbufs, uint16_t n, uint16_t *ret_refused)
{
	uint16_t n_kept = 0, n_refused = 0;

	for (uint16_t i = 0; i < n && i < AHEAD; i++)
		rte_prefetch0(rte_pktmbuf_mtod(mbufs[i], const void *));
	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *mbuf = mbufs[i];
		uint32_t chosen;

		if (i + AHEAD < n)
			rte_prefetch0(rte_pktmbuf_mtod(mbufs[i + AHEAD], const void *));
		chosen = choose(poller, mbuf);
		if (chosen == 0)
			mbufs[n_kept++] = mbuf;
		else
			poller->target[chosen].frame[poller->target[chosen].n++] = mbuf;
	}
	for (uint32_t i = 1; i < poller->n_targets; i++)
		if (poller->target[i].n != 0)
			n_refused += hand_over(&poller->target[i]);
	*ret_refused = n_refused;
	return n_kept;
}

void
steer_end(struct steer_poller *poller)
{
	if (poller == NULL)
		return;
	for (uint32_t i = 1; i < poller->n_targets; i++)
		atomic_store_explicit(&poller->target[i].lane->ended, true, memory_order_release);
}

uint16_t
steer_take(struct steer_lane *lane, struct rte_mbuf **mbufs, uint16_t n_max)
{
	return (uint16_t)rte_ring_sc_dequeue_burst(lane->ring, (void **)mbufs, n_max, NULL);
}

bool
steer_is_over(struct steer_lane *lane)
{
	/* In this order: what was put in before the end is seen after it. */
	return atomic_load_explicit(&lane->ended, memory_order_acquire) &&
		rte_ring_empty(lane->ring);
}
