/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * IPv6 neighbour discovery: solicitations and advertisements (RFC 4861 sections 4.3, 4.4 and
 * 7.1). Pure.
 */
#ifndef FRAME_NEIGHBOUR_H
#define FRAME_NEIGHBOUR_H

#include "frame/headers.h"
#include "frame/icmp6.h"

enum neighbour_type {
	NEIGHBOUR_SOLICITATION = 135,
	NEIGHBOUR_ADVERTISEMENT = 136,
};

/* Of an advertisement. */
enum neighbour_flag {
	NEIGHBOUR_SOLICITED = 0x40,
	NEIGHBOUR_OVERRIDE = 0x20,
};

/* Addresses in network order; each is 16 bytes that lie elsewhere. */
struct neighbour {
	enum neighbour_type type;
	uint8_t flags;
	const uint8_t *source, *destination, *target;
	const uint8_t *mac; /* link-layer address: the source's or the target's; NULL: not given */
};

#define NEIGHBOUR_PACKET_MAX (IPV6_HEADER_SIZE + 24 + 8)

/* ff02::1, and ::, from which an address is asked for that nobody has yet. */
extern const uint8_t neighbour_all_nodes[16], neighbour_unspecified[16];

bool neighbour_is_unspecified(const uint8_t address[16]);

/* ff02::1:ffXX:XXXX of RFC 4291 section 2.7.1. */
void neighbour_group(const uint8_t address[16], uint8_t ret_group[16]);

/* Whether it is a message of one of the two types, good or bad. */
bool neighbour_is_type(const struct icmp6 *icmp);

/* For such a message. False, with ret_neighbour untouched, when RFC 4861 section 7.1 says that it
 * must be dropped. */
bool neighbour_parse(const struct icmp6 *icmp, struct neighbour *ret_neighbour);

/* Writes the IPv6 packet; returns its size. */
size_t neighbour_write(const struct neighbour *neighbour, uint8_t ret_packet[NEIGHBOUR_PACKET_MAX]);

#endif
