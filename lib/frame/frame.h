/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From an Ethernet frame to its UDP payload, to a fragment, or to one named reason. Pure, allocates
 * nothing, copies nothing, never reads past the frame.
 *
 * Ethernet II with up to two tags (IEEE 802.1Q, 802.1ad), IPv4 with options (RFC 791), IPv6 with
 * up to 8 extension headers (RFC 8200, AH: RFC 4302), UDP (RFC 768).
 *
 * What follows the IP datagram in the frame (Ethernet padding) and what follows the UDP datagram
 * in the IP datagram is cut off. An IPv6 "atomic" fragment (RFC 6946) is a whole datagram; any
 * other fragment is for frame/reassembly.h. IP options and the options inside extension headers are
 * skipped unread; a routing header that still has segments to visit is not for us.
 */
#ifndef FRAME_FRAME_H
#define FRAME_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "stats/stats.h"

/* Which checksums to compute. What a device has verified need not be computed again. A UDP
 * checksum of 0 over IPv4 means "none" and is never wrong (RFC 768); over IPv6 it is wrong
 * (RFC 8200 section 8.1). */
enum frame_check {
	FRAME_CHECK_IP = 1 << 0,
	FRAME_CHECK_UDP = 1 << 1,
};

/* What IP carries, as long as IP says. */
struct packet {
	const uint8_t *source; /* IP address, network order; the destination follows it */
	uint8_t address_size; /* 4 or 16 */
	uint8_t type; /* of what the body begins with: the IPv4 protocol or IPv6 next header */
	struct span body;
};

/* Where a fragment's body belongs (RFC 791 section 3.2, RFC 8200 section 4.5). */
struct fragment {
	uint32_t id; /* as it stands in the packet */
	uint16_t offset; /* bytes */
	bool more; /* it is not the last */
	uint8_t type; /* as in struct packet, of the datagram's body; offset 0 decides */
};

struct frame {
	struct span payload; /* of UDP, inside the frame; a fragment's body */
	const uint8_t *source; /* IP address, network order, inside the frame */
	const uint8_t *destination; /* right behind source */
	uint8_t address_size; /* 4 or 16 */
	uint16_t source_port; /* host order; not of a fragment */
	uint16_t destination_port;
	struct fragment fragment; /* of a fragment only */
};

/*
 * STAT_NONE and *ret_frame; STAT_frames_queued and *ret_frame for a fragment of a UDP datagram that
 * is sound by itself; or the reason (STAT_frames_dropped_…), *ret_frame is untouched then.
 */
enum counter frame_parse(struct span bytes, unsigned checks, struct frame *ret_frame);

/* The same for the body of a datagram that was put together. */
enum counter frame_parse_packet(const struct packet *packet, unsigned checks,
	struct frame *ret_frame);

#endif
