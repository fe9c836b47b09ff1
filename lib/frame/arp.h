/* SPDX-License-Identifier: BSD-3-Clause */
/* ARP for IPv4 on Ethernet (RFC 826), with the probes and announcements of RFC 5227. Pure. */
#ifndef FRAME_ARP_H
#define FRAME_ARP_H

#include "base/span.h"

#define ARP_SIZE 28

enum arp_operation {
	ARP_OPERATION_REQUEST = 1,
	ARP_OPERATION_REPLY = 2,
};

/* Addresses in network order. A sender of 0.0.0.0 makes a probe; sender and target alike make an
 * announcement. */
struct arp {
	uint16_t operation;
	uint8_t sender_mac[6], sender[4];
	uint8_t target_mac[6], target[4];
};

/* What follows the Ethernet header; bytes behind it are padding. False, with ret_arp untouched,
 * when it is no request and no reply of this kind, or comes from a group's MAC. */
bool arp_parse(struct span bytes, struct arp *ret_arp);

/* Writes what follows the Ethernet header; padding is the caller's. */
void arp_write(const struct arp *arp, uint8_t ret_bytes[ARP_SIZE]);

#endif
