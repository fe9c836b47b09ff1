/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "penstock-load/envelope.h"

static struct envelope envelope;

static int
set_up(void **state)
{
	const struct envelope_options options = {
		.mac_source = {2, 0, 0, 0, 0, 1},
		.mac_destination = {2, 0, 0, 0, 0, 2},
		.ip_source = {198, 18, 0, 1},
		.ip_destination = {198, 18, 0, 2},
		.port = 8125,
	};

	(void)state;
	envelope_init(&envelope, &options);
	return 0;
}

/* Payload "a:1|c\n", the first datagram. Checksums by hand (RFC 1071):
 * IP: 4500 + 0022 + 0000 + 4000 + 4011 + c612 + 0001 + c612 + 0002 = 2515a -> 515c -> aea3.
 * UDP: c612 + 0001 + c612 + 0002 + 0011 + 000e + c000 + 1fbd + 000e + 613a + 317c + 630a
 *      = 361d1 -> 61d4 -> 9e2b. */
static void
writes_a_frame_worked_by_hand(void **state)
{
	static const uint8_t expected[ENVELOPE_SIZE] = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x08,
		0x00, 0x45, 0x00, 0x00, 0x22, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11, 0xae, 0xa3, 0xc6,
		0x12, 0x00, 0x01, 0xc6, 0x12, 0x00, 0x02, 0xc0, 0x00, 0x1f, 0xbd, 0x00, 0x0e, 0x9e,
		0x2b};
	uint8_t frame[ENVELOPE_SIZE];

	(void)state;
	envelope_write(&envelope, SPAN_LITERAL("a:1|c\n"), 0, frame);
	assert_memory_equal(frame, expected, ENVELOPE_SIZE);
}

static void
takes_source_ports_in_turn(void **state)
{
	uint8_t frame[ENVELOPE_SIZE];

	(void)state;
	for (uint64_t i = 0; i < 3 * ENVELOPE_FLOWS; i++) {
		envelope_write(&envelope, SPAN_LITERAL("a:1|c"), i, frame);
		assert_int_equal(frame[34] << 8 | frame[35], 49152 + i % ENVELOPE_FLOWS);
	}
}

/* 16-bit words of the whole, checksum included, add up to 0xffff (RFC 1071). */
static uint32_t
folded(const uint8_t *data, size_t size, uint32_t sum)
{
	for (size_t i = 0; i < size; i++)
		sum += i % 2 == 0 ? (uint32_t)data[i] << 8 : data[i];
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static void
has_checksums_that_verify(void **state)
{
	uint8_t frame[ENVELOPE_SIZE + 300];

	(void)state;
	for (size_t size = 0; size < 300; size++) {
		uint8_t *payload = frame + ENVELOPE_SIZE;

		for (size_t i = 0; i < size; i++)
			payload[i] = (uint8_t)(i * 37 + size);
		envelope_write(&envelope, span_of(payload, size), size * 1001, frame);
		assert_int_equal(folded(frame + 14, 20, 0), 0xffff);
		/* Addresses, ports and payload, with the pseudo header's protocol and length. */
		assert_int_equal(folded(frame + 26, 16 + size, 17 + 8 + (uint32_t)size), 0xffff);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_a_frame_worked_by_hand),
		cmocka_unit_test(takes_source_ports_in_turn),
		cmocka_unit_test(has_checksums_that_verify),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
