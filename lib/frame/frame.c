/* SPDX-License-Identifier: BSD-3-Clause */
/* hot: no malloc, no syscall, no log, no lock */
#include "frame/frame.h"

#include "base/compiler.h"
#include "frame/checksum.h"
#include "frame/ether.h"

#define PACKET_MAX 65535 /* bytes that a length field of IP can tell */
#define IPV4_MORE 0x2000 /* more fragments; the offset is below, in units of 8 bytes */
#define IPV6_MORE 0x0001 /* the offset is in the upper 13 bits, in bytes */

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

/* A fragment that can be part of a datagram; header_size counts towards the datagram's length. */
static enum counter
accept_fragment(const struct packet *packet, const struct fragment *fragment, size_t header_size,
	struct frame *ret_frame)
{
	size_t size = packet->body.size;

	if (size == 0 || (fragment->more && size % 8 != 0) ||
		header_size + fragment->offset + size > PACKET_MAX)
		return STAT_frames_dropped_bad_fragment;
	ret_frame->payload = packet->body;
	ret_frame->source = packet->source;
	ret_frame->destination = packet->source + packet->address_size;
	ret_frame->address_size = packet->address_size;
	ret_frame->fragment = *fragment;
	return STAT_frames_queued;
}

static enum counter
parse_ipv4_fragment(const struct packet *packet, const uint8_t *header, size_t header_size,
	struct frame *ret_frame)
{
	uint16_t place = load_be16(header + 6);
	struct fragment fragment = {
		.id = load_be16(header + 4),
		.offset = (uint16_t)(place << 3), /* the flags go over the edge */
		.more = (place & IPV4_MORE) != 0,
		.type = IPPROTO_UDP,
	};

	return accept_fragment(packet, &fragment, header_size, ret_frame);
}

static inline enum counter
parse_ipv4(struct span bytes, unsigned checks, struct frame *ret_frame)
{
	size_t header_size, size;
	struct packet packet;

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
	if (unlikely(bytes.data[9] != IPPROTO_UDP))
		return STAT_frames_dropped_not_udp;
	packet = (struct packet){bytes.data + 12, 4, IPPROTO_UDP,
		span_of(bytes.data + header_size, size - header_size)};
	if (unlikely((load_be16(bytes.data + 6) & IPV4_FRAGMENT) != 0))
		return parse_ipv4_fragment(&packet, bytes.data, header_size, ret_frame);
	return parse_udp(packet, checks, ret_frame);
}

/*
 * The extension header of that type at the start of packet. STAT_NONE with its size, which is
 * within the packet, or why the chain ends here; STAT_frames_queued: it is a fragment header.
 */
