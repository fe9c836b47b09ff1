/* SPDX-License-Identifier: BSD-3-Clause */
/* A queue of a port as an input, on devices that need no NIC: net_pcap, net_ring. */
#include "dpdk/joiner.h"
#include "dpdk/lab.h"

/* The UDP checksum of "a:1|c" in lay_out's frame, from a separate Python function. */
#define RIGHT_SUM 0xca13

static char capture_path[64];

/* A capture file as the libpcap format has it: version 2.4, Ethernet, host byte order. */
static FILE *
begin_capture(void)
{
	const uint32_t header[] = {0xa1b2c3d4, 4 << 16 | 2, 0, 0, 262144, 1};
	FILE *file;
	int fd;

	snprintf(capture_path, sizeof(capture_path), "/tmp/penstock-test-XXXXXX");
	fd = mkstemp(capture_path);
	CHECK(fd >= 0);
	file = fdopen(fd, "wb");
	CHECK(file != NULL && fwrite(header, sizeof(header), 1, file) == 1);
	return file;
}

static void
add_frame(FILE *file, struct span frame)
{
	const uint32_t header[] = {0, 0, (uint32_t)frame.size, (uint32_t)frame.size};

	CHECK(fwrite(header, sizeof(header), 1, file) == 1);
	CHECK(fwrite(frame.data, 1, frame.size, file) == frame.size);
}

static struct port *
open_capture(struct port_spec spec, const char *arguments)
{
	static char device[128];

	snprintf(device, sizeof(device), "net_pcap0,rx_pcap=%s%s", capture_path, arguments);
	spec.name = "port0";
	spec.device = device;
	spec.queues = 1;
	return open_port(&spec);
}

static void
close_all(struct input *input, struct port *port)
{
	input_close(input);
	port_close(port);
	unlink(capture_path);
}

/* Polls until nothing comes any more; appends the payloads, each with a ';', to text. */
static void
poll_all(struct input *input, char *text, size_t size)
{
	struct burst burst;
	int n_empty = 0;

	text[0] = '\0';
	while (n_empty < 3) {
		input_poll(input, &burst);
		for (uint16_t i = 0; i < burst.n; i++)
			snprintf(text + strlen(text), size - strlen(text), "%.*s;",
				(int)burst.dgram[i].payload.size,
				(const char *)burst.dgram[i].payload.data);
		n_empty = burst.n == 0 ? n_empty + 1 : 0;
		if (burst.n > 0)
			input_release(input, &burst);
	}
}

static void
read_good_and_bad_frames(void)
{
	const char *const addresses[] = {"192.0.2.10/24"}, *const allow[] = {"192.0.2.0/24"};
	const struct port_spec spec = {.udp_port = 8125,
		.addresses = addresses,
		.n_addresses = 1,
		.allow = allow,
		.n_allow = 1};
	static uint8_t buffer[70000], big[3000], too_big[JOINER_FRAME_MAX + 1];
	struct stats stats = {0};
	struct span frame;
	struct input *input;
	struct port *port;
	char text[4096], expected[4096];
	FILE *file = begin_capture();

	memset(big, 'b', sizeof(big));
	snprintf(expected, sizeof(expected), "first:1|c;%.*s;last:1|c;", (int)sizeof(big),
		(const char *)big);
	add_frame(file, lay_out(buffer, SPAN_LITERAL("first:1|c"), 0));
	frame = lay_out(buffer, SPAN_LITERAL("x:1|c"), 0);
	buffer[37] = 0xbe; /* UDP port 8126 */
	add_frame(file, frame);
	frame = lay_out(buffer, SPAN_LITERAL("x:1|c"), 0);
	buffer[33] = 11; /* to 192.0.2.11: 1 more in a word, so 1 less in the checksum (RFC 1624) */
	buffer[25]--;
	add_frame(file, frame);
	frame = lay_out(buffer, SPAN_LITERAL("x:1|c"), 0);
	buffer[26] = 193; /* from 193.0.2.1: 1 more in the upper byte of a word, 1 less here */
	buffer[24]--;
	add_frame(file, frame);
	frame = lay_out(buffer, SPAN_LITERAL("x:1|c"), 0);
	buffer[25] ^= 1; /* IP checksum */
	add_frame(file, frame);
	frame = lay_out(buffer, SPAN_LITERAL("x:1|c"), 0);
	buffer[13] = 6; /* ARP */
	add_frame(file, frame);
	add_frame(file, span_of(buffer, 10));
	add_frame(file, lay_out(buffer, span_of(big, sizeof(big)), 0)); /* two buffers */
	add_frame(file, span_of(too_big, sizeof(too_big)));
	add_frame(file, lay_out(buffer, SPAN_LITERAL("last:1|c"), 0));
	fclose(file);

	port = open_capture(spec, "");
	input = open_input(port, 0, &stats);
	poll_all(input, text, sizeof(text));
	input_refresh(input);
	CHECK(strcmp(text, expected) == 0);
	CHECK(stats.counter[STAT_frames_received] == 10);
	CHECK(stats.counter[STAT_frames_delivered] == 3);
	CHECK(stats.counter[STAT_frames_dropped_wrong_port] == 1);
	CHECK(stats.counter[STAT_frames_dropped_wrong_address] == 1);
	CHECK(stats.counter[STAT_frames_dropped_source_refused] == 1);
	CHECK(stats.counter[STAT_frames_dropped_bad_ip_checksum] == 1);
	CHECK(stats.counter[STAT_frames_dropped_not_ip] == 1);
	CHECK(stats.counter[STAT_frames_dropped_too_short] == 1);
	CHECK(stats.counter[STAT_frames_dropped_too_long] == 1);
	CHECK(stats.counter[STAT_worker_bytes_received] == 9 + sizeof(big) + 8);
	CHECK(frames_balance(&stats));
	close_all(input, port);
}

