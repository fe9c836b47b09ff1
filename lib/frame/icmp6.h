/* SPDX-License-Identifier: BSD-3-Clause */
/* What ICMPv6 messages (RFC 4443) share: where they lie in a packet, and their checksum. */
#ifndef FRAME_ICMP6_H
#define FRAME_ICMP6_H

#include "base/span.h"

/* IPv6 in front of a message of ICMP. Addresses lie in the packet. */
struct icmp6 {
	const uint8_t *source, *destination;
	uint8_t traffic_class, hop_limit;
	struct span message; /* from its type on, as long as IPv6 says */
};

/* False, with ret_icmp untouched, when the packet is cut short, is no IPv6, or carries something
 * else or extension headers in front of ICMP. */
bool icmp6_parse(struct span packet, struct icmp6 *ret_icmp);

/* Over the pseudo-header and the message: RFC 4443 section 2.3. */
bool icmp6_checksum_is_right(const struct icmp6 *icmp);

/* Writes the header in front of a message of that size, which stands in the packet already, and
 * the message's checksum. */
void icmp6_seal(const struct icmp6 *icmp, size_t message_size, uint8_t *ret_packet);

#endif
