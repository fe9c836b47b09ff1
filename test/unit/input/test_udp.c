/* SPDX-License-Identifier: BSD-3-Clause */
#include "taken.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>

static uint16_t
port_of(const struct taken *t)
{
	const char *colon = strrchr(input_address(t->input), ':');

	assert_non_null(colon);
	return (uint16_t)strtoul(colon + 1, NULL, 10);
}

/* A sender to the input under test, at this address of the machine. */
static int
client(const struct taken *t, const char *host)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port_of(t))};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port_of(t))};
	bool is_v6 = inet_pton(AF_INET, host, &v4.sin_addr) != 1;
	int fd = socket(is_v6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (is_v6)
		assert_int_equal(inet_pton(AF_INET6, host, &v6.sin6_addr), 1);
	assert_int_equal(is_v6 ? connect(fd, (struct sockaddr *)&v6, sizeof(v6))
			       : connect(fd, (struct sockaddr *)&v4, sizeof(v4)),
		0);
	return fd;
}

static void
takes_what_was_sent(void **state)
{
	static const uint8_t home[] = {127, 0, 0, 1};
	struct taken *t = taken_open("udp");
	int fd = client(t, "127.0.0.1");

	(void)state;
	assert_int_equal(taken_poll(t), 0);
	assert_int_equal(send(fd, "a:1|c", 5, 0), 5);
	assert_int_equal(send(fd, "b:2|g", 5, 0), 5);
	assert_int_equal(taken_poll(t), 2);
	assert_taken(t, 0, "a:1|c", 5);
	assert_taken(t, 1, "b:2|g", 5);
	assert_int_equal(t->datagram[0].source_size, 4);
	assert_memory_equal(t->datagram[0].source, home, 4);
	assert_false(t->datagram[0].truncated);
	assert_int_equal(taken_poll(t), 0);
	assert_int_equal(taken_count(t, "worker.bytes_received"), 10);
	taken_balances(t, 2);
	close(fd);
	taken_close(t);
}

/* A slot of an earlier burst must not be taken for a datagram of this one. */
static void
looks_only_at_what_was_received(void **state)
{
	struct taken *t = taken_open("udp");
	int fd = client(t, "127.0.0.1");

	(void)state;
	for (int i = 0; i < 3; i++)
		send(fd, "long:1|c", 8, 0);
	assert_int_equal(taken_poll(t), 3);
	send(fd, "s", 1, 0);
	assert_int_equal(taken_poll(t), 1);
	assert_taken(t, 3, "s", 1);
	assert_int_equal(taken_poll(t), 0);
	taken_balances(t, 4);
	close(fd);
	taken_close(t);
}

static void
takes_a_burst_at_most(void **state)
{
	struct taken *t = taken_open("udp");
	int fd = client(t, "127.0.0.1");

	(void)state;
	for (int i = 0; i < 2 * BURST_MAX + 1; i++)
		send(fd, &i, sizeof(i), 0);
	assert_int_equal(taken_poll(t), BURST_MAX);
	assert_int_equal(taken_poll(t), BURST_MAX);
	assert_int_equal(taken_poll(t), 1);
	assert_int_equal(taken_poll(t), 0);
	for (int i = 0; i < 2 * BURST_MAX + 1; i++)
		assert_taken(t, (size_t)i, &i, sizeof(i));
	close(fd);
	taken_close(t);
}

static void
takes_an_empty_datagram(void **state)
{
	struct taken *t = taken_open("udp");
	int fd = client(t, "127.0.0.1");

	(void)state;
	assert_int_equal(send(fd, "", 0, 0), 0);
	assert_int_equal(taken_poll(t), 1);
	assert_int_equal(t->datagram[0].size, 0);
	assert_int_equal(taken_poll(t), 0);
	taken_balances(t, 1);
	close(fd);
	taken_close(t);
}

static void
marks_what_it_had_to_cut(void **state)
{
	static const size_t sizes[] = {8191, 8192, 8193, 9000, 65507};
	static uint8_t data[65507];
	struct taken *t = taken_open("udp");
	int fd = client(t, "127.0.0.1");

	(void)state;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 7);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(send(fd, data, sizes[i], 0), (ssize_t)sizes[i]);
	assert_int_equal(taken_poll(t), 5);
	assert_taken(t, 0, data, 8191);
	for (size_t i = 1; i < 5; i++)
		assert_taken(t, i, data, 8192);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(t->datagram[i].truncated, i >= 2);
	/* The mark belongs to the datagram and not to its slot. */
	send(fd, "a", 1, 0);
	assert_int_equal(taken_poll(t), 1);
	assert_false(t->datagram[5].truncated);
	assert_int_equal(taken_count(t, "datagrams.truncated"), 3);
	taken_balances(t, 6);
	close(fd);
	taken_close(t);
}

