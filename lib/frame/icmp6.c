/* SPDX-License-Identifier: BSD-3-Clause */
/* hot: no malloc, no syscall, no log, no lock */
#include "frame/icmp6.h"

#include "frame/checksum.h"
#include "frame/headers.h"

bool
icmp6_parse(struct span packet, struct icmp6 *ret_icmp)
{
	size_t size;

	if (packet.size < IPV6_HEADER_SIZE || packet.data[0] >> 4 != 6 ||
		packet.data[6] != IPPROTO_ICMPV6)
		return false;
	size = load_be16(packet.data + 4);
	if (size > packet.size - IPV6_HEADER_SIZE)
		return false;
	ret_icmp->source = packet.data + 8;
	ret_icmp->destination = packet.data + 24;
	ret_icmp->traffic_class = (uint8_t)(load_be16(packet.data) >> 4);
	ret_icmp->hop_limit = packet.data[7];
	ret_icmp->message = span_of(packet.data + IPV6_HEADER_SIZE, size);
	return true;
}

/* RFC 8200 section 8.1. */
static uint64_t
sum_up(const uint8_t *source, const uint8_t *destination, struct span message)
{
	uint64_t sum = htons(IPPROTO_ICMPV6) + (uint64_t)htons((uint16_t)message.size);

	sum = checksum_add(sum, span_of(source, 16));
	sum = checksum_add(sum, span_of(destination, 16));
	return checksum_add(sum, message);
}

bool
icmp6_checksum_is_right(const struct icmp6 *icmp)
{
	return checksum_is_right(sum_up(icmp->source, icmp->destination, icmp->message));
}

void
icmp6_seal(const struct icmp6 *icmp, size_t message_size, uint8_t *ret_packet)
{
	uint8_t *message = ret_packet + IPV6_HEADER_SIZE;
	uint16_t checksum;

	memset(ret_packet, 0, 8);
	store_be16(ret_packet, (uint16_t)(0x6000 | icmp->traffic_class << 4));
	store_be16(ret_packet + 4, (uint16_t)message_size);
	ret_packet[6] = IPPROTO_ICMPV6;
	ret_packet[7] = icmp->hop_limit;
	memcpy(ret_packet + 8, icmp->source, 16);
	memcpy(ret_packet + 24, icmp->destination, 16);
	memset(message + 2, 0, 2);
	checksum = checksum_finish(
		sum_up(ret_packet + 8, ret_packet + 24, span_of(message, message_size)));
	memcpy(message + 2, &checksum, sizeof(checksum));
}
