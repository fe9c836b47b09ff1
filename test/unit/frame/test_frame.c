/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames laid out by hand after the RFCs named in frame.h. The checksums were computed by a
 * separate Python function that adds big-endian words with an end-around carry, and the header in
 * takes_the_checksum_of_a_known_header is the worked example in Wikipedia's "Internet checksum".
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "frame/checksum.h"
#include "frame/frame.h"
#include "frame/layout.h"

#define ALL (FRAME_CHECK_IP | FRAME_CHECK_UDP)

#define BYTES(...) ((const uint8_t[]){__VA_ARGS__})
#define PARSE(checks, ret_frame, ...) \
	parse(BYTES(__VA_ARGS__), sizeof(BYTES(__VA_ARGS__)), checks, ret_frame)
#define ASSERT_REASON(reason, ...) \
	do { \
		struct frame frame_; \
		assert_int_equal(PARSE(0, &frame_, __VA_ARGS__), STAT_frames_dropped_##reason); \
	} while (0)
#define ASSERT_TEXT(checks, ...) \
	do { \
		struct frame frame_; \
		assert_int_equal(PARSE(checks, &frame_, __VA_ARGS__), STAT_NONE); \
		assert_true(frame_.payload.size == 5); \
	} while (0)

/* Parses a copy that ends where the frame ends, so that a sanitizer sees a read past it. The
 * pointers in *ret_frame are set back into bytes. */
static enum counter
parse(const uint8_t *bytes, size_t size, unsigned checks, struct frame *ret_frame)
{
	uint8_t *copy = malloc(size > 0 ? size : 1);
	enum counter reason;

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	reason = frame_parse(span_of(copy, size), checks, ret_frame);
	if (reason == STAT_NONE) {
		ret_frame->payload.data = bytes + (ret_frame->payload.data - copy);
		ret_frame->source = bytes + (ret_frame->source - copy);
		ret_frame->destination = bytes + (ret_frame->destination - copy);
	}
	free(copy);
	return reason;
}

static void
finds_payload_addresses_and_ports_over_ipv4(void **state)
{
	static const uint8_t bytes[] = {ETHERNET(0x0800), IPV4(33), UDP(13, 0), TEXT};
	struct frame frame;

	(void)state;
	assert_int_equal(parse(bytes, sizeof(bytes), 0, &frame), STAT_NONE);
	assert_true(span_equal(frame.payload, SPAN_LITERAL("a:1|c")));
	assert_int_equal(frame.address_size, 4);
	assert_memory_equal(frame.source, BYTES(192, 0, 2, 1), 4);
	assert_memory_equal(frame.destination, BYTES(192, 0, 2, 10), 4);
	assert_int_equal(frame.source_port, 40000);
	assert_int_equal(frame.destination_port, 8125);
}

static void
finds_payload_addresses_and_ports_over_ipv6(void **state)
{
	static const uint8_t bytes[] = {ETHERNET(0x86dd), IPV6(13, 17), UDP(13, 0), TEXT};
	struct frame frame;

	(void)state;
	assert_int_equal(parse(bytes, sizeof(bytes), 0, &frame), STAT_NONE);
	assert_true(span_equal(frame.payload, SPAN_LITERAL("a:1|c")));
	assert_int_equal(frame.address_size, 16);
	assert_ptr_equal(frame.source, bytes + 22);
	assert_ptr_equal(frame.destination, bytes + 38);
	assert_int_equal(frame.source_port, 40000);
	assert_int_equal(frame.destination_port, 8125);
}

static void
leaves_the_result_alone_when_it_refuses(void **state)
{
	struct frame frame = {.destination_port = 4711};

	(void)state;
	assert_int_equal(PARSE(0, &frame, ETHERNET(0x0800), IPV4(33), UDP(14, 0), TEXT),
		STAT_frames_dropped_bad_udp_length);
	assert_int_equal(frame.destination_port, 4711);
}

static void
passes_up_to_two_tags(void **state)
{
	(void)state;
	ASSERT_TEXT(0, ETHERNET(0x8100), TAG(0x0800), IPV4(33), UDP(13, 0), TEXT);
	ASSERT_TEXT(0, ETHERNET(0x88a8), TAG(0x8100), TAG(0x0800), IPV4(33), UDP(13, 0), TEXT);
	ASSERT_TEXT(0, ETHERNET(0x9100), TAG(0x8100), TAG(0x86dd), IPV6(13, 17), UDP(13, 0), TEXT);
	ASSERT_REASON(not_ip, ETHERNET(0x88a8), TAG(0x8100), TAG(0x8100), TAG(0x0800), IPV4(33),
		UDP(13, 0), TEXT);
	ASSERT_REASON(too_short, ETHERNET(0x8100), 0, 7, 8);
}

static void
refuses_what_is_not_ip(void **state)
{
	(void)state;
	ASSERT_REASON(not_ip, ETHERNET(0x0806), 0, 1); /* ARP */
	ASSERT_REASON(not_ip, ETHERNET(0x88cc), 0, 1); /* LLDP */
	ASSERT_REASON(not_ip, ETHERNET(38), 0x42, 0x42, 3); /* IEEE 802.3 with a length */
}

static void
refuses_every_cut_of_a_frame(void **state)
{
	static const uint8_t v4[] = {ETHERNET(0x8100), TAG(0x0800), IPV4(33), UDP(13, 0), TEXT};
	static const uint8_t v6[] = {ETHERNET(0x86dd), IPV6(21, 60), DESTINATION(17), UDP(13, 0),
		TEXT};
	struct frame frame;

	(void)state;
	for (size_t size = 0; size < sizeof(v4); size++)
		assert_int_equal(parse(v4, size, ALL, &frame),
			size < 18 + 20 ? STAT_frames_dropped_too_short
				       : STAT_frames_dropped_bad_ip_header);
	for (size_t size = 0; size < sizeof(v6); size++)
		assert_int_equal(parse(v6, size, ALL, &frame),
			size < 14 + 40 ? STAT_frames_dropped_too_short
				       : STAT_frames_dropped_bad_ip_header);
}

static void
cuts_ethernet_padding_off(void **state)
{
	(void)state;
	/* 60 bytes: the shortest frame that leaves a NIC. */
	ASSERT_TEXT(0, ETHERNET(0x0800), IPV4(33), UDP(13, 0), TEXT, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9,
		9, 9, 9);
	ASSERT_TEXT(0, ETHERNET(0x86dd), IPV6(13, 17), UDP(13, 0), TEXT, 9, 9, 9);
}

static void
skips_ipv4_options(void **state)
{
	(void)state;
	/* Record route, 12 bytes; checksum included. */
	ASSERT_TEXT(FRAME_CHECK_IP, ETHERNET(0x0800), IPV4_FULL(0x48, 45, 0x4000, 17, 0x9675), 7,
		11, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, UDP(13, 0), TEXT);
	/* Options that reach past the datagram. */
	ASSERT_REASON(bad_ip_header, ETHERNET(0x0800), IPV4_FULL(0x4f, 33, 0x4000, 17, 0),
		UDP(13, 0), TEXT);
}

static void
refuses_an_ipv4_header_that_contradicts_itself(void **state)
{
	(void)state;
	ASSERT_REASON(bad_ip_header, ETHERNET(0x0800), IPV4_FULL(0x65, 33, 0x4000, 17, 0),
		UDP(13, 0), TEXT); /* version 6 */
	ASSERT_REASON(bad_ip_header, ETHERNET(0x0800), IPV4_FULL(0x44, 33, 0x4000, 17, 0),
		UDP(13, 0), TEXT); /* header of 16 bytes */
	ASSERT_REASON(bad_ip_header, ETHERNET(0x0800), IPV4(34), UDP(13, 0), TEXT);
	ASSERT_REASON(bad_ip_header, ETHERNET(0x0800), IPV4(19), UDP(13, 0), TEXT);
	ASSERT_REASON(bad_ip_header, ETHERNET(0x0800), IPV4(0), UDP(13, 0), TEXT);
}

static void
refuses_an_ipv6_header_that_contradicts_itself(void **state)
{
	(void)state;
	ASSERT_REASON(bad_ip_header, ETHERNET(0x86dd), IPV6(14, 17), UDP(13, 0), TEXT);
	ASSERT_REASON(bad_ip_header, ETHERNET(0x86dd), IPV4(33), UDP(13, 0), TEXT, 0, 0, 0, 0, 0, 0,
		0, 0); /* version 4 */
}

#define ASSERT_FRAGMENT(offset_, more_, size_, ...) \
	do { \
		struct frame frame_; \
		assert_int_equal(PARSE(0, &frame_, __VA_ARGS__), STAT_frames_queued); \
		assert_int_equal(frame_.fragment.offset, offset_); \
		assert_int_equal(frame_.fragment.more, more_); \
		assert_int_equal(frame_.payload.size, size_); \
	} while (0)

static void
describes_ipv4_fragments(void **state)
{
	static const uint8_t bytes[] = {ETHERNET(0x0800), IPV4_FULL(0x45, 36, 0x20b9, 17, 0),
		UDP(13, 0), TEXT, 'x', 'y', 'z'};
	struct frame frame;

	(void)state;
	assert_int_equal(parse(bytes, sizeof(bytes), 0, &frame), STAT_frames_queued);
	assert_int_equal(frame.fragment.offset, 185 * 8); /* 1480: MTU 1500 */
	assert_true(frame.fragment.more);
	assert_int_equal(frame.fragment.type, 17);
	assert_memory_equal(&frame.fragment.id, BYTES(0x34, 0x12), 2); /* 0x1234, little endian */
	assert_int_equal(frame.address_size, 4);
	assert_int_equal(frame.payload.size, 16);
	ASSERT_FRAGMENT(8, false, 13, ETHERNET(0x0800), IPV4_FULL(0x45, 33, 0x0001, 17, 0),
		UDP(13, 0), TEXT);
	/* Behind two tags, and with "do not fragment" set, which says nothing here. */
	ASSERT_FRAGMENT(0, true, 8, ETHERNET(0x88a8), TAG(0x8100), TAG(0x0800),
		IPV4_FULL(0x45, 28, 0x6000, 17, 0), UDP(13, 0));
	ASSERT_TEXT(0, ETHERNET(0x0800), IPV4_FULL(0x45, 33, 0x0000, 17, 0), UDP(13, 0), TEXT);
}

static void
refuses_bad_ipv4_fragments(void **state)
{
	(void)state;
	/* 13 bytes and more to come. */
	ASSERT_REASON(bad_fragment, ETHERNET(0x0800), IPV4_FULL(0x45, 33, 0x2000, 17, 0),
		UDP(13, 0), TEXT);
	/* Nothing in it. */
	ASSERT_REASON(bad_fragment, ETHERNET(0x0800), IPV4_FULL(0x45, 20, 0x2001, 17, 0));
	ASSERT_REASON(bad_fragment, ETHERNET(0x0800), IPV4_FULL(0x45, 20, 0x0001, 17, 0));
	/* "Ping of death": 65528 + 8 and the header of 20; 65504 + 11 + 20 is the longest. */
	ASSERT_REASON(bad_fragment, ETHERNET(0x0800), IPV4_FULL(0x45, 28, 0x1fff, 17, 0),
		UDP(13, 0));
	ASSERT_REASON(bad_fragment, ETHERNET(0x0800), IPV4_FULL(0x45, 32, 0x1ffc, 17, 0),
		UDP(13, 0), 1, 2, 3, 4);
	ASSERT_FRAGMENT(65504, false, 11, ETHERNET(0x0800), IPV4_FULL(0x45, 31, 0x1ffc, 17, 0),
		UDP(13, 0), 1, 2, 3);
	/* ICMP. */
	ASSERT_REASON(not_udp, ETHERNET(0x0800), IPV4_FULL(0x45, 28, 0x2000, 1, 0), UDP(13, 0));
	ASSERT_REASON(not_udp, ETHERNET(0x0800), IPV4_FULL(0x45, 28, 0x0001, 1, 0), UDP(13, 0));
}

static void
describes_ipv6_fragments_but_atomic_ones(void **state)
{
	static const uint8_t bytes[] = {ETHERNET(0x86dd), IPV6(24, 44), FRAGMENT(17, 0x05a9),
		UDP(13, 0), TEXT, 'x', 'y', 'z'};
	struct frame frame;

	(void)state;
	assert_int_equal(parse(bytes, sizeof(bytes), 0, &frame), STAT_frames_queued);
	assert_int_equal(frame.fragment.offset, 1448);
	assert_true(frame.fragment.more);
	assert_int_equal(frame.fragment.type, 17);
	assert_memory_equal(&frame.fragment.id, BYTES(0, 0, 0xab, 0xcd), 4);
	assert_int_equal(frame.address_size, 16);
	ASSERT_FRAGMENT(8, false, 13, ETHERNET(0x86dd), IPV6(21, 44), FRAGMENT(17, 8), UDP(13, 0),
		TEXT);
	ASSERT_TEXT(0, ETHERNET(0x86dd), IPV6(21, 44), FRAGMENT(17, 0), UDP(13, 0), TEXT);
	/* The two reserved bits are to be ignored. */
	ASSERT_TEXT(0, ETHERNET(0x86dd), IPV6(21, 44), FRAGMENT(17, 6), UDP(13, 0), TEXT);
	/* Extension headers before and behind the fragment header. */
	ASSERT_FRAGMENT(0, true, 16, ETHERNET(0x86dd), IPV6(40, 0), HOP_BY_HOP(43), ROUTING(44, 0),
		FRAGMENT(60, 1), DESTINATION(17), UDP(13, 0));
	ASSERT_FRAGMENT(16, true, 8, ETHERNET(0x86dd), IPV6(16, 44), FRAGMENT(60, 17), UDP(13, 0));
}

static void
refuses_bad_ipv6_fragments(void **state)
{
	(void)state;
	ASSERT_REASON(bad_fragment, ETHERNET(0x86dd), IPV6(21, 44), FRAGMENT(17, 1), UDP(13, 0),
		TEXT); /* 13 bytes and more to come */
	ASSERT_REASON(bad_fragment, ETHERNET(0x86dd), IPV6(8, 44), FRAGMENT(17, 9)); /* empty */
	/* 65528 + 7 is the longest without other headers, 65528 - 8 + 7 with one of 8 bytes. */
	ASSERT_REASON(bad_fragment, ETHERNET(0x86dd), IPV6(16, 44), FRAGMENT(17, 0xfff8),
		UDP(13, 0));
	ASSERT_FRAGMENT(65528, false, 7, ETHERNET(0x86dd), IPV6(15, 44), FRAGMENT(17, 0xfff8), 1, 2,
		3, 4, 5, 6, 7);
	ASSERT_REASON(bad_fragment, ETHERNET(0x86dd), IPV6(23, 60), DESTINATION(44),
		FRAGMENT(17, 0xfff8), 1, 2, 3, 4, 5, 6, 7);
	/* The first without UDP's header (RFC 8200 section 4.5), or with half an extension header.
	 */
	ASSERT_REASON(bad_fragment, ETHERNET(0x86dd), IPV6(16, 44), FRAGMENT(60, 1),
		DESTINATION(17));
	ASSERT_REASON(bad_fragment, ETHERNET(0x86dd), IPV6(16, 44), FRAGMENT(60, 1), 17, 1, 1, 12,
		0, 0, 0, 0);
	/* ICMPv6, in the first, behind another header, and in a later one. */
	ASSERT_REASON(not_udp, ETHERNET(0x86dd), IPV6(16, 44), FRAGMENT(58, 1), UDP(13, 0));
	ASSERT_REASON(not_udp, ETHERNET(0x86dd), IPV6(24, 44), FRAGMENT(60, 1), DESTINATION(58),
		UDP(13, 0));
	ASSERT_REASON(not_udp, ETHERNET(0x86dd), IPV6(16, 44), FRAGMENT(58, 9), UDP(13, 0));
}

static void
parses_the_body_of_a_reassembled_datagram(void **state)
{
	static const uint8_t addresses[32] = {0x20, 1},
			     body[] = {DESTINATION(17), UDP(13, 0), TEXT};
	static const uint8_t nested[] = {FRAGMENT(17, 8), UDP(13, 0), TEXT};
	struct packet packet = {addresses, 16, 60, span_of(body, sizeof(body))};
	struct frame frame;

	(void)state;
	assert_int_equal(frame_parse_packet(&packet, 0, &frame), STAT_NONE);
	assert_true(span_equal(frame.payload, SPAN_LITERAL("a:1|c")));
	assert_ptr_equal(frame.source, addresses);
	assert_int_equal(frame.destination_port, 8125);
	/* A UDP checksum of 0 is wrong over IPv6. */
	assert_int_equal(frame_parse_packet(&packet, ALL, &frame),
		STAT_frames_dropped_bad_udp_checksum);
	packet.type = 44;
	packet.body = span_of(nested, sizeof(nested));
	assert_int_equal(frame_parse_packet(&packet, 0, &frame), STAT_frames_dropped_bad_fragment);
}

static void
walks_ipv6_extension_headers(void **state)
{
	(void)state;
	ASSERT_TEXT(0, ETHERNET(0x86dd), IPV6(57, 0), HOP_BY_HOP(60), DESTINATION(43),
		ROUTING(44, 0), FRAGMENT(51, 0), AH(17), UDP(13, 0), TEXT);
	ASSERT_TEXT(0, ETHERNET(0x86dd), IPV6(77, 60), DESTINATION(60), DESTINATION(60),
		DESTINATION(60), DESTINATION(60), DESTINATION(60), DESTINATION(60), DESTINATION(60),
		DESTINATION(17), UDP(13, 0), TEXT);
}

static void
refuses_a_bad_chain_of_extension_headers(void **state)
{
	(void)state;
	/* Nine are too many. */
	ASSERT_REASON(bad_extension, ETHERNET(0x86dd), IPV6(85, 60), DESTINATION(60),
		DESTINATION(60), DESTINATION(60), DESTINATION(60), DESTINATION(60), DESTINATION(60),
		DESTINATION(60), DESTINATION(60), DESTINATION(17), UDP(13, 0), TEXT);
	ASSERT_REASON(bad_extension, ETHERNET(0x86dd), IPV6(29, 60), DESTINATION(0), HOP_BY_HOP(17),
		UDP(13, 0), TEXT);
	ASSERT_REASON(bad_extension, ETHERNET(0x86dd), IPV6(21, 43), ROUTING(17, 1), UDP(13, 0),
		TEXT);
	/* 24 bytes claimed, 21 there. */
	ASSERT_REASON(bad_extension, ETHERNET(0x86dd), IPV6(21, 60), 17, 2, 1, 4, 0, 0, 0, 0,
		UDP(13, 0), TEXT);
	/* AH of 8 bytes: its fixed part has 12. */
	ASSERT_REASON(bad_extension, ETHERNET(0x86dd), IPV6(21, 51), 17, 0, 0, 0, 0, 0, 0, 1,
		UDP(13, 0), TEXT);
	ASSERT_REASON(bad_extension, ETHERNET(0x86dd), IPV6(4, 60), 17, 0, 1, 4);
	/* A jumbogram (RFC 2675): payload length 0 and a hop-by-hop header. */
	ASSERT_REASON(bad_extension, ETHERNET(0x86dd), IPV6(0, 0), 17, 0, 0xc2, 4, 0, 1, 0, 0,
		UDP(0, 0), TEXT);
}

static void
refuses_what_is_not_udp(void **state)
{
	(void)state;
	ASSERT_REASON(not_udp, ETHERNET(0x0800), IPV4_FULL(0x45, 33, 0x4000, 6, 0), UDP(13, 0),
		TEXT);
	ASSERT_REASON(not_udp, ETHERNET(0x86dd), IPV6(13, 58), UDP(13, 0), TEXT);
	ASSERT_REASON(not_udp, ETHERNET(0x86dd), IPV6(8, 60), DESTINATION(59)); /* none */
	ASSERT_REASON(not_udp, ETHERNET(0x86dd), IPV6(21, 60), DESTINATION(50), UDP(13, 0),
		TEXT); /* ESP */
}

static void
holds_the_udp_length_against_the_ip_length(void **state)
{
	(void)state;
	ASSERT_TEXT(0, ETHERNET(0x0800), IPV4(36), UDP(13, 0), TEXT, 9, 9, 9);
	ASSERT_TEXT(0, ETHERNET(0x86dd), IPV6(16, 17), UDP(13, 0), TEXT, 9, 9, 9);
	ASSERT_REASON(bad_udp_length, ETHERNET(0x0800), IPV4(33), UDP(14, 0), TEXT);
	/* Longer than IP says, though the frame has the bytes. */
	ASSERT_REASON(bad_udp_length, ETHERNET(0x0800), IPV4(33), UDP(14, 0), TEXT, 9);
	ASSERT_REASON(bad_udp_length, ETHERNET(0x0800), IPV4(33), UDP(7, 0), TEXT);
	ASSERT_REASON(bad_udp_length, ETHERNET(0x0800), IPV4(27), UDP(8, 0), TEXT);
	ASSERT_REASON(bad_udp_length, ETHERNET(0x86dd), IPV6(13, 17), UDP(0, 0), TEXT);
	ASSERT_REASON(bad_udp_length, ETHERNET(0x86dd), IPV6(0, 17), UDP(13, 0), TEXT);
}

static void
accepts_an_empty_payload(void **state)
{
	struct frame frame;

	(void)state;
	assert_int_equal(PARSE(0, &frame, ETHERNET(0x0800), IPV4(28), UDP(8, 0)), STAT_NONE);
	assert_int_equal(frame.payload.size, 0);
}

static void
takes_the_checksum_of_a_known_header(void **state)
{
	static const uint8_t header[] = {0x45, 0x00, 0x00, 0x73, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11,
		0xb8, 0x61, 0xc0, 0xa8, 0x00, 0x01, 0xc0, 0xa8, 0x00, 0xc7};
	/* RFC 1071 section 3: these words add up to ddf2, so the checksum is 220d. */
	static const uint8_t words[] = {0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7, 0x22, 0x0d};

	(void)state;
	assert_true(checksum_is_right(checksum_add(0, span_of(header, sizeof(header)))));
	assert_false(checksum_is_right(checksum_add(0, span_of(header, sizeof(header) - 2))));
	assert_true(checksum_is_right(checksum_add(0, span_of(words, sizeof(words)))));
	assert_false(checksum_is_right(0));
}

static void
computes_checksums_only_where_asked(void **state)
{
	struct frame frame;

	(void)state;
	ASSERT_TEXT(ALL, ETHERNET(0x0800), IPV4_FULL(0x45, 33, 0x4000, 17, 0xa48c), UDP(13, 0xca13),
		TEXT);
	assert_int_equal(PARSE(ALL, &frame, ETHERNET(0x0800),
				 IPV4_FULL(0x45, 33, 0x4000, 17, 0xa48d), UDP(13, 0xca13), TEXT),
		STAT_frames_dropped_bad_ip_checksum);
	ASSERT_TEXT(FRAME_CHECK_UDP, ETHERNET(0x0800), IPV4_FULL(0x45, 33, 0x4000, 17, 0xa48d),
		UDP(13, 0xca13), TEXT);
	assert_int_equal(PARSE(ALL, &frame, ETHERNET(0x0800),
				 IPV4_FULL(0x45, 33, 0x4000, 17, 0xa48c), UDP(13, 0xca14), TEXT),
		STAT_frames_dropped_bad_udp_checksum);
	ASSERT_TEXT(FRAME_CHECK_IP, ETHERNET(0x0800), IPV4_FULL(0x45, 33, 0x4000, 17, 0xa48c),
		UDP(13, 0xca14), TEXT);
}

static void
covers_the_udp_length_only(void **state)
{
	(void)state;
	/* The same datagram and checksum with 3 bytes behind it, inside IP. */
	ASSERT_TEXT(FRAME_CHECK_UDP, ETHERNET(0x0800), IPV4(36), UDP(13, 0xca13), TEXT, 9, 9, 9);
	ASSERT_TEXT(FRAME_CHECK_UDP, ETHERNET(0x86dd), IPV6(16, 17), UDP(13, 0xf29c), TEXT, 9, 9,
		9);
}

static void
knows_what_a_udp_checksum_of_0_means(void **state)
{
	struct frame frame;

	(void)state;
	ASSERT_TEXT(FRAME_CHECK_UDP, ETHERNET(0x0800), IPV4(33), UDP(13, 0), TEXT);
	assert_int_equal(
		PARSE(FRAME_CHECK_UDP, &frame, ETHERNET(0x86dd), IPV6(13, 17), UDP(13, 0), TEXT),
		STAT_frames_dropped_bad_udp_checksum);
	/* A sum of 0 is sent as ffff. */
	assert_int_equal(PARSE(FRAME_CHECK_UDP, &frame, ETHERNET(0x86dd), IPV6(12, 17),
				 UDP(12, 0xffff), 0x7a, 0x7a, 0x6d, 0xdb),
		STAT_NONE);
}

static void
takes_the_ipv6_pseudo_header_without_extensions(void **state)
{
	(void)state;
	/* RFC 8200 section 8.1: the length and the type of UDP, not those in the IPv6 header. */
	ASSERT_TEXT(FRAME_CHECK_UDP, ETHERNET(0x86dd), IPV6(21, 60), DESTINATION(17),
		UDP(13, 0xf29c), TEXT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_payload_addresses_and_ports_over_ipv4),
		cmocka_unit_test(finds_payload_addresses_and_ports_over_ipv6),
		cmocka_unit_test(leaves_the_result_alone_when_it_refuses),
		cmocka_unit_test(passes_up_to_two_tags),
		cmocka_unit_test(refuses_what_is_not_ip),
		cmocka_unit_test(refuses_every_cut_of_a_frame),
		cmocka_unit_test(cuts_ethernet_padding_off),
		cmocka_unit_test(skips_ipv4_options),
		cmocka_unit_test(refuses_an_ipv4_header_that_contradicts_itself),
		cmocka_unit_test(refuses_an_ipv6_header_that_contradicts_itself),
		cmocka_unit_test(describes_ipv4_fragments),
		cmocka_unit_test(refuses_bad_ipv4_fragments),
		cmocka_unit_test(describes_ipv6_fragments_but_atomic_ones),
		cmocka_unit_test(refuses_bad_ipv6_fragments),
		cmocka_unit_test(parses_the_body_of_a_reassembled_datagram),
		cmocka_unit_test(walks_ipv6_extension_headers),
		cmocka_unit_test(refuses_a_bad_chain_of_extension_headers),
		cmocka_unit_test(refuses_what_is_not_udp),
		cmocka_unit_test(holds_the_udp_length_against_the_ip_length),
		cmocka_unit_test(accepts_an_empty_payload),
		cmocka_unit_test(takes_the_checksum_of_a_known_header),
		cmocka_unit_test(computes_checksums_only_where_asked),
		cmocka_unit_test(covers_the_udp_length_only),
		cmocka_unit_test(knows_what_a_udp_checksum_of_0_means),
		cmocka_unit_test(takes_the_ipv6_pseudo_header_without_extensions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