static enum counter
judge_extension(uint8_t type, struct span packet, bool first, size_t *ret_size)
{
	size_t size;

	if (packet.size < 8)
		return STAT_frames_dropped_bad_extension;
	size = extension_size(type, packet.data);
	switch (type) {
	case IPPROTO_HOPOPTS: /* only directly after the IPv6 header: RFC 8200 section 4.1 */
		if (!first)
			return STAT_frames_dropped_bad_extension;
		break;
	case IPPROTO_ROUTING: /* segments left: we are not the final destination */
		if (packet.data[3] != 0)
			return STAT_frames_dropped_bad_extension;
		break;
	case IPPROTO_FRAGMENT:
		if ((load_be16(packet.data + 2) & IPV6_FRAGMENT) != 0)
			return STAT_frames_queued;
		break;
	case IPPROTO_AH: /* 12 bytes at the least: RFC 4302 section 2.2 */
		if (size < 12)
			return STAT_frames_dropped_bad_extension;
		break;
	default: /* options for the destination */
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

/* Cuts the extension headers off, of which n came before. At the header of a fragment it stops and
 * returns STAT_frames_queued. */
static enum counter
skip_extensions(struct packet *packet, unsigned n)
{
	for (; is_extension(packet->type); n++) {
		enum counter reason;
		size_t size;

		if (n == EXTENSIONS_MAX)
			return STAT_frames_dropped_bad_extension;
		reason = judge_extension(packet->type, packet->body, n == 0, &size);
		if (reason != STAT_NONE)
			return reason;
		packet->type = packet->body.data[0];
		packet->body = span_from(packet->body, size);
	}
	return packet->type == IPPROTO_UDP ? STAT_NONE : STAT_frames_dropped_not_udp;
}

/* RFC 8200 section 4.5 wants all headers up to UDP's in the first fragment; of the others, whose
 * next header is only informative, nothing is known to be UDP but nothing else may be. */
static enum counter
check_ipv6_fragment(const struct packet *packet, const struct fragment *fragment)
{
	struct packet rest = *packet;
	enum counter reason;

	if (fragment->offset != 0)
		return packet->type == IPPROTO_UDP || is_extension(packet->type)
			? STAT_NONE
			: STAT_frames_dropped_not_udp;
	reason = skip_extensions(&rest, 1);
	if (reason == STAT_frames_dropped_not_udp)
		return reason;
	return reason != STAT_NONE || rest.body.size < UDP_HEADER_SIZE
		? STAT_frames_dropped_bad_fragment
		: STAT_NONE;
}

/* packet is at the fragment header; header_size: of the extension headers before. */
static enum counter
parse_ipv6_fragment(struct packet packet, size_t header_size, struct frame *ret_frame)
{
	const uint8_t *header = packet.body.data;
	uint16_t place = load_be16(header + 2);
	struct fragment fragment = {
		.offset = place & 0xfff8,
		.more = (place & IPV6_MORE) != 0,
		.type = header[0],
	};
	enum counter reason;

	memcpy(&fragment.id, header + 4, sizeof(fragment.id));
	packet.type = fragment.type;
	packet.body = span_from(packet.body, FRAGMENT_HEADER_SIZE);
	reason = check_ipv6_fragment(&packet, &fragment);
	return reason == STAT_NONE ? accept_fragment(&packet, &fragment, header_size, ret_frame)
				   : reason;
}

static inline enum counter
parse_ipv6(struct span bytes, unsigned checks, struct frame *ret_frame)
{
	struct packet packet;
	enum counter reason;

	if (unlikely(bytes.size < IPV6_HEADER_SIZE))
		return STAT_frames_dropped_too_short;
	packet = (struct packet){bytes.data + 8, 16, bytes.data[6],
		span_of(bytes.data + IPV6_HEADER_SIZE, load_be16(bytes.data + 4))};
	if (unlikely(bytes.data[0] >> 4 != 6 || packet.body.size > bytes.size - IPV6_HEADER_SIZE))
		return STAT_frames_dropped_bad_ip_header;
	if (unlikely(packet.type != IPPROTO_UDP)) {
		reason = skip_extensions(&packet, 0);
		if (reason == STAT_frames_queued)
			return parse_ipv6_fragment(packet,
				(size_t)(packet.body.data - bytes.data) - IPV6_HEADER_SIZE,
				ret_frame);
		if (reason != STAT_NONE)
			return reason;
	}
	return parse_udp(packet, checks, ret_frame);
}

enum counter
frame_parse_packet(const struct packet *packet, unsigned checks, struct frame *ret_frame)
{
	struct packet rest = *packet;
	enum counter reason = skip_extensions(&rest, 1);

	if (reason == STAT_NONE)
		return parse_udp(rest, checks, ret_frame);
	/* A fragment inside a datagram that came in fragments: nobody makes that in earnest. */
	return reason == STAT_frames_queued ? STAT_frames_dropped_bad_fragment : reason;
}

enum counter
frame_parse(struct span bytes, unsigned checks, struct frame *ret_frame)
{
	uint16_t type;
	size_t offset;

	if (unlikely(!ether_parse(bytes, &offset, &type)))
		return STAT_frames_dropped_too_short;
	if (likely(type == ETHERTYPE_IP))
		return parse_ipv4(span_from(bytes, offset), checks, ret_frame);
	if (type == ETHERTYPE_IPV6)
		return parse_ipv6(span_from(bytes, offset), checks, ret_frame);
	return STAT_frames_dropped_not_ip;
}
