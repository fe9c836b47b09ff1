/* SPDX-License-Identifier: BSD-3-Clause */
/* Ethernet, IPv4 and UDP headers around a datagram, with checksums. */
#ifndef PENSTOCK_LOAD_ENVELOPE_H
#define PENSTOCK_LOAD_ENVELOPE_H

#include <stdint.h>

#include "base/span.h"

#define ENVELOPE_SIZE 42 /* bytes: 14 + 20 + 8 */
#define ENVELOPE_FLOWS 64 /* source ports, taken in turn */
#define ENVELOPE_PAYLOAD_MAX 65507

struct envelope_options {
	uint8_t mac_source[6], mac_destination[6];
	uint8_t ip_source[4], ip_destination[4]; /* network order */
	uint16_t port; /* destination */
};

struct envelope {
	uint8_t header[ENVELOPE_SIZE]; /* what all datagrams have in common */
	uint64_t ip_sum, udp_sum; /* of the common words that each checksum covers */
};

void envelope_init(struct envelope *envelope, const struct envelope_options *options);

/* Writes the headers of datagram number to at, ENVELOPE_SIZE bytes. */
void envelope_write(const struct envelope *envelope, struct span payload, uint64_t number,
	uint8_t *at);

#endif
