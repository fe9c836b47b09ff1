/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Puts fragments of IPv4 and IPv6 datagrams together: RFC 791 section 3.2, RFC 8200 section 4.5,
 * RFC 5722. One owner thread.
 *
 * Bounded: REASSEMBLY_WAITING datagrams can be incomplete at a time, each of which takes the pages
 * that its bytes need, 64 KiB at most. A new one beyond that takes the place of the oldest: a flood
 * of datagrams that never get complete costs the others nothing, as long as their fragments follow
 * each other closely. A fragment is copied, so no receive buffer is held.
 *
 * An exact duplicate is left out. Fragments that overlap otherwise spoil their datagram: it and all
 * its fragments, also those to come, are dropped until its time is over.
 *
 * A datagram has 2 s to become complete. RFC 8200 allows 60 s and RFC 1122 asks for that much on
 * the Internet; here senders are a few ms away, and the longer an incomplete one waits, the more
 * likely a later datagram with the same identification, which has 16 bits in IPv4, is mixed into it
 * (RFC 4963).
 *
 * Every fragment is counted once: by the caller under what reassembly_add returns, and what it
 * returned STAT_frames_queued for is moved from there by whatever ends it.
 */
#ifndef FRAME_REASSEMBLY_H
#define FRAME_REASSEMBLY_H

#include "frame/frame.h"
#include "mem/region.h"
#include "stats/stats.h"

#define REASSEMBLY_WAITING 64 /* incomplete datagrams */
#define REASSEMBLY_FINISHED 64 /* complete ones until the next reassembly_release */
#define REASSEMBLY_FRAGMENTS 128 /* of a datagram; 65535 bytes at an MTU of 576 are 119 */
#define REASSEMBLY_TIMEOUT (2 * UINT64_C(1000000000)) /* ns */
#define REASSEMBLY_TAILROOM 64 /* readable bytes behind a datagram */

/* Bytes that one can take at worst. */
#define REASSEMBLY_SLOT (17 * (size_t)REGION_PAGE) /* whole pages: a datagram and its tailroom */
#define REASSEMBLY_MEMORY ((REASSEMBLY_WAITING + REASSEMBLY_FINISHED) * REASSEMBLY_SLOT)

struct reassembly;

/* stats is where it counts. 0 or -ENOMEM; ret_reassembly is untouched then. */
int reassembly_new(struct stats *stats, struct reassembly **ret_reassembly);
void reassembly_free(struct reassembly *reassembly); /* NULL is fine */

/*
 * Takes a fragment from frame_parse in; now is monotonic, in ns. STAT_NONE when it completes its
 * datagram: *ret_packet is that, valid until reassembly_release, and all fragments but this one
 * are counted as reassembled. Otherwise how this fragment is to be counted: STAT_frames_queued or
 * STAT_frames_dropped_….
 */
enum counter reassembly_add(struct reassembly *reassembly, const struct frame *fragment,
	uint64_t now, struct packet *ret_packet);

/* Takes back the datagrams that were handed out. At most REASSEMBLY_FINISHED lie between two. */
void reassembly_release(struct reassembly *reassembly);

/* Ends what is past its time, and gives the memory of unused slots back: system calls. */
void reassembly_refresh(struct reassembly *reassembly, uint64_t now);

/* Nothing more will come: ends all that waits. */
void reassembly_stop(struct reassembly *reassembly);

#endif
