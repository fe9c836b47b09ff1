/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames laid out by hand; the expected keys are the fields in question, one after the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/hash.h"
#include "frame/flow.h"
#include "frame/layout.h"

#define SEED 42

#define PORTS BE16(40000), BE16(8125)
#define BODY UDP(13, 0), TEXT
#define FIRST 0x2000 /* of several fragments: more follow, RFC 791 */
#define SECOND 185 /* the last one, at 185 * 8 bytes */
#define FIRST_OF_6 0x0001 /* RFC 8200 section 4.5 */
#define SECOND_OF_6 (181 << 3)

static const uint8_t addresses4[] = {192, 0, 2, 1, 192, 0, 2, 10};
static const uint8_t key4[] = {192, 0, 2, 1, 192, 0, 2, 10, PORTS};
static const uint8_t addresses6[] = {0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x20,
	1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10};
static const uint8_t key6[] = {0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x20, 1,
	0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, PORTS};

#define BYTES(...) ((const uint8_t[]){__VA_ARGS__})
#define HASH(ret_hash, ...) hash(BYTES(__VA_ARGS__), sizeof(BYTES(__VA_ARGS__)), ret_hash)
#define ASSERT_KEY(key, ...) \
	do { \
		uint64_t hash_ = 0; \
		assert_true(HASH(&hash_, __VA_ARGS__)); \
		assert_int_equal(hash_, XXH3_64bits_withSeed(key, sizeof(key), SEED)); \
	} while (0)
#define ASSERT_NO_FLOW(...) \
	do { \
		uint64_t hash_ = 7; \
		assert_false(HASH(&hash_, __VA_ARGS__)); \
		assert_int_equal(hash_, 7); \
	} while (0)

/* Of a copy that ends where the frame ends, so that a sanitizer sees a read past it. */
static bool
hash(const uint8_t *bytes, size_t size, uint64_t *ret_hash)
{
	uint8_t *copy = malloc(size > 0 ? size : 1);
	bool has_flow;

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	has_flow = flow_hash(span_of(copy, size), SEED, ret_hash);
	free(copy);
	return has_flow;
}

static void
a_flow_is_both_addresses_and_both_ports(void **state)
{
	(void)state;
	ASSERT_KEY(key4, ETHERNET(0x0800), IPV4(33), BODY);
	ASSERT_KEY(key6, ETHERNET(0x86dd), IPV6(13, 17), BODY);
}

static void
tags_options_and_extensions_change_nothing(void **state)
{
	(void)state;
	ASSERT_KEY(key4, ETHERNET(0x8100), TAG(0x0800), IPV4(33), BODY);
	ASSERT_KEY(key4, ETHERNET(0x88a8), TAG(0x8100), TAG(0x0800), IPV4(33), BODY);
	ASSERT_KEY(key6, ETHERNET(0x9100), TAG(0x8100), TAG(0x86dd), IPV6(13, 17), BODY);
	ASSERT_KEY(key4, ETHERNET(0x0800), IPV4_FULL(0x46, 37, 0, 17, 0), 1, 1, 1, 0, BODY);
	ASSERT_KEY(key6, ETHERNET(0x86dd), IPV6(49, 0), HOP_BY_HOP(60), DESTINATION(43),
		ROUTING(51, 0), AH(17), BODY);
	/* A datagram in a single "fragment": RFC 6946. */
	ASSERT_KEY(key6, ETHERNET(0x86dd), IPV6(21, 44), FRAGMENT(17, 0), BODY);
}

static void
all_fragments_of_a_datagram_are_of_one_flow(void **state)
{
	(void)state;
	ASSERT_KEY(addresses4, ETHERNET(0x0800), IPV4_FULL(0x45, 1500, FIRST, 17, 0), BODY);
	ASSERT_KEY(addresses4, ETHERNET(0x0800), IPV4_FULL(0x45, 21, SECOND, 17, 0), 'x');
	ASSERT_KEY(addresses4, ETHERNET(0x0800), IPV4_FULL(0x45, 20, SECOND, 17, 0));
	ASSERT_KEY(addresses6, ETHERNET(0x86dd), IPV6(1400, 44), FRAGMENT(17, FIRST_OF_6), BODY);
	ASSERT_KEY(addresses6, ETHERNET(0x86dd), IPV6(9, 44), FRAGMENT(17, SECOND_OF_6), 'x');
	/* What stands behind a later fragment's header is no header. */
	ASSERT_KEY(addresses6, ETHERNET(0x86dd), IPV6(9, 44), FRAGMENT(60, SECOND_OF_6), 'x');
	ASSERT_KEY(addresses6, ETHERNET(0x86dd), IPV6(17, 0), HOP_BY_HOP(44),
		FRAGMENT(17, SECOND_OF_6), 'x');
}

