/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two processes, no NIC:
 *
 *     client: port_send ── net_memif (shared memory, one ring) ──► server: input "dpdk"
 */
#include "dpdk/lab.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#define DATAGRAMS 100000
#define UNDER_LOAD 5000 /* datagrams: the ring has been full */
#define SENDERS_KILLED 40
#define SERVERS_STOPPED 20

static char folder[] = "/tmp/penstock-test-XXXXXX";
static char server_device[128], client_device[128];
static int ready[2], done[2]; /* pipes: the server has opened; the server has what it wants */

static bool
has_byte(int fd, int within_s)
{
	struct pollfd wanted = {.fd = fd, .events = POLLIN};

	return poll(&wanted, 1, within_s * 1000) == 1;
}

static void
wait_for_byte(int fd)
{
	char byte;

	CHECK(has_byte(fd, 20) && read(fd, &byte, 1) == 1);
}

static void
open_client(struct port **ret_port)
{
	static struct port_spec spec = {.name = "sender", .queues = 1};

	spec.device = client_device;
	*ret_port = open_port(&spec);
}

static struct input *
open_server(struct port **ret_port, struct stats *stats)
{
	static struct port_spec spec = {.name = "port0", .queues = 1, .udp_port = 8125};

	spec.device = server_device;
	*ret_port = open_port(&spec);
	CHECK(write(ready[1], "!", 1) == 1);
	return open_input(*ret_port, 0, stats);
}

static void
send_numbers(void)
{
	uint8_t buffer[BURST_MAX][128];
	struct span frames[BURST_MAX];
	struct port *port;
	unsigned sent = 0;

	wait_for_byte(ready[0]);
	open_client(&port);
	while (sent < DATAGRAMS) {
		unsigned n = DATAGRAMS - sent < BURST_MAX ? DATAGRAMS - sent : BURST_MAX;

		for (unsigned i = 0; i < n; i++) {
			char text[32];

			snprintf(text, sizeof(text), "seq:%u|c", sent + i);
			frames[i] = lay_out(buffer[i], span_from_string(text), 0);
		}
		/* What the ring has no room for is offered again, until alarm() ends it. */
		sent += (unsigned)port_send(port, frames, n);
	}
	wait_for_byte(done[0]);
	port_close(port);
}

static void
take_numbers(void)
{
	double deadline = seconds() + 15;
	struct stats stats = {0};
	struct burst burst;
	struct port *port;
	struct input *input = open_server(&port, &stats);
	unsigned n = 0;

	while (n < DATAGRAMS && seconds() < deadline) {
		input_poll(input, &burst);
		for (uint16_t i = 0; i < burst.n; i++, n++)
			CHECK(strtoul((const char *)burst.dgram[i].payload.data + 4, NULL, 10) ==
				n);
		if (burst.n > 0)
			input_release(input, &burst);
	}
	input_refresh(input);
	CHECK(n == DATAGRAMS);
	CHECK(port_has_link(port));
	CHECK(stats.counter[STAT_frames_received] == DATAGRAMS);
	CHECK(stats.counter[STAT_frames_delivered] == DATAGRAMS);
	CHECK(frames_balance(&stats));
	CHECK(write(done[1], "!", 1) == 1);
	input_close(input);
	port_close(port);
}

static void
every_datagram_arrives_in_order(void **state)
{
	pid_t server = start_child(take_numbers), client = start_child(send_numbers);

	(void)state;
	assert_int_equal(wait_for(server), 0);
	assert_int_equal(wait_for(client), 0);
}

static void
expect_unread(struct port *port, int expected)
{
	double deadline = seconds() + 10;

	while (port_unread(port) != expected && seconds() < deadline)
		usleep(1000);
	CHECK(port_unread(port) == expected);
}

static void
watch_unread(void)
{
	uint8_t buffer[3][128];
	struct span frames[3];
	struct port *port;

	wait_for_byte(ready[0]);
	open_client(&port);
	for (int i = 0; i < 3; i++)
		frames[i] = lay_out(buffer[i], SPAN_LITERAL("a:1|c"), 0);
	while (port_send(port, frames, 3) == 0)
		usleep(1000);
	CHECK(port_send(port, frames, 2) == 2);
	expect_unread(port, 5);
	CHECK(write(done[1], "!", 1) == 1);
	expect_unread(port, 0);
	CHECK(write(done[1], "!", 1) == 1);
	expect_unread(port, -ENOTCONN);
	port_close(port);
}

static void
take_when_told(void)
{
	struct stats stats = {0};
	struct burst burst;
	struct port *port;
	struct input *input = open_server(&port, &stats);

	wait_for_byte(done[0]);
	while (stats.counter[STAT_frames_received] < 5) {
		input_poll(input, &burst);
		if (burst.n > 0)
			input_release(input, &burst);
	}
	wait_for_byte(done[0]);
	input_close(input);
	port_close(port);
}

static void
tells_what_the_peer_has_not_read(void **state)
{
	pid_t server = start_child(take_when_told), client = start_child(watch_unread);

	(void)state;
	assert_int_equal(wait_for(client), 0);
	assert_int_equal(wait_for(server), 0);
}

