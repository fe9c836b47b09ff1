/* SPDX-License-Identifier: BSD-3-Clause */
/* The layout of the headers between a frame's first byte and UDP's or ICMP's payload. */
#ifndef FRAME_HEADERS_H
#define FRAME_HEADERS_H

#include <arpa/inet.h>
#include <net/ethernet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define ETHERTYPE_SERVICE_TAG 0x88a8 /* IEEE 802.1ad */
#define ETHERTYPE_OLD_TAG 0x9100 /* QinQ before 802.1ad */
#define TAGS_MAX 2
#define TAG_SIZE 4

#define IPV4_HEADER_SIZE 20
#define IPV4_FRAGMENT 0x3fff /* more fragments, or an offset: RFC 791 section 3.1 */
#define IPV6_HEADER_SIZE 40
#define IPV6_FRAGMENT 0xfff9 /* offset or M: RFC 8200 section 4.5 */
#define EXTENSIONS_MAX 8
#define FRAGMENT_HEADER_SIZE 8
#define UDP_HEADER_SIZE 8

static inline uint16_t
load_be16(const uint8_t *at)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return ntohs(value);
}

static inline void
store_be16(uint8_t *at, uint16_t value)
{
	value = htons(value);
	memcpy(at, &value, sizeof(value));
}

static inline bool
is_tag(uint16_t type)
{
	return type == ETHERTYPE_VLAN || type == ETHERTYPE_SERVICE_TAG || type == ETHERTYPE_OLD_TAG;
}

/* Bytes of an IPv6 extension header of that type (RFC 8200 section 4), of which 8 are there; 0: it
 * is none. */
static inline size_t
extension_size(uint8_t type, const uint8_t *header)
{
	switch (type) {
	case IPPROTO_HOPOPTS:
	case IPPROTO_DSTOPTS:
	case IPPROTO_ROUTING:
		return ((size_t)header[1] + 1) * 8;
	case IPPROTO_FRAGMENT:
		return FRAGMENT_HEADER_SIZE;
	case IPPROTO_AH: /* in units of 4 bytes, less 2: RFC 4302 section 2.2 */
		return ((size_t)header[1] + 2) * 4;
	default:
		return 0;
	}
}

#endif