static void
whatever_is_no_udp_has_no_flow(void **state)
{
	(void)state;
	ASSERT_NO_FLOW(ETHERNET(0x0806), IPV4(33), BODY);
	ASSERT_NO_FLOW(ETHERNET(0x0800), IPV4_FULL(0x45, 33, 0, 6, 0), BODY);
	ASSERT_NO_FLOW(ETHERNET(0x0800), IPV4_FULL(0x45, 33, FIRST, 1, 0), BODY);
	ASSERT_NO_FLOW(ETHERNET(0x86dd), IPV6(13, 58), BODY);
	ASSERT_NO_FLOW(ETHERNET(0x86dd), IPV6(21, 0), HOP_BY_HOP(58), BODY);
	ASSERT_NO_FLOW(ETHERNET(0x86dd), IPV6(21, 44), FRAGMENT(58, 0), BODY);
	/* A third tag is not looked behind. */
	ASSERT_NO_FLOW(ETHERNET(0x8100), TAG(0x8100), TAG(0x8100), TAG(0x0800), IPV4(33), BODY);
}

static void
reads_no_further_than_the_frame_and_eight_extensions(void **state)
{
	static const uint8_t whole[] = {ETHERNET(0x86dd), IPV6(29, 0), HOP_BY_HOP(44),
		FRAGMENT(17, 0), BODY};
	static const uint8_t tagged[] = {ETHERNET(0x8100), TAG(0x0800), IPV4(33), BODY};
	uint64_t value;

	(void)state;
	for (size_t size = 0; size < sizeof(whole); size++)
		assert_int_equal(hash(whole, size, &value), size >= 14 + 40 + 8 + 8 + 4);
	for (size_t size = 0; size < sizeof(tagged); size++)
		assert_int_equal(hash(tagged, size, &value), size >= 14 + 4 + 20 + 4);
	/* A header length of less than a header, and one that leaves the frame. */
	ASSERT_NO_FLOW(ETHERNET(0x0800), IPV4_FULL(0x44, 33, 0, 17, 0), BODY);
	ASSERT_NO_FLOW(ETHERNET(0x0800), IPV4_FULL(0x4f, 33, 0, 17, 0), BODY);
	ASSERT_KEY(key6, ETHERNET(0x86dd), IPV6(77, 60), DESTINATION(60), DESTINATION(60),
		DESTINATION(60), DESTINATION(60), DESTINATION(60), DESTINATION(60), DESTINATION(60),
		DESTINATION(17), BODY);
	ASSERT_NO_FLOW(ETHERNET(0x86dd), IPV6(85, 60), DESTINATION(60), DESTINATION(60),
		DESTINATION(60), DESTINATION(60), DESTINATION(60), DESTINATION(60), DESTINATION(60),
		DESTINATION(60), DESTINATION(17), BODY);
	ASSERT_NO_FLOW(ETHERNET(0x86dd), IPV6(13, 60), 17, 9, BODY);
}

/* 256 flows that differ in one field only, over 4 workers: 64 each, and with a chance of less than
 * 1 in 10^9 fewer than 24 or more than 104 (binomial, 6 sigma are 42). */
static void
spreads_flows_that_differ_in_one_field(void **state)
{
	static const size_t field[] = {14 + 15, 14 + 19, 14 + 21, 14 + 23};
	uint8_t bytes[] = {ETHERNET(0x0800), IPV4(33), BODY};

	(void)state;
	for (size_t f = 0; f < 4; f++) {
		unsigned n[4] = {0};

		for (unsigned value = 0; value < 256; value++) {
			uint64_t number;

			bytes[field[f]] = (uint8_t)value;
			assert_true(hash(bytes, sizeof(bytes), &number));
			n[number % 4]++;
		}
		for (size_t i = 0; i < 4; i++)
			assert_in_range(n[i], 24, 104);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_flow_is_both_addresses_and_both_ports),
		cmocka_unit_test(tags_options_and_extensions_change_nothing),
		cmocka_unit_test(all_fragments_of_a_datagram_are_of_one_flow),
		cmocka_unit_test(whatever_is_no_udp_has_no_flow),
		cmocka_unit_test(reads_no_further_than_the_frame_and_eight_extensions),
		cmocka_unit_test(spreads_flows_that_differ_in_one_field),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
