/* SPDX-License-Identifier: BSD-3-Clause */
/* hot: no malloc, no syscall, no log, no lock */
#include "frame/frame.h"

#include "base/compiler.h"
#include "frame/checksum.h"
#include "frame/headers.h"

/* An IP packet: the destination address follows the source address in both families. */
struct packet {
	const uint8_t *source;
	uint8_t address_size;
	struct span body; /* what IP carries, and as long as IP says */
};

/* The pseudo-header of RFC 768 and of RFC 8200 section 8.1, which sum up alike: the upper half of
 * the latter's 32-bit length is 0 here. */
static bool
udp_checksum_is_right(struct span datagram, const uint8_t *source, uint8_t address_size)
{
	uint64_t sum = htons(IPPROTO_UDP) + (uint64_t)htons((uint16_t)datagram.size);

	if (datagram.data[6] == 0 && datagram.data[7] == 0)
		return address_size == 4;
	sum = checksum_add(sum, span_of(source, (size_t)address_size * 2));
	return checksum_is_right(checksum_add(sum, datagram));
}

/* Writes *ret_frame once and last: a copy of a local struct would stall on its own stores. */
static inline enum counter
parse_udp(struct packet packet, unsigned checks, struct frame *ret_frame)
{
	struct span datagram = packet.body;
	uint16_t size;

	if (unlikely(datagram.size < UDP_HEADER_SIZE))
		return STAT_frames_dropped_bad_udp_length;
	size = load_be16(datagram.data + 4);
	if (unlikely(size < UDP_HEADER_SIZE || size > datagram.size))
		return STAT_frames_dropped_bad_udp_length;
	datagram.size = size;
	if ((checks & FRAME_CHECK_UDP) != 0 &&
		!udp_checksum_is_right(datagram, packet.source, packet.address_size))
		return STAT_frames_dropped_bad_udp_checksum;
	ret_frame->payload = span_from(datagram, UDP_HEADER_SIZE);
	ret_frame->source = packet.source;
	ret_frame->destination = packet.source + packet.address_size;
	ret_frame->address_size = packet.address_size;
	ret_frame->source_port = load_be16(datagram.data);
	ret_frame->destination_port = load_be16(datagram.data + 2);
	return STAT_NONE;
}

static inline enum counter
parse_ipv4(struct span bytes, unsigned checks, struct frame *ret_frame)
{
	size_t header_size, size;

	if (unlikely(bytes.size < IPV4_HEADER_SIZE))
		return STAT_frames_dropped_too_short;
	header_size = (size_t)(bytes.data[0] & 0x0f) * 4;
	size = load_be16(bytes.data + 2);
	if (unlikely(bytes.data[0] >> 4 != 4 || header_size < IPV4_HEADER_SIZE ||
		    size < header_size || size > bytes.size))
		return STAT_frames_dropped_bad_ip_header;
	if ((checks & FRAME_CHECK_IP) != 0 &&
		!checksum_is_right(checksum_add(0, span_of(bytes.data, header_size))))
		return STAT_frames_dropped_bad_ip_checksum;
	if (unlikely((load_be16(bytes.data + 6) & IPV4_FRAGMENT) != 0))
		return STAT_frames_dropped_fragment;
	if (unlikely(bytes.data[9] != IPPROTO_UDP))
		return STAT_frames_dropped_not_udp;
	return parse_udp((struct packet){bytes.data + 12, 4,
				 span_of(bytes.data + header_size, size - header_size)},
		checks, ret_frame);
}

/*
 * The extension header of that type at the start of packet. STAT_NONE with its size, which is
 * within the packet, or why the chain ends here.
 */
static enum counter
extension_size(uint8_t type, struct span packet, bool first, size_t *ret_size)
{
	size_t size;

	if (packet.size < 8)
		return STAT_frames_dropped_bad_extension;
	size = ((size_t)packet.data[1] + 1) * 8;
	switch (type) {
	case IPPROTO_HOPOPTS: /* only directly after the IPv6 header: RFC 8200 section 4.1 */
		if (!first)
			return STAT_frames_dropped_bad_extension;
		break;
	case IPPROTO_DSTOPTS:
		break;
	case IPPROTO_ROUTING: /* segments left: we are not the final destination */
		if (packet.data[3] != 0)
			return STAT_frames_dropped_bad_extension;
		break;
	case IPPROTO_FRAGMENT:
		if ((load_be16(packet.data + 2) & IPV6_FRAGMENT) != 0)
			return STAT_frames_dropped_fragment;
		size = 8;
		break;
	default: /* AH: in units of 4 bytes, less 2, and 12 at the least: RFC 4302 section 2.2 */
		size = ((size_t)packet.data[1] + 2) * 4;
		if (size < 12)
			return STAT_frames_dropped_bad_extension;
		break;
	}
	if (size > packet.size)
		return STAT_frames_dropped_bad_extension;
	*ret_size = size;
	return STAT_NONE;
}

static bool
is_extension(uint8_t type)
{
	return type == IPPROTO_HOPOPTS || type == IPPROTO_DSTOPTS || type == IPPROTO_ROUTING ||
		type == IPPROTO_FRAGMENT || type == IPPROTO_AH;
}

/* Cuts the extension headers off; type is in and out. */
static enum counter
skip_extensions(uint8_t *type, struct span *packet)
{
	for (unsigned n = 0; is_extension(*type); n++) {
		enum counter reason;
		size_t size;

		if (n == EXTENSIONS_MAX)
			return STAT_frames_dropped_bad_extension;
		reason = extension_size(*type, *packet, n == 0, &size);
		if (reason != STAT_NONE)
			return reason;
		*type = packet->data[0];
		*packet = span_from(*packet, size);
	}
	return STAT_NONE;
}

static inline enum counter
parse_ipv6(struct span bytes, unsigned checks, struct frame *ret_frame)
{
	struct span body;
	enum counter reason;
	uint8_t type;

	if (unlikely(bytes.size < IPV6_HEADER_SIZE))
		return STAT_frames_dropped_too_short;
	body = span_of(bytes.data + IPV6_HEADER_SIZE, load_be16(bytes.data + 4));
	if (unlikely(bytes.data[0] >> 4 != 6 || body.size > bytes.size - IPV6_HEADER_SIZE))
		return STAT_frames_dropped_bad_ip_header;
	type = bytes.data[6];
	if (unlikely(type != IPPROTO_UDP)) {
		reason = skip_extensions(&type, &body);
		if (reason != STAT_NONE)
			return reason;
		if (type != IPPROTO_UDP)
			return STAT_frames_dropped_not_udp;
	}
	return parse_udp((struct packet){bytes.data + 8, 16, body}, checks, ret_frame);
}

enum counter
frame_parse(struct span bytes, unsigned checks, struct frame *ret_frame)
{
	size_t offset = ETHER_HDR_LEN;
	uint16_t type;

	if (unlikely(bytes.size < ETHER_HDR_LEN))
		return STAT_frames_dropped_too_short;
	type = load_be16(bytes.data + offset - 2);
	for (unsigned n = 0; unlikely(is_tag(type)) && n < TAGS_MAX; n++) {
		offset += TAG_SIZE;
		if (bytes.size < offset)
			return STAT_frames_dropped_too_short;
		type = load_be16(bytes.data + offset - 2);
	}
	if (likely(type == ETHERTYPE_IP))
		return parse_ipv4(span_from(bytes, offset), checks, ret_frame);
	if (type == ETHERTYPE_IPV6)
		return parse_ipv6(span_from(bytes, offset), checks, ret_frame);
	return STAT_frames_dropped_not_ip;
}
