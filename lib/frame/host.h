/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a port is to its neighbours: a MAC, its IP addresses with the claim to each, and the
 * gateways to other networks. All queues of the port share it; the owner of the first one steps
 * its claims and sends what is due.
 */
#ifndef FRAME_HOST_H
#define FRAME_HOST_H

#include <stddef.h>

#include "frame/claim.h"
#include "frame/prefix.h"

struct host_address {
	struct prefix prefix;
	struct claim claim;
};

/* How often it is asked for: each second until it is heard, then every half minute. */
struct host_gateway {
	struct prefix address;
	_Atomic uint64_t mac; /* by any queue; 0: not heard yet, else its bytes and bit 48 */
	uint64_t due; /* ns; by the owner */
};

struct host {
	uint8_t mac[6];
	bool has_link; /* by the owner */
	struct host_address *addresses;
	size_t n_addresses;
	struct host_gateway *gateways;
	size_t n_gateways;

	/* By the owner: what the last frame was for, one of the two. */
	struct claim *last_claim;
	struct host_gateway *last_gateway;
};

/* The longest frame that host_next writes: a neighbour solicitation. */
#define HOST_FRAME_MAX 96

/* Copies the prefixes, of which a gateway's length means nothing. 0 or -ENOMEM. */
int host_init(struct host *host, const struct prefix *addresses, size_t n_addresses,
	const struct prefix *gateways, size_t n_gateways);
void host_done(struct host *host); /* one of zeros is fine */

/* Any thread: NULL when it is not the host's. */
struct host_address *host_find(const struct host *host, const uint8_t *address, uint8_t size);

/* Any thread: whether a packet from there may be answered: an address of one station, and
 * not ours as far as we know. */
bool host_is_answerable(const struct host *host, const uint8_t *source, uint8_t size);

/* Any thread: a station says that it has the address. Only those of gateways are remembered;
 * overrides: also in place of another MAC. */
void host_hear(struct host *host, const uint8_t *address, uint8_t size, const uint8_t mac[6],
	bool overrides);

/* Any thread: the MAC to which an answer goes: the asker's on our own networks, else a gateway's.
 * False when no gateway of that IP version is known. */
bool host_route(const struct host *host, const uint8_t *to, uint8_t size, const uint8_t asker[6],
	uint8_t ret_mac[6]);

/* Owner: when the link comes up, all claims begin again. now, here and below: ns, monotonic. */
void host_link(struct host *host, bool has_link, uint64_t now);

/* Owner: writes the next frame that is due now; returns its size, or 0. */
size_t host_next(struct host *host, uint64_t now, uint8_t ret_frame[HOST_FRAME_MAX]);

/* Owner: the frame of the last host_next, which returned one, could not be sent: a question that
 * nobody heard proves nothing. It is due again. */
void host_unsent(struct host *host, uint64_t now);

#endif
