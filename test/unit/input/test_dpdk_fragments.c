/* SPDX-License-Identifier: BSD-3-Clause */
/* Fragments through a queue of a port, on net_ring: what was sent is polled. */
#include "dpdk/lab.h"

#define PAYLOAD_SIZE 56
#define FRAGMENT_SIZE 32 /* half of the IP body */

struct lab {
	struct port *port;
	struct input *input;
	struct stats stats;
	struct burst burst;
};

static void
open_lab(struct lab *lab, enum port_checksum checksum)
{
	static const char *const allow[] = {"192.0.2.0/24"};
	static struct port_spec spec;

	spec = (struct port_spec){.name = "port0",
		.device = "net_ring0",
		.queues = 1,
		.udp_port = 8125,
		.allow = allow,
		.n_allow = 1,
		.checksum = checksum};
	*lab = (struct lab){.port = open_port(&spec)};
	lab->input = open_input(lab->port, 0, &lab->stats);
}

static void
close_lab(struct lab *lab)
{
	CHECK(frames_balance(&lab->stats));
	input_close(lab->input);
	port_close(lab->port);
}

static uint64_t
count(const struct lab *lab, enum counter counter)
{
	return lab->stats.counter[counter];
}

/* The complement of the one's complement sum of big-endian words, as RFC 791 and 768 say it. */
static uint16_t
checksum(uint32_t sum, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i += 2)
		sum += (uint32_t)(bytes[i] << 8 | bytes[i + 1]);
	sum = (sum >> 16) + (sum & 0xffff);
	return (uint16_t) ~((sum >> 16) + sum);
}

