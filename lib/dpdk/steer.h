/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Spreads a port's frames over more workers than the device has queues, or can spread over: the
 * worker that polls a queue keeps a part of the flows and puts the others' frames, unread but for
 * their flow, into a bounded ring for each other worker (a lane). A full lane refuses, and never
 * holds up the queue. Frames of one flow take one way, and keep their order.
 *
 * What of a port one worker gets is a share. Shares below the number of queues are polled, share i
 * from queue i; a share beyond them comes over a lane from queue i modulo the number of queues.
 */
#ifndef DPDK_STEER_H
#define DPDK_STEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rte_mbuf;
struct steer; /* a port's */
struct steer_poller; /* the side that polls a queue */
struct steer_lane; /* the side of a worker behind it */

struct steer_conf {
	uint16_t port_number, n_queues, n_shares; /* more shares than queues */
	int node; /* NUMA node for the lanes; -1: any */
};

/* EAL memory of so many lanes in bytes, and the buffers that they can hold. */
size_t steer_memory(unsigned n_lanes);
unsigned steer_buffers(unsigned n_lanes);

/* 0, or -errno. */
int steer_new(const struct steer_conf *conf, struct steer **ret_steer);
void steer_free(struct steer *steer); /* lanes must be empty; NULL is fine */

/* Whether the device's hash of a frame, where it gives one, tells flows apart; false until this is
 * called. While nobody polls. */
void steer_trust_hash(struct steer *steer, bool trusts);

/* NULL: nobody else gets frames of that queue. */
struct steer_poller *steer_poller(struct steer *steer, uint16_t queue);
struct steer_lane *steer_lane(struct steer *steer, uint16_t share);

/* Polling worker only. Hands the others' frames over and returns how many stay: the first ones in
 * mbufs, in their order. What no lane took is freed and counted in *ret_refused. BURST_MAX at most.
 */
uint16_t steer_split(struct steer_poller *poller, struct rte_mbuf **mbufs, uint16_t n,
	uint16_t *ret_refused);

/* Polling worker only: nothing will be handed over any more. NULL is fine. */
void steer_end(struct steer_poller *poller);

/* The lane's worker only. */
uint16_t steer_take(struct steer_lane *lane, struct rte_mbuf **mbufs, uint16_t n_max);

/* The lane's worker only: it is empty and stays so. */
bool steer_is_over(struct steer_lane *lane);

#endif
