/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What one share of a port (dpdk/steer.h) does with frames that carry no datagram for it: it
 * answers as a host does (frame/answerer.h), or hands them to the exception port, or counts why
 * they end. It also sends what comes out of the exception port, and, for the first share, the
 * port's probes and announcements. Belongs to the thread that has the share, and sends on the queue
 * of the same number, of which there is one for each that is polled: no locks. What is steered in
 * software to other shares is UDP, which asks for no answer.
 */
#ifndef DPDK_RESPONDER_H
#define DPDK_RESPONDER_H

#include <stdint.h>

#include "dpdk/port.h"
#include "dsd/burst.h"
#include "stats/stats.h"

struct responder;
struct rte_mbuf;

/* Frames that end here, each with its reason so far. */
struct refused {
	struct rte_mbuf *frame[BURST_MAX];
	enum counter reason[BURST_MAX];
	uint16_t n;
};

/* stats belongs to the thread that polls. 0 or -ENOMEM. */
int responder_new(struct port *port, uint16_t share, struct stats *stats,
	struct responder **ret_responder);

/* Takes all of them; each is counted once and its buffer given back. now: ns, monotonic. */
void responder_take(struct responder *responder, struct refused *refused, uint64_t now);

/* Sends what waits at the exception port: a burst of each queue at most. Once a turn; nothing
 * without one. */
void responder_relay(struct responder *responder);

/* About once a second: what is due of the port's own accord; what the device does not take is due
 * the next time. now: ns, monotonic. */
void responder_refresh(struct responder *responder, uint64_t now);

/* NULL is fine. */
void responder_free(struct responder *responder);

#endif