static void
passes_on_that_a_line_needs_its_end(void **state)
{
	struct taken *t = taken_new("udp");
	int fd;

	(void)state;
	t->spec.eol_required = true;
	assert_int_equal(input_open(&t->spec, &t->stats, &t->input, &t->error), 0);
	fd = client(t, "127.0.0.1");
	send(fd, "a", 1, 0);
	assert_int_equal(taken_poll(t), 1);
	assert_true(t->datagram[0].eol_required);
	close(fd);
	taken_close(t);
}

static void
listens_on_every_address_of_both_families(void **state)
{
	struct taken *t = taken_new("udp");
	struct sockaddr_in sender;
	socklen_t size = sizeof(sender);
	struct in6_addr loopback = IN6ADDR_LOOPBACK_INIT;
	int v4, v6;

	(void)state;
	t->spec.address = "";
	assert_int_equal(input_open(&t->spec, &t->stats, &t->input, &t->error), 0);
	if (strncmp(input_address(t->input), "[::]:", 5) != 0) { /* a machine without IPv6 */
		assert_memory_equal(input_address(t->input), "0.0.0.0:", 8);
		taken_close(t);
		skip();
	}
	v4 = client(t, "127.0.0.2");
	v6 = client(t, "::1");
	assert_int_equal(send(v4, "4", 1, 0), 1);
	assert_int_equal(send(v6, "6", 1, 0), 1);
	assert_int_equal(taken_poll(t), 2);
	assert_int_equal(getsockname(v4, (struct sockaddr *)&sender, &size), 0);
	assert_int_equal(t->datagram[0].source_size, 4);
	assert_memory_equal(t->datagram[0].source, &sender.sin_addr, 4);
	assert_int_equal(t->datagram[1].source_size, 16);
	assert_memory_equal(t->datagram[1].source, &loopback, 16);
	close(v4);
	close(v6);
	taken_close(t);
}

static void
takes_localhost_for_ipv4(void **state)
{
	struct taken *t = taken_new("udp");

	(void)state;
	t->spec.address = "localhost";
	assert_int_equal(input_open(&t->spec, &t->stats, &t->input, &t->error), 0);
	assert_memory_equal(input_address(t->input), "127.0.0.1:", 10);
	assert_true(port_of(t) > 0);
	taken_close(t);
}

static void
refuses_a_port_that_is_taken(void **state)
{
	struct taken *first = taken_open("udp");
	struct taken *second = taken_new("udp");
	char port[8];

	(void)state;
	snprintf(port, sizeof(port), "%u", port_of(first));
	second->spec.udp_port = port;
	assert_int_equal(input_open(&second->spec, &second->stats, &second->input, &second->error),
		-EADDRINUSE);
	assert_null(second->input);
	assert_non_null(strstr(second->error.text, port));
	assert_non_null(strstr(second->error.text, "dogstatsd_port"));
	taken_close(second);
	taken_close(first);
}

static void
refuses_what_it_cannot_bind(void **state)
{
	static const char *const ports[] = {"", "0", "65536", "8125x", "-1", "http",
		"99999999999999"};
	struct taken *t = taken_new("udp");

	(void)state;
	for (size_t i = 0; i < sizeof(ports) / sizeof(ports[0]); i++) {
		t->spec.udp_port = ports[i];
		assert_int_equal(input_open(&t->spec, &t->stats, &t->input, &t->error), -EINVAL);
		assert_non_null(strstr(t->error.text, ports[i]));
	}
	t->spec.udp_port = "__random__";
	t->spec.address = "192.0.2.1"; /* TEST-NET-1, RFC 5737: nobody has it */
	assert_int_equal(input_open(&t->spec, &t->stats, &t->input, &t->error), -EADDRNOTAVAIL);
	assert_non_null(strstr(t->error.text, "192.0.2.1"));
	t->spec.address = "256.256.256.256";
	assert_int_equal(input_open(&t->spec, &t->stats, &t->input, &t->error), -EADDRNOTAVAIL);
	assert_non_null(strstr(t->error.text, "256.256.256.256"));
	taken_close(t);
}

static void
sets_the_receive_size(void **state)
{
	struct taken *t = taken_new("udp");
	int granted;
	socklen_t size = sizeof(granted);

	(void)state;
	t->spec.receive_size = 50000;
	assert_int_equal(input_open(&t->spec, &t->stats, &t->input, &t->error), 0);
	assert_int_equal(getsockopt(input_fd(t->input), SOL_SOCKET, SO_RCVBUF, &granted, &size), 0);
	assert_int_equal(granted, 100000); /* socket(7): the kernel doubles it */
	taken_close(t);
}

/* The text that log_warning writes while the input opens. */
static void
open_reading_log(struct taken *t, char *text, size_t size)
{
	int kept = dup(2), pipe_end[2];
	ssize_t n;

	assert_int_equal(pipe(pipe_end), 0);
	dup2(pipe_end[1], 2);
	assert_int_equal(input_open(&t->spec, &t->stats, &t->input, &t->error), 0);
	dup2(kept, 2);
	close(kept);
	close(pipe_end[1]);
	n = read(pipe_end[0], text, size - 1);
	close(pipe_end[0]);
	text[n > 0 ? n : 0] = '\0';
}