static void
hands_out_what_is_for_it_and_counts_the_rest(void **state)
{
	(void)state;
	expect_child(read_good_and_bad_frames);
}

/* To everybody's MAC, so that they are for this port as well. */
static void
add_to_all(FILE *file, uint8_t *buffer, struct span frame)
{
	memset(buffer, 0xff, 6);
	add_frame(file, frame);
}

static void
read_with_an_exception_port(void)
{
	const char *const allow[] = {"192.0.2.0/24"};
	const struct port_spec spec = {.udp_port = 8125,
		.allow = allow,
		.n_allow = 1,
		.exception = "net_ring1"};
	static uint8_t buffer[4096];
	struct stats stats = {0};
	struct span frame;
	struct input *input;
	struct port *port;
	char text[256];
	FILE *file = begin_capture();

	add_to_all(file, buffer, lay_out(buffer, SPAN_LITERAL("first:1|c"), 0));
	/* To the kernel: another UDP port, TCP, ARP. */
	frame = lay_out(buffer, SPAN_LITERAL("x:1|c"), 0);
	buffer[37] = 0xbe;
	add_to_all(file, buffer, frame);
	frame = lay_out(buffer, SPAN_LITERAL("x:1|c"), 0);
	buffer[23] = 6; /* 11 less in a word, so 11 more in the checksum (RFC 1624) */
	buffer[25] = (uint8_t)(buffer[25] + 11);
	CHECK(buffer[25] >= 11);
	add_to_all(file, buffer, frame);
	frame = lay_out(buffer, SPAN_LITERAL("x:1|c"), 0);
	buffer[13] = 6;
	add_to_all(file, buffer, frame);
	/* To nobody: the same for another station, a damaged header, a source that is not allowed.
	 */
	memset(buffer, 2, 6);
	add_frame(file, frame);
	frame = lay_out(buffer, SPAN_LITERAL("x:1|c"), 0);
	buffer[25] ^= 1;
	add_to_all(file, buffer, frame);
	frame = lay_out(buffer, SPAN_LITERAL("x:1|c"), 0);
	buffer[26] = 193;
	buffer[24]--;
	add_to_all(file, buffer, frame);
	fclose(file);

	port = open_capture(spec, "");
	input = open_input(port, 0, &stats);
	poll_all(input, text, sizeof(text));
	input_refresh(input);
	CHECK(strcmp(text, "first:1|c;") == 0);
	CHECK(stats.counter[STAT_frames_received] == 7);
	CHECK(stats.counter[STAT_frames_exception] == 3);
	CHECK(stats.counter[STAT_frames_dropped_not_ip] == 1);
	CHECK(stats.counter[STAT_frames_dropped_bad_ip_checksum] == 1);
	CHECK(stats.counter[STAT_frames_dropped_source_refused] == 1);
	/* The ring gives back what it took, as a kernel might, and net_pcap has nowhere to send. */
	CHECK(stats.counter[STAT_frames_relayed] + stats.counter[STAT_frames_unsent] == 3);
	CHECK(stats.counter[STAT_frames_originated] == 0);
	CHECK(frames_balance(&stats));
	close_all(input, port);
}

