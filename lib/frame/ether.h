/* SPDX-License-Identifier: BSD-3-Clause */
/* Ethernet II with up to two tags (IEEE 802.1Q, 802.1ad). */
#ifndef FRAME_ETHER_H
#define FRAME_ETHER_H

#include "base/compiler.h"
#include "base/span.h"
#include "frame/headers.h"

#define ETHER_MAC_SIZE 6
#define ETHER_SIZE_MIN 60 /* of a frame, without its check sequence */

/* The size of the header with its tags, and the type of what follows. False when the frame ends
 * before that. */
static inline bool
ether_parse(struct span frame, size_t *ret_size, uint16_t *ret_type)
{
	size_t size = ETHER_HDR_LEN;
	uint16_t type;

	if (unlikely(frame.size < size))
		return false;
	type = load_be16(frame.data + size - 2);
	for (unsigned n = 0; unlikely(is_tag(type)) && n < TAGS_MAX; n++) {
		size += TAG_SIZE;
		if (frame.size < size)
			return false;
		type = load_be16(frame.data + size - 2);
	}
	*ret_size = size;
	*ret_type = type;
	return true;
}

/* Of an IPv6 group: RFC 2464 section 7. */
static inline void
ether_group6(const uint8_t group[16], uint8_t ret_mac[ETHER_MAC_SIZE])
{
	ret_mac[0] = 0x33;
	ret_mac[1] = 0x33;
	memcpy(ret_mac + 2, group + 12, 4);
}

/* Multicast or broadcast. */
static inline bool
ether_is_group(const uint8_t *mac)
{
	return (mac[0] & 1) != 0;
}

/* That a frame can come from or go to: one station's, and not all zero. */
static inline bool
ether_is_station(const uint8_t *mac)
{
	static const uint8_t zero[ETHER_MAC_SIZE];

	return !ether_is_group(mac) && memcmp(mac, zero, ETHER_MAC_SIZE) != 0;
}

#endif
