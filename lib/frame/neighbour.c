/* SPDX-License-Identifier: BSD-3-Clause */
/* hot: no malloc, no syscall, no log, no lock */
#include "frame/neighbour.h"

#include "frame/ether.h"

#define MESSAGE_SIZE 24 /* without options */
#define OPTION_UNIT 8
#define HOP_LIMIT 255 /* anything less has passed a router */

enum option_type {
	OPTION_SOURCE_MAC = 1,
	OPTION_TARGET_MAC = 2,
};

const uint8_t neighbour_all_nodes[16] = {0xff, 0x02, [15] = 1};
const uint8_t neighbour_unspecified[16];

/* What all solicited-node groups start with. */
static const uint8_t group_prefix[13] = {0xff, 0x02, [11] = 1, [12] = 0xff};

bool
neighbour_is_unspecified(const uint8_t address[16])
{
	return memcmp(address, neighbour_unspecified, 16) == 0;
}

void
neighbour_group(const uint8_t address[16], uint8_t ret_group[16])
{
	memcpy(ret_group, group_prefix, sizeof(group_prefix));
	memcpy(ret_group + 13, address + 13, 3);
}

bool
neighbour_is_type(const struct icmp6 *icmp)
{
	return icmp->message.size > 0 &&
		(icmp->message.data[0] == NEIGHBOUR_SOLICITATION ||
			icmp->message.data[0] == NEIGHBOUR_ADVERTISEMENT);
}

/* False when an option has no length or does not fit. Unknown ones are passed over. */
static bool
parse_options(struct span options, enum option_type wanted, const uint8_t **ret_mac)
{
	const uint8_t *mac = NULL;

	while (options.size > 0) {
		size_t size;

		if (options.size < OPTION_UNIT)
			return false;
		size = (size_t)options.data[1] * OPTION_UNIT;
		if (size == 0 || size > options.size)
			return false;
		if (options.data[0] == wanted && size == OPTION_UNIT)
			mac = options.data + 2;
		options = span_from(options, size);
	}
	if (mac != NULL && !ether_is_station(mac))
		return false;
	*ret_mac = mac;
	return true;
}

/* What depends on who speaks to whom. */
static bool
is_consistent(const struct neighbour *neighbour)
{
	if (neighbour->source[0] == 0xff)
		return false;
	if (neighbour->type == NEIGHBOUR_ADVERTISEMENT)
		return neighbour->destination[0] != 0xff ||
			(neighbour->flags & NEIGHBOUR_SOLICITED) == 0;
	if (!neighbour_is_unspecified(neighbour->source))
		return true;
	return neighbour->mac == NULL &&
		memcmp(neighbour->destination, group_prefix, sizeof(group_prefix)) == 0;
}

bool
neighbour_parse(const struct icmp6 *icmp, struct neighbour *ret_neighbour)
{
	struct span message = icmp->message;
	struct neighbour neighbour = {.source = icmp->source, .destination = icmp->destination};

	if (icmp->hop_limit != HOP_LIMIT || message.size < MESSAGE_SIZE || message.data[1] != 0 ||
		message.data[8] == 0xff || !icmp6_checksum_is_right(icmp))
		return false;
	neighbour.type = message.data[0];
	neighbour.target = message.data + 8;
	if (neighbour.type == NEIGHBOUR_ADVERTISEMENT)
		neighbour.flags = message.data[4];
	if (!parse_options(span_from(message, MESSAGE_SIZE),
		    neighbour.type == NEIGHBOUR_SOLICITATION ? OPTION_SOURCE_MAC
							     : OPTION_TARGET_MAC,
		    &neighbour.mac) ||
		!is_consistent(&neighbour))
		return false;
	*ret_neighbour = neighbour;
	return true;
}

size_t
neighbour_write(const struct neighbour *neighbour, uint8_t ret_packet[NEIGHBOUR_PACKET_MAX])
{
	const struct icmp6 icmp = {.source = neighbour->source,
		.destination = neighbour->destination,
		.hop_limit = HOP_LIMIT};
	uint8_t *message = ret_packet + IPV6_HEADER_SIZE;
	size_t size = MESSAGE_SIZE;

	memset(message, 0, MESSAGE_SIZE);
	message[0] = (uint8_t)neighbour->type;
	message[4] = neighbour->flags;
	memcpy(message + 8, neighbour->target, 16);
	if (neighbour->mac != NULL) {
		message[size] = neighbour->type == NEIGHBOUR_SOLICITATION ? OPTION_SOURCE_MAC
									  : OPTION_TARGET_MAC;
		message[size + 1] = 1;
		memcpy(message + size + 2, neighbour->mac, ETHER_MAC_SIZE);
		size += OPTION_UNIT;
	}
	icmp6_seal(&icmp, size, ret_packet);
	return IPV6_HEADER_SIZE + size;
}
