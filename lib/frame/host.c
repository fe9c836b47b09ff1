/* SPDX-License-Identifier: BSD-3-Clause */
#include "frame/host.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "frame/arp.h"
#include "frame/ether.h"
#include "frame/neighbour.h"

#define ASK_EVERY (1 * (uint64_t)NS_PER_S)
#define ASK_AGAIN_AFTER (30 * (uint64_t)NS_PER_S) /* ReachableTime: RFC 4861 section 10 */
#define HEARD (UINT64_C(1) << 48)

static const uint8_t everybody[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

int
host_init(struct host *host, const struct prefix *addresses, size_t n_addresses,
	const struct prefix *gateways, size_t n_gateways)
{
	*host = (struct host){.n_addresses = n_addresses, .n_gateways = n_gateways};
	host->addresses = calloc(n_addresses + 1, sizeof(*host->addresses));
	host->gateways = calloc(n_gateways + 1, sizeof(*host->gateways));
	if (host->addresses == NULL || host->gateways == NULL) {
		host_done(host);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n_addresses; i++)
		host->addresses[i].prefix = addresses[i];
	for (size_t i = 0; i < n_gateways; i++)
		host->gateways[i].address = gateways[i];
	return 0;
}

void
host_done(struct host *host)
{
	free(host->addresses);
	free(host->gateways);
	*host = (struct host){0};
}

struct host_address *
host_find(const struct host *host, const uint8_t *address, uint8_t size)
{
	for (size_t i = 0; i < host->n_addresses; i++)
		if (prefix_is(&host->addresses[i].prefix, address, size))
			return &host->addresses[i];
	return NULL;
}

static bool
is_gateway(const struct host *host, const uint8_t *address, uint8_t size)
{
	for (size_t i = 0; i < host->n_gateways; i++)
		if (prefix_is(&host->gateways[i].address, address, size))
			return true;
	return false;
}

static bool
is_on_link(const struct host *host, const uint8_t *address, uint8_t size)
{
	/* Link-local: RFC 4291 section 2.5.6. */
	if (size == 16 && address[0] == 0xfe && (address[1] & 0xc0) == 0x80)
		return true;
	for (size_t i = 0; i < host->n_addresses; i++)
		if (prefix_has(&host->addresses[i].prefix, address, size))
			return true;
	return is_gateway(host, address, size);
}

/* All bits behind the prefix are ones; two addresses have no room for a broadcast (RFC 3021). */
static bool
is_broadcast(const struct prefix *prefix, const uint8_t *address)
{
	if (prefix->address_size != 4 || prefix->length > 30 || !prefix_has(prefix, address, 4))
		return false;
	for (unsigned bit = prefix->length; bit < 32; bit++)
		if ((address[bit / 8] & 0x80 >> bit % 8) == 0)
			return false;
	return true;
}

bool
host_is_answerable(const struct host *host, const uint8_t *source, uint8_t size)
{
	static const uint8_t loopback6[16] = {[15] = 1};
	const struct host_address *own = host_find(host, source, size);

	if (own != NULL && claim_state(&own->claim) != CLAIM_LOST)
		return false;
	if (size == 16)
		return source[0] != 0xff && !neighbour_is_unspecified(source) &&
			memcmp(source, loopback6, 16) != 0;
	for (size_t i = 0; i < host->n_addresses; i++)
		if (is_broadcast(&host->addresses[i].prefix, source))
			return false;
	/* "This network", loopback, multicast and reserved: RFC 6890. */
	return source[0] != 0 && source[0] != 127 && source[0] < 224;
}

static uint64_t
pack(const uint8_t mac[6])
{
	uint64_t packed = 0;

	memcpy(&packed, mac, 6);
	return packed | HEARD;
}

void
host_hear(struct host *host, const uint8_t *address, uint8_t size, const uint8_t mac[6],
	bool overrides)
{
	for (size_t i = 0; i < host->n_gateways; i++) {
		struct host_gateway *gateway = &host->gateways[i];
		uint64_t heard = atomic_load_explicit(&gateway->mac, memory_order_relaxed);

		/* All workers read the line: what is known is not written again. */
		if (prefix_is(&gateway->address, address, size) && heard != pack(mac) &&
			(overrides || heard == 0))
			atomic_store_explicit(&gateway->mac, pack(mac), memory_order_relaxed);
	}
}

bool
host_route(const struct host *host, const uint8_t *to, uint8_t size, const uint8_t asker[6],
	uint8_t ret_mac[6])
{
	if (is_on_link(host, to, size)) {
		memcpy(ret_mac, asker, 6);
		return true;
	}
	for (size_t i = 0; i < host->n_gateways; i++) {
		const struct host_gateway *gateway = &host->gateways[i];
		uint64_t mac = atomic_load_explicit(&gateway->mac, memory_order_relaxed);

		if (gateway->address.address_size == size && mac != 0) {
			memcpy(ret_mac, &mac, 6);
			return true;
		}
	}
	return false;
}

void
host_link(struct host *host, bool has_link, uint64_t now)
{
	if (has_link && !host->has_link) {
		for (size_t i = 0; i < host->n_addresses; i++)
			claim_begin(&host->addresses[i].claim,
				host->addresses[i].prefix.address_size, now);
		for (size_t i = 0; i < host->n_gateways; i++)
			host->gateways[i].due = now;
	}
	host->has_link = has_link;
}

static size_t
write_ether(const struct host *host, const uint8_t to[6], uint16_t type, uint8_t *ret_frame)
{
	memcpy(ret_frame, to, 6);
	memcpy(ret_frame + 6, host->mac, 6);
	store_be16(ret_frame + 12, type);
	return ETHER_HDR_LEN;
}

/* To everybody: who has target? sender NULL: nobody asks (a probe). */
static size_t
write_arp(const struct host *host, const uint8_t *sender, const uint8_t *target, uint8_t *ret_frame)
{
	struct arp arp = {.operation = ARP_OPERATION_REQUEST};
	size_t size = write_ether(host, everybody, ETHERTYPE_ARP, ret_frame);

	memcpy(arp.sender_mac, host->mac, 6);
	if (sender != NULL)
		memcpy(arp.sender, sender, 4);
	memcpy(arp.target, target, 4);
	arp_write(&arp, ret_frame + size);
	memset(ret_frame + size + ARP_SIZE, 0, ETHER_SIZE_MIN - size - ARP_SIZE);
	return ETHER_SIZE_MIN;
}

static size_t
write_neighbour(const struct host *host, const struct neighbour *neighbour, uint8_t *ret_frame)
{
	uint8_t mac[6];
	size_t size;

	ether_group6(neighbour->destination, mac);
	size = write_ether(host, mac, ETHERTYPE_IPV6, ret_frame);
	return size + neighbour_write(neighbour, ret_frame + size);
}

/* The same in IPv6, asked of the few stations that can have it. */
static size_t
write_solicitation(const struct host *host, const uint8_t *sender, const uint8_t *target,
	uint8_t *ret_frame)
{
	uint8_t group[16];
	const struct neighbour question = {.type = NEIGHBOUR_SOLICITATION,
		.source = sender != NULL ? sender : neighbour_unspecified,
		.destination = group,
		.target = target,
		.mac = sender != NULL ? host->mac : NULL};

	neighbour_group(target, group);
	return write_neighbour(host, &question, ret_frame);
}

static size_t
write_question(const struct host *host, const uint8_t *sender, const struct prefix *target,
	uint8_t *ret_frame)
{
	return target->address_size == 4
		? write_arp(host, sender, target->address, ret_frame)
		: write_solicitation(host, sender, target->address, ret_frame);
}

static size_t
write_announcement(const struct host *host, const struct prefix *own, uint8_t *ret_frame)
{
	const struct neighbour announcement = {.type = NEIGHBOUR_ADVERTISEMENT,
		.flags = NEIGHBOUR_OVERRIDE,
		.source = own->address,
		.destination = neighbour_all_nodes,
		.target = own->address,
		.mac = host->mac};

	return own->address_size == 4 ? write_arp(host, own->address, own->address, ret_frame)
				      : write_neighbour(host, &announcement, ret_frame);
}

/* A held address to ask from, best in the gateway's own network; or NULL. */
static const uint8_t *
address_for(const struct host *host, const struct prefix *gateway)
{
	const uint8_t *found = NULL;

	for (size_t i = 0; i < host->n_addresses; i++) {
		const struct host_address *own = &host->addresses[i];

		if (own->prefix.address_size != gateway->address_size ||
			claim_state(&own->claim) != CLAIM_HELD)
			continue;
		if (prefix_has(&own->prefix, gateway->address, gateway->address_size))
			return own->prefix.address;
		if (found == NULL)
			found = own->prefix.address;
	}
	return found;
}

static size_t
ask_for(struct host *host, struct host_gateway *gateway, uint64_t now, uint8_t *ret_frame)
{
	const uint8_t *sender;

	if (now + CLAIM_SLACK < gateway->due)
		return 0;
	sender = address_for(host, &gateway->address);
	if (sender == NULL)
		return 0;
	gateway->due = now +
		(atomic_load_explicit(&gateway->mac, memory_order_relaxed) == 0 ? ASK_EVERY
										: ASK_AGAIN_AFTER);
	host->last_claim = NULL;
	host->last_gateway = gateway;
	return write_question(host, sender, &gateway->address, ret_frame);
}

size_t
host_next(struct host *host, uint64_t now, uint8_t ret_frame[HOST_FRAME_MAX])
{
	size_t size = 0;

	if (!host->has_link)
		return 0;
	for (size_t i = 0; i < host->n_addresses; i++) {
		struct host_address *own = &host->addresses[i];

		host->last_claim = &own->claim;
		switch (claim_step(&own->claim, own->prefix.address_size, now)) {
		case CLAIM_PROBE:
			return write_question(host, NULL, &own->prefix, ret_frame);
		case CLAIM_ANNOUNCE:
			return write_announcement(host, &own->prefix, ret_frame);
		case CLAIM_NOTHING:
			break;
		}
	}
	for (size_t i = 0; i < host->n_gateways && size == 0; i++)
		size = ask_for(host, &host->gateways[i], now, ret_frame);
	return size;
}

void
host_unsent(struct host *host, uint64_t now)
{
	if (host->last_claim != NULL)
		claim_unsent(host->last_claim, now);
	else
		host->last_gateway->due = now;
}
