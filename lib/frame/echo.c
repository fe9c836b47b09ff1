/* SPDX-License-Identifier: BSD-3-Clause */
/* hot: no malloc, no syscall, no log, no lock */
#include "frame/echo.h"

#include "frame/checksum.h"
#include "frame/headers.h"
#include "frame/icmp6.h"

#define IPV4_DO_NOT_FRAGMENT 0x40
#define MESSAGE_HEADER_SIZE 8
#define HOP_LIMIT 64 /* the recommended default: RFC 1700 */

enum message_type {
	MESSAGE_REPLY = 0,
	MESSAGE_REQUEST = 8,
	MESSAGE_REQUEST6 = 128,
	MESSAGE_REPLY6 = 129,
};

static enum echo_kind
parse4(struct span packet, struct echo *ret_echo)
{
	size_t header_size, size;
	struct span message;

	if (packet.size < IPV4_HEADER_SIZE)
		return ECHO_NONE;
	header_size = (size_t)(packet.data[0] & 0x0f) * 4;
	size = load_be16(packet.data + 2);
	if (header_size < IPV4_HEADER_SIZE || size < header_size || size > packet.size ||
		packet.data[9] != IPPROTO_ICMP || (load_be16(packet.data + 6) & IPV4_FRAGMENT) != 0)
		return ECHO_NONE;
	message = span_of(packet.data + header_size, size - header_size);
	if (message.size == 0 || message.data[0] != MESSAGE_REQUEST)
		return ECHO_NONE;
	if (message.size < MESSAGE_HEADER_SIZE || message.data[1] != 0 ||
		!checksum_is_right(checksum_add(0, span_of(packet.data, header_size))) ||
		!checksum_is_right(checksum_add(0, message)))
		return ECHO_DAMAGED;
	*ret_echo = (struct echo){packet.data + 12, packet.data + 16, 4, packet.data[1], message};
	return ECHO_REQUEST;
}

static enum echo_kind
parse6(struct span packet, struct echo *ret_echo)
{
	struct icmp6 icmp;

	if (!icmp6_parse(packet, &icmp) || icmp.message.size == 0 ||
		icmp.message.data[0] != MESSAGE_REQUEST6)
		return ECHO_NONE;
	if (icmp.message.size < MESSAGE_HEADER_SIZE || icmp.message.data[1] != 0 ||
		!icmp6_checksum_is_right(&icmp))
		return ECHO_DAMAGED;
	*ret_echo =
		(struct echo){icmp.source, icmp.destination, 16, icmp.traffic_class, icmp.message};
	return ECHO_REQUEST;
}

enum echo_kind
echo_parse(struct span packet, struct echo *ret_echo)
{
	if (packet.size == 0)
		return ECHO_NONE;
	switch (packet.data[0] >> 4) {
	case 4:
		return parse4(packet, ret_echo);
	case 6:
		return parse6(packet, ret_echo);
	default:
		return ECHO_NONE;
	}
}

/* Its identification is 0: the packet is never cut, so nobody looks at it (RFC 6864 section 4). */
static size_t
write4(const struct echo *echo, uint8_t *ret_packet)
{
	uint8_t *message = ret_packet + IPV4_HEADER_SIZE;
	size_t size = IPV4_HEADER_SIZE + echo->message.size;
	uint16_t checksum;

	memset(ret_packet, 0, IPV4_HEADER_SIZE);
	ret_packet[0] = 0x45;
	ret_packet[1] = echo->traffic_class;
	store_be16(ret_packet + 2, (uint16_t)size);
	ret_packet[6] = IPV4_DO_NOT_FRAGMENT;
	ret_packet[8] = HOP_LIMIT;
	ret_packet[9] = IPPROTO_ICMP;
	memcpy(ret_packet + 12, echo->destination, 4);
	memcpy(ret_packet + 16, echo->source, 4);
	checksum = checksum_finish(checksum_add(0, span_of(ret_packet, IPV4_HEADER_SIZE)));
	memcpy(ret_packet + 10, &checksum, sizeof(checksum));

	memcpy(message, echo->message.data, echo->message.size);
	message[0] = MESSAGE_REPLY;
	memset(message + 2, 0, 2);
	checksum = checksum_finish(checksum_add(0, span_of(message, echo->message.size)));
	memcpy(message + 2, &checksum, sizeof(checksum));
	return size;
}

static size_t
write6(const struct echo *echo, uint8_t *ret_packet)
{
	const struct icmp6 icmp = {.source = echo->destination,
		.destination = echo->source,
		.traffic_class = echo->traffic_class,
		.hop_limit = HOP_LIMIT};

	memcpy(ret_packet + IPV6_HEADER_SIZE, echo->message.data, echo->message.size);
	ret_packet[IPV6_HEADER_SIZE] = MESSAGE_REPLY6;
	icmp6_seal(&icmp, echo->message.size, ret_packet);
	return IPV6_HEADER_SIZE + echo->message.size;
}

size_t
echo_write(const struct echo *echo, uint8_t *ret_packet)
{
	return echo->address_size == 4 ? write4(echo, ret_packet) : write6(echo, ret_packet);
}