static void
hands_what_the_kernel_may_know_to_the_exception_port(void **state)
{
	(void)state;
	expect_child(read_with_an_exception_port);
}

/* Four frames: UDP checksum right, absent, wrong; IP checksum wrong. */
static void
read_checksums(enum port_checksum mode, uint64_t n_delivered, uint64_t n_bad_udp, uint64_t n_bad_ip)
{
	const struct port_spec spec = {.checksum = mode};
	struct stats stats = {0};
	uint8_t buffer[128];
	struct span frame;
	struct input *input;
	struct port *port;
	char text[256];
	FILE *file = begin_capture();

	add_frame(file, lay_out(buffer, SPAN_LITERAL("a:1|c"), RIGHT_SUM));
	add_frame(file, lay_out(buffer, SPAN_LITERAL("a:1|c"), 0));
	add_frame(file, lay_out(buffer, SPAN_LITERAL("a:1|c"), RIGHT_SUM + 1));
	frame = lay_out(buffer, SPAN_LITERAL("a:1|c"), RIGHT_SUM);
	buffer[24] ^= 0x40;
	add_frame(file, frame);
	fclose(file);

	port = open_capture(spec, "");
	input = open_input(port, 0, &stats);
	poll_all(input, text, sizeof(text));
	CHECK(stats.counter[STAT_frames_delivered] == n_delivered);
	CHECK(stats.counter[STAT_frames_dropped_bad_udp_checksum] == n_bad_udp);
	CHECK(stats.counter[STAT_frames_dropped_bad_ip_checksum] == n_bad_ip);
	CHECK(frames_balance(&stats));
	close_all(input, port);
}

static void
read_checksums_auto(void)
{
	read_checksums(PORT_CHECKSUM_AUTO, 3, 0, 1);
}

static void
read_checksums_verify(void)
{
	read_checksums(PORT_CHECKSUM_VERIFY, 2, 1, 1);
}

static void
read_checksums_ignore(void)
{
	read_checksums(PORT_CHECKSUM_IGNORE, 4, 0, 0);
}

static void
checks_checksums_as_the_port_says(void **state)
{
	(void)state;
	expect_child(read_checksums_auto);
	expect_child(read_checksums_verify);
	expect_child(read_checksums_ignore);
}

static void
read_a_damaged_capture(void)
{
	const struct port_spec spec = {0};
	struct stats stats = {0};
	uint8_t buffer[128];
	struct input *input;
	struct port *port;
	char text[256];
	FILE *file = begin_capture();

	add_frame(file, lay_out(buffer, SPAN_LITERAL("a:1|c"), 0));
	CHECK(fwrite(buffer, 7, 1, file) == 1); /* half a record header */
	fclose(file);
	port = open_capture(spec, "");
	input = open_input(port, 0, &stats);
	poll_all(input, text, sizeof(text));
	input_refresh(input);
	CHECK(strcmp(text, "a:1|c;") == 0);
	CHECK(stats.counter[STAT_frames_received] == 1);
	CHECK(frames_balance(&stats));
	close_all(input, port);
}

static void
counts_no_frame_for_a_damaged_end_of_a_capture(void **state)
{
	(void)state;
	expect_child(read_a_damaged_capture);
}

static void
read_an_endless_capture(void)
{
	const struct port_spec spec = {0};
	struct stats stats = {0};
	struct burst burst;
	uint8_t buffer[128];
	struct input *input;
	struct port *port;
	FILE *file = begin_capture();
	int n_polls = 0;

	add_frame(file, lay_out(buffer, SPAN_LITERAL("a:1|c"), 0));
	fclose(file);
	port = open_capture(spec, ",infinite_rx=1");
	input = open_input(port, 0, &stats);
	for (int i = 0; i < 1000; i++) {
		input_poll(input, &burst);
		CHECK(burst.n == BURST_MAX);
		CHECK(burst.time != 0);
		CHECK(burst.dgram[0].source_size == 4 && burst.dgram[0].source[3] == 1);
		CHECK(burst.dgram[0].listener == 3);
		input_release(input, &burst);
	}
	input_quiesce(input);
	do {
		input_poll(input, &burst);
		if (burst.n > 0)
			input_release(input, &burst);
		CHECK(++n_polls < 1000);
	} while (burst.n > 0);
	CHECK(frames_balance(&stats));
	close_all(input, port);
}

