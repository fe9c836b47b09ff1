/* SPDX-License-Identifier: BSD-3-Clause */
/* ICMP echo over IPv4 (RFC 792) and IPv6 (RFC 4443 section 4). Pure. */
#ifndef FRAME_ECHO_H
#define FRAME_ECHO_H

#include "base/span.h"

enum echo_kind {
	ECHO_NONE, /* something else, or a fragment of one */
	ECHO_DAMAGED, /* a request with a wrong code, length or checksum */
	ECHO_REQUEST,
};

/* A request; all of it lies in the packet. */
struct echo {
	const uint8_t *source, *destination; /* network order */
	uint8_t address_size; /* 4 or 16 */
	uint8_t traffic_class; /* "type of service" in IPv4 */
	struct span message; /* of ICMP, as long as IP says */
};

/* Fills ret_echo where it returns ECHO_REQUEST. Over IPv6 with extension headers it is none. */
enum echo_kind echo_parse(struct span packet, struct echo *ret_echo);

/* The answer, from the destination to the source: as long as the request, or shorter by the IPv4
 * options, which are left out. Returns its size. */
size_t echo_write(const struct echo *echo, uint8_t *ret_packet);

#endif
