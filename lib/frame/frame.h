/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From an Ethernet frame to its UDP payload, or to one named reason. Pure, allocates nothing,
 * copies nothing, never reads past the frame.
 *
 * Ethernet II with up to two tags (IEEE 802.1Q, 802.1ad), IPv4 with options (RFC 791), IPv6 with
 * up to 8 extension headers (RFC 8200, AH: RFC 4302), UDP (RFC 768).
 *
 * What follows the IP datagram in the frame (Ethernet padding) and what follows the UDP datagram
 * in the IP datagram is cut off. An IPv6 "atomic" fragment (RFC 6946) is a whole datagram; any
 * other fragment is refused. IP options and the options inside extension headers are skipped
 * unread; a routing header that still has segments to visit is not for us.
 */
#ifndef FRAME_FRAME_H
#define FRAME_FRAME_H

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

struct frame {
	struct span payload; /* of UDP, inside the frame */
	const uint8_t *source; /* IP address, network order, inside the frame */
	const uint8_t *destination;
	uint8_t address_size; /* 4 or 16 */
	uint16_t source_port; /* host order */
	uint16_t destination_port;
};

/* STAT_NONE and *ret_frame, or the reason (STAT_frames_dropped_…); *ret_frame is untouched then. */
enum counter frame_parse(struct span bytes, unsigned checks, struct frame *ret_frame);

#endif