static void
send_for_ever(void)
{
	uint8_t buffer[128];
	struct span frames[BURST_MAX];
	struct port *port;

	for (int i = 0; i < BURST_MAX; i++)
		frames[i] = lay_out(buffer, SPAN_LITERAL("a:1|c"), 0);
	open_client(&port);
	for (uint64_t sent = 0, before = 0;; before = sent) {
		sent += port_send(port, frames, BURST_MAX);
		if (before < UNDER_LOAD && sent >= UNDER_LOAD)
			CHECK(write(ready[1], "!", 1) == 1);
	}
}

/* Polls until it was sent a byte. */
static void
take_from_senders_that_die(void)
{
	struct stats stats = {0};
	struct burst burst;
	struct port *port;
	struct input *input = open_server(&port, &stats);

	do {
		for (int i = 0; i < 1000; i++) {
			input_poll(input, &burst);
			if (burst.n > 0)
				input_release(input, &burst);
		}
	} while (!has_byte(done[0], 0));
	wait_for_byte(done[0]);
	CHECK(stats.counter[STAT_frames_delivered] > 0);
	CHECK(frames_balance(&stats));
	input_close(input);
	port_close(port);
}

static void
outlives_a_sender_that_is_killed_under_load(void **state)
{
	pid_t server = start_child(take_from_senders_that_die);

	(void)state;
	wait_for_byte(ready[0]);
	for (int i = 0; i < SENDERS_KILLED; i++) {
		pid_t client = start_child(send_for_ever);

		assert_true(has_byte(ready[0], 5));
		wait_for_byte(ready[0]);
		usleep((useconds_t)i * 77);
		kill(client, SIGKILL);
		assert_int_equal(wait_for(client), 128 + SIGKILL);
	}
	assert_int_equal(write(done[1], "!", 1), 1);
	assert_int_equal(wait_for(server), 0);
}

/* Lives a moment longer than its EAL: what the interrupt thread still does shows. */
static void
take_until_told(void)
{
	take_from_senders_that_die();
	eal_stop();
	usleep(20000);
}

/* As a peer that is ready too early or too late; until it is killed. */
static void
visit_for_ever(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/sock", folder);
	for (;;) {
		int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
		char hello[128];

		CHECK(fd >= 0);
		if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0 ||
			recv(fd, hello, sizeof(hello), 0) <= 0)
			usleep(100);
		close(fd);
	}
}

static void
ends_in_peace_while_peers_come_and_go(void **state)
{
	(void)state;
	for (int i = 0; i < SERVERS_STOPPED; i++) {
		pid_t server = start_child(take_until_told), client, visitor;

		assert_true(has_byte(ready[0], 5));
		wait_for_byte(ready[0]);
		client = start_child(send_for_ever);
		assert_true(has_byte(ready[0], 5));
		wait_for_byte(ready[0]);
		visitor = start_child(visit_for_ever);
		usleep(2000);
		/* The client goes before, with and after the server's stop. */
		if (i % 2 == 0)
			assert_int_equal(write(done[1], "!", 1), 1);
		usleep((useconds_t)i * 77);
		kill(client, SIGKILL);
		if (i % 2 != 0)
			assert_int_equal(write(done[1], "!", 1), 1);
		assert_int_equal(wait_for(server), 0);
		kill(visitor, SIGKILL);
		wait_for(visitor);
		wait_for(client);
	}
}

/* Peers that are gone before they are greeted; until it is killed. */
static void
call_and_leave_for_ever(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/sock", folder);
	for (;;) {
		int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

		CHECK(fd >= 0);
		if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0)
			usleep(100);
		close(fd);
	}
}

static void
greets_peers_that_are_gone(void **state)
{
	pid_t server = start_child(take_until_told), client, caller;

	(void)state;
	assert_true(has_byte(ready[0], 5));
	wait_for_byte(ready[0]);
	client = start_child(send_for_ever);
	assert_true(has_byte(ready[0], 5));
	wait_for_byte(ready[0]);
	caller = start_child(call_and_leave_for_ever);
	usleep(500000);
	assert_int_equal(write(done[1], "!", 1), 1);
	assert_int_equal(wait_for(server), 0);
	kill(client, SIGKILL);
	kill(caller, SIGKILL);
	wait_for(client);
	wait_for(caller);
}

static int
make_folder(void **state)
{
	(void)state;
	if (mkdtemp(folder) == NULL || pipe(ready) != 0 || pipe(done) != 0)
		return -1;
	snprintf(server_device, sizeof(server_device),
		"net_memif0,role=server,socket-abstract=no,socket=%s/sock", folder);
	snprintf(client_device, sizeof(client_device),
		"net_memif0,role=client,socket-abstract=no,socket=%s/sock", folder);
	return 0;
}

static int
remove_folder(void **state)
{
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "%s/sock", folder);
	unlink(path);
	return rmdir(folder);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_datagram_arrives_in_order),
		cmocka_unit_test(tells_what_the_peer_has_not_read),
		cmocka_unit_test(outlives_a_sender_that_is_killed_under_load),
		cmocka_unit_test(ends_in_peace_while_peers_come_and_go),
		cmocka_unit_test(greets_peers_that_are_gone),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