static void
store(uint8_t *at, uint16_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

/* One half, 0 or 1, of a datagram from 192.0.2.1, which is allowed, or from 203.0.113.1. */
static void
send_half(struct lab *lab, uint16_t id, unsigned half, bool allowed, uint16_t sum_error)
{
	static const uint8_t refused[] = {203, 0, 113, 1};
	uint8_t payload[PAYLOAD_SIZE], whole[128], bytes[34 + FRAGMENT_SIZE] = {0};
	struct span frame = span_of(bytes, sizeof(bytes));
	uint32_t sum;

	memset(payload, '\n', sizeof(payload));
	memcpy(payload, "a:1|c", 5);
	lay_out(whole, span_of(payload, sizeof(payload)), 0);
	if (!allowed)
		memcpy(whole + 26, refused, sizeof(refused));
	sum = checksum(17 + 8 + PAYLOAD_SIZE, whole + 26, 8 + 8 + PAYLOAD_SIZE);
	store(whole + 40, (uint16_t)(sum + sum_error));
	memcpy(bytes, whole, 34);
	store(bytes + 16, 20 + FRAGMENT_SIZE);
	store(bytes + 18, id);
	store(bytes + 20, half == 0 ? 0x2000 : FRAGMENT_SIZE / 8);
	store(bytes + 24, 0);
	store(bytes + 24, checksum(0, bytes + 14, 20));
	memcpy(bytes + 34, whole + 34 + half * FRAGMENT_SIZE, FRAGMENT_SIZE);
	CHECK(port_send(lab->port, &frame, 1) == 1);
}

static unsigned
poll_once(struct lab *lab)
{
	unsigned n;

	input_poll(lab->input, &lab->burst);
	n = lab->burst.n;
	for (unsigned i = 0; i < n; i++) {
		CHECK(lab->burst.dgram[i].payload.size == PAYLOAD_SIZE);
		CHECK(memcmp(lab->burst.dgram[i].payload.data, "a:1|c\n", 6) == 0);
		CHECK(lab->burst.dgram[i].source[0] == 192);
	}
	if (n > 0)
		input_release(lab->input, &lab->burst);
	return n;
}

static void
join_datagrams(void)
{
	struct lab lab;

	open_lab(&lab, PORT_CHECKSUM_VERIFY);
	for (uint16_t id = 0; id < 32; id++)
		send_half(&lab, id, id % 2, true, 0);
	CHECK(poll_once(&lab) == 0);
	CHECK(count(&lab, STAT_frames_queued) == 32);
	for (uint16_t id = 0; id < 32; id++)
		send_half(&lab, id, 1 - id % 2, true, 0);
	CHECK(poll_once(&lab) == 32);
	CHECK(count(&lab, STAT_frames_delivered) == 32);
	CHECK(count(&lab, STAT_frames_reassembled) == 32);
	CHECK(count(&lab, STAT_frames_queued) == 0);
	CHECK(count(&lab, STAT_worker_bytes_received) == 32 * PAYLOAD_SIZE);
	close_lab(&lab);
}

static void
joins_the_fragments_of_a_burst_and_of_several(void **state)
{
	(void)state;
	expect_child(join_datagrams);
}

static void
send_with_wrong_sum(enum port_checksum mode, unsigned n_expected)
{
	struct lab lab;

	open_lab(&lab, mode);
	send_half(&lab, 1, 0, true, 1);
	send_half(&lab, 1, 1, true, 1);
	CHECK(poll_once(&lab) == n_expected);
	CHECK(count(&lab, STAT_frames_dropped_bad_udp_checksum) == 1 - n_expected);
	CHECK(count(&lab, STAT_frames_reassembled) == 1);
	close_lab(&lab);
}

static void
check_sum_auto(void)
{
	send_with_wrong_sum(PORT_CHECKSUM_AUTO, 0);
}

static void
check_sum_ignore(void)
{
	send_with_wrong_sum(PORT_CHECKSUM_IGNORE, 1);
}

static void
computes_the_checksum_of_a_reassembled_datagram(void **state)
{
	(void)state;
	expect_child(check_sum_auto);
	expect_child(check_sum_ignore);
}

/* 64 places: a refused source that took one would push the first datagram out. */
static void
send_from_refused_source(void)
{
	struct lab lab;

	open_lab(&lab, PORT_CHECKSUM_AUTO);
	send_half(&lab, 1, 0, true, 0);
	for (uint16_t id = 0; id < 200; id++)
		send_half(&lab, id, 0, false, 0);
	send_half(&lab, 1, 1, true, 0);
	for (int i = 0; i < 4; i++)
		poll_once(&lab);
	CHECK(count(&lab, STAT_frames_delivered) == 1);
	CHECK(count(&lab, STAT_frames_dropped_source_refused) == 200);
	close_lab(&lab);
}

static void
gives_no_place_to_a_refused_source(void **state)
{
	(void)state;
	expect_child(send_from_refused_source);
}

/* Bursts without a datagram are not the end of a drain; what waits then is counted. */
static void
drain_fragments(void)
{
	struct lab lab;
	unsigned n = 0;

	open_lab(&lab, PORT_CHECKSUM_AUTO);
	for (uint16_t id = 0; id < 5 * BURST_MAX; id++)
		send_half(&lab, id, 0, true, 0);
	send_half(&lab, 5 * BURST_MAX - 1, 1, true, 0);
	input_quiesce(lab.input);
	while (input_is_pending(lab.input))
		n += poll_once(&lab);
	CHECK(n == 1);
	CHECK(count(&lab, STAT_frames_queued) == 63);
	input_settle(lab.input);
	CHECK(count(&lab, STAT_frames_queued) == 0);
	/* 320 datagrams: 64 places at the end, of which the last was taken by the complete one. */
	CHECK(count(&lab, STAT_frames_dropped_fragment_stopped) == 63);
	CHECK(count(&lab, STAT_frames_dropped_fragment_flood) == 5 * BURST_MAX - 64);
	close_lab(&lab);
}

static void
counts_at_the_end_what_waits_for_other_fragments(void **state)
{
	(void)state;
	expect_child(drain_fragments);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(joins_the_fragments_of_a_burst_and_of_several),
		cmocka_unit_test(computes_the_checksum_of_a_reassembled_datagram),
		cmocka_unit_test(gives_no_place_to_a_refused_source),
		cmocka_unit_test(counts_at_the_end_what_waits_for_other_fragments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
