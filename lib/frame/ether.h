/* SPDX-License-Identifier: BSD-3-Clause */
/* Ethernet II with up to two tags (IEEE 802.1Q, 802.1ad), and words in network order. */
#ifndef FRAME_ETHER_H
#define FRAME_ETHER_H

#include <arpa/inet.h>
#include <net/ethernet.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

#define ETHER_MAC_SIZE 6
#define ETHER_SIZE_MIN 60 /* of a frame, without its check sequence */
#define ETHERTYPE_SERVICE_TAG 0x88a8 /* IEEE 802.1ad */
#define ETHERTYPE_OLD_TAG 0x9100 /* QinQ before 802.1ad */
#define ETHER_TAG_SIZE 4
#define ETHER_TAGS_MAX 2

static inline uint16_t
ether_load16(const uint8_t *at)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return ntohs(value);
}

static inline void
ether_store16(uint8_t *at, uint16_t value)
{
	value = htons(value);
	memcpy(at, &value, sizeof(value));
}

static inline bool
ether_is_tag(uint16_t type)
{
	return type == ETHERTYPE_VLAN || type == ETHERTYPE_SERVICE_TAG || type == ETHERTYPE_OLD_TAG;
}

/* The size of the header with its tags, and the type of what follows. False when the frame ends
 * before that. */
static inline bool
ether_parse(struct span frame, size_t *ret_size, uint16_t *ret_type)
{
	size_t size = ETHER_HDR_LEN;
	uint16_t type;

	if (frame.size < size)
		return false;
	type = ether_load16(frame.data + size - 2);
	for (unsigned n = 0; ether_is_tag(type) && n < ETHER_TAGS_MAX; n++) {
		size += ETHER_TAG_SIZE;
		if (frame.size < size)
			return false;
		type = ether_load16(frame.data + size - 2);
	}
	*ret_size = size;
	*ret_type = type;
	return true;
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
