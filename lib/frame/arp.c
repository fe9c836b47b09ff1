/* SPDX-License-Identifier: BSD-3-Clause */
/* hot: no malloc, no syscall, no log, no lock */
#include "frame/arp.h"

#include "frame/ether.h"

/* Ethernet, IPv4, and the sizes of their addresses: RFC 826. */
static const uint8_t kind[6] = {0, 1, 0x08, 0x00, 6, 4};

bool
arp_parse(struct span bytes, struct arp *ret_arp)
{
	uint16_t operation;

	if (bytes.size < ARP_SIZE || memcmp(bytes.data, kind, sizeof(kind)) != 0)
		return false;
	operation = load_be16(bytes.data + 6);
	if ((operation != ARP_OPERATION_REQUEST && operation != ARP_OPERATION_REPLY) ||
		!ether_is_station(bytes.data + 8))
		return false;
	ret_arp->operation = operation;
	memcpy(ret_arp->sender_mac, bytes.data + 8, 6);
	memcpy(ret_arp->sender, bytes.data + 14, 4);
	memcpy(ret_arp->target_mac, bytes.data + 18, 6);
	memcpy(ret_arp->target, bytes.data + 24, 4);
	return true;
}

void
arp_write(const struct arp *arp, uint8_t ret_bytes[ARP_SIZE])
{
	memcpy(ret_bytes, kind, sizeof(kind));
	store_be16(ret_bytes + 6, arp->operation);
	memcpy(ret_bytes + 8, arp->sender_mac, 6);
	memcpy(ret_bytes + 14, arp->sender, 4);
	memcpy(ret_bytes + 18, arp->target_mac, 6);
	memcpy(ret_bytes + 24, arp->target, 4);
}