static void
comes_to_an_end_after_quiesce_even_if_its_source_does_not(void **state)
{
	(void)state;
	expect_child(read_an_endless_capture);
}

/* More frames than a pool has buffers otherwise. */
#define LONG_CAPTURE 3000

static void
repeat_a_long_capture(void)
{
	const struct port_spec spec = {.buffers_kept = LONG_CAPTURE};
	struct stats stats = {0};
	struct burst burst;
	uint8_t buffer[128];
	struct input *input;
	struct port *port;
	FILE *file = begin_capture();
	unsigned n_taken = 0;
	char text[32];

	for (unsigned i = 0; i < LONG_CAPTURE; i++) {
		snprintf(text, sizeof(text), "seq:%u|c", i);
		add_frame(file, lay_out(buffer, span_from_string(text), 0));
	}
	fclose(file);
	port = open_capture(spec, ",infinite_rx=1");
	input = open_input(port, 0, &stats);
	while (n_taken < 3 * LONG_CAPTURE) {
		input_poll(input, &burst);
		CHECK(burst.n == BURST_MAX);
		for (uint16_t i = 0; i < burst.n; i++, n_taken++)
			CHECK(strtoul((const char *)burst.dgram[i].payload.data + 4, NULL, 10) ==
				n_taken % LONG_CAPTURE);
		input_release(input, &burst);
	}
	CHECK(frames_balance(&stats));
	close_all(input, port);
}

static void
repeats_a_capture_for_which_buffers_are_kept(void **state)
{
	(void)state;
	expect_child(repeat_a_long_capture);
}

static void
send_through_a_ring(void)
{
	const struct port_spec spec = {.name = "port0", .device = "net_ring0", .queues = 1};
	struct port *port = open_port(&spec);
	struct stats stats = {0};
	struct input *input = open_input(port, 0, &stats);
	uint8_t buffer[2][128];
	struct burst burst;
	unsigned n_taken = 0;

	for (unsigned n_sent = 0; n_sent < 10000; n_sent += 2) {
		struct span frames[2];

		for (unsigned i = 0; i < 2; i++) {
			char text[32];

			snprintf(text, sizeof(text), "seq:%u|c", n_sent + i);
			frames[i] = lay_out(buffer[i], span_from_string(text), 0);
		}
		CHECK(port_send(port, frames, 2) == 2);
		input_poll(input, &burst);
		CHECK(burst.n == 2);
		for (uint16_t i = 0; i < burst.n; i++, n_taken++)
			CHECK(strtoul((const char *)burst.dgram[i].payload.data + 4, NULL, 10) ==
				n_taken);
		input_release(input, &burst);
	}
	CHECK(n_taken == 10000);
	CHECK(stats.counter[STAT_frames_delivered] == 10000);
	CHECK(frames_balance(&stats));
	input_close(input);
	port_close(port);
}

static void
keeps_the_order_of_what_was_sent(void **state)
{
	(void)state;
	expect_child(send_through_a_ring);
}

static void
ask_for_a_queue_too_many(void)
{
	const struct port_spec spec = {.name = "port0", .device = "net_null0", .queues = 2};
	struct port *port = open_port(&spec);
	struct input_spec input_spec = {.driver = "dpdk",
		.name = "port0",
		.port = port,
		.queue = 2};
	struct error error = {""};
	struct stats stats;
	struct input *input;

	CHECK(input_open(&input_spec, &stats, &input, &error) < 0);
	CHECK(strstr(error.text, "port0: there is no queue 2: the device granted 2") != NULL);
	port_close(port);
}

static void
refuses_a_queue_that_was_not_granted(void **state)
{
	(void)state;
	expect_child(ask_for_a_queue_too_many);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hands_out_what_is_for_it_and_counts_the_rest),
		cmocka_unit_test(hands_what_the_kernel_may_know_to_the_exception_port),
		cmocka_unit_test(checks_checksums_as_the_port_says),
		cmocka_unit_test(counts_no_frame_for_a_damaged_end_of_a_capture),
		cmocka_unit_test(comes_to_an_end_after_quiesce_even_if_its_source_does_not),
		cmocka_unit_test(repeats_a_capture_for_which_buffers_are_kept),
		cmocka_unit_test(keeps_the_order_of_what_was_sent),
		cmocka_unit_test(refuses_a_queue_that_was_not_granted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