static void
warns_when_the_kernel_grants_less(void **state)
{
	struct taken *t = taken_new("udp");
	char text[512];

	(void)state;
	t->spec.receive_size = 2000000000;
	open_reading_log(t, text, sizeof(text));
	assert_non_null(strstr(text, "asks for 2000000000 bytes"));
	assert_non_null(strstr(text, "net.core.rmem_max"));
	taken_close(t);

	t = taken_new("udp");
	t->spec.receive_size = 50000;
	open_reading_log(t, text, sizeof(text));
	assert_string_equal(text, "");
	taken_close(t);
}

static void
accounts_for_what_the_kernel_dropped(void **state)
{
	enum {
		SENT = 2000
	};
	struct taken *t = taken_new("udp");
	static const char data[512];
	int fd;

	(void)state;
	t->spec.receive_size = 1; /* the kernel's least */
	assert_int_equal(input_open(&t->spec, &t->stats, &t->input, &t->error), 0);
	fd = client(t, "127.0.0.1");
	for (int i = 0; i < SENT / 2; i++)
		assert_int_equal(send(fd, data, sizeof(data), 0), sizeof(data));
	taken_all(t);
	input_refresh(t->input);
	taken_balances(t, SENT / 2);
	for (int i = 0; i < SENT / 2; i++)
		assert_int_equal(send(fd, data, sizeof(data), 0), sizeof(data));
	taken_all(t);
	input_refresh(t->input);
	input_refresh(t->input);
	taken_balances(t, SENT);
	assert_true(t->n > 0);
	assert_true(taken_count(t, "datagrams.dropped.kernel") > 0);
	close(fd);
	taken_close(t);
}

static void
drains_to_an_end_when_quiesced(void **state)
{
	struct taken *t = taken_open("udp");
	int fd = client(t, "127.0.0.1");

	(void)state;
	for (int i = 0; i < 100; i++)
		send(fd, &i, sizeof(i), 0);
	input_quiesce(t->input);
	for (int i = 0; i < 25; i++)
		assert_int_equal(send(fd, "late", 4, 0), 4);
	taken_all(t);
	assert_int_equal(t->n, 100);
	for (int i = 0; i < 100; i++)
		assert_taken(t, (size_t)i, &i, sizeof(i));
	input_refresh(t->input);
	assert_int_equal(taken_count(t, "datagrams.dropped.kernel"), 25);
	taken_balances(t, 125);
	close(fd);
	taken_close(t);
}

/* Connecting the socket to a port that nobody has makes the kernel report ICMP port unreachable to
 * it, udp(7). Then somebody has it and sends. */
static void
counts_a_receive_error_and_goes_on(void **state)
{
	struct taken *t = taken_open("udp");
	struct sockaddr_in peer = {.sin_family = AF_INET};
	struct sockaddr_in input = {.sin_family = AF_INET, .sin_port = htons(port_of(t))};
	socklen_t size = sizeof(peer);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	(void)state;
	input.sin_addr.s_addr = peer.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&peer, sizeof(peer)), 0);
	getsockname(fd, (struct sockaddr *)&peer, &size);
	close(fd);
	assert_int_equal(connect(input_fd(t->input), (struct sockaddr *)&peer, sizeof(peer)), 0);
	assert_int_equal(send(input_fd(t->input), "x", 1, 0), 1);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&peer, sizeof(peer)), 0);
	assert_int_equal(sendto(fd, "a", 1, 0, (struct sockaddr *)&input, sizeof(input)), 1);
	/* The kernel reports the error in place of the datagram; an empty burst would be an end. */
	assert_int_equal(taken_poll(t), 1);
	assert_int_equal(taken_count(t, "datagrams.receive_errors"), 1);
	taken_balances(t, 1);
	close(fd);
	taken_close(t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_what_was_sent),
		cmocka_unit_test(looks_only_at_what_was_received),
		cmocka_unit_test(takes_a_burst_at_most),
		cmocka_unit_test(takes_an_empty_datagram),
		cmocka_unit_test(marks_what_it_had_to_cut),
		cmocka_unit_test(passes_on_that_a_line_needs_its_end),
		cmocka_unit_test(listens_on_every_address_of_both_families),
		cmocka_unit_test(takes_localhost_for_ipv4),
		cmocka_unit_test(refuses_a_port_that_is_taken),
		cmocka_unit_test(refuses_what_it_cannot_bind),
		cmocka_unit_test(sets_the_receive_size),
		cmocka_unit_test(warns_when_the_kernel_grants_less),
		cmocka_unit_test(accounts_for_what_the_kernel_dropped),
		cmocka_unit_test(drains_to_an_end_when_quiesced),
		cmocka_unit_test(counts_a_receive_error_and_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
