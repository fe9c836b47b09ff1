/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a host does about frames that carry no datagram for it: it answers ARP (RFC 826) and
 * neighbour solicitations (RFC 4861 section 7.2.4) for its addresses, and ICMP echo requests to
 * them (RFC 1122 section 3.2.2.6, RFC 4443 section 4.2); it learns where its gateways are, and
 * notices who else uses its addresses (RFC 5227 section 2.4).
 *
 * Answers keep the tags (VLAN, QinQ) of the question. Never answered: fragments, what came to a
 * group (but for solicitations), what comes from an address that is not one station's. Questions
 * about addresses and echo requests have a limit each, so that a flood of the one leaves the
 * other alone.
 */
#ifndef FRAME_ANSWERER_H
#define FRAME_ANSWERER_H

#include "base/span.h"
#include "frame/allowance.h"
#include "frame/host.h"
#include "stats/stats.h"

#define ANSWERER_PER_SECOND 1000
#define ANSWERER_AT_ONCE 100

/* One for each queue. */
struct answerer {
	struct host *host; /* shared */
	struct allowance neighbours, echoes;
};

/* Bytes that an answer to a frame of that size can need. */
static inline size_t
answerer_room(size_t frame_size)
{
	return frame_size < 120 ? 128 : frame_size + 8;
}

/*
 * STAT_frames_answered with the answer, which has *ret_size bytes; or why there is none:
 * not_asked, bad_neighbour, bad_echo, address_conflict, address_not_ready, answer_limit,
 * no_gateway. STAT_NONE: the frame is none of these things, or not for this host. ret_answer has
 * answerer_room bytes and does not overlap the frame. now: ns, monotonic.
 */
enum counter answerer_take(struct answerer *answerer, struct span frame, uint64_t now,
	uint8_t *ret_answer, size_t *ret_size);

#endif
