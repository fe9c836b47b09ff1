/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An interface of the kernel under DPDK, in a network namespace of the test's own:
 *
 *     UDP socket ── pensend 10.77.0.1 ══ veth ══ penport ── net_af_packet ── input "dpdk"
 *
 * The kernel leaves UDP checksums on a veth to a NIC that is not there.
 */
#include "dpdk/lab.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>

#define DATAGRAMS 500

static const char *const set_up[] = {
	"ip link add pensend type veth peer name penport",
	"ip address add 10.77.0.1/24 dev pensend",
	"ip address add 2001:db8:77::1/64 dev pensend nodad",
	"ip link set pensend up",
	"ip link set penport up",
	"ip neighbour replace 10.77.0.9 lladdr 02:00:00:00:00:09 dev pensend",
	"ip neighbour replace 2001:db8:77::9 lladdr 02:00:00:00:00:09 dev pensend",
};

static void
enter_namespace(void)
{
	CHECK(unshare(CLONE_NEWNET) == 0);
	for (size_t i = 0; i < ARRAY_LENGTH(set_up); i++)
		CHECK(system(set_up[i]) == 0);
}

static int
connect_to(const char *address, uint16_t port)
{
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
	int fd, result;

	if (inet_pton(AF_INET, address, &v4.sin_addr) == 1) {
		fd = socket(AF_INET, SOCK_DGRAM, 0);
		result = connect(fd, (struct sockaddr *)&v4, sizeof(v4));
	} else {
		CHECK(inet_pton(AF_INET6, address, &v6.sin6_addr) == 1);
		fd = socket(AF_INET6, SOCK_DGRAM, 0);
		result = connect(fd, (struct sockaddr *)&v6, sizeof(v6));
	}
	CHECK(fd >= 0 && result == 0);
	return fd;
}

static void
send_numbers(const char *address, uint16_t port)
{
	int fd = connect_to(address, port);

	for (int i = 0; i < DATAGRAMS; i++) {
		char text[32];
		int size = snprintf(text, sizeof(text), "seq:%d|c", i);

		CHECK(send(fd, text, (size_t)size, 0) == size);
	}
	close(fd);
}

/* Until n datagrams came or nothing has for a second. */
static unsigned
take(struct input *input, unsigned n_wanted)
{
	double last = seconds();
	struct burst burst;
	unsigned n = 0;

	while (n < n_wanted && seconds() < last + 1) {
		input_poll(input, &burst);
		if (burst.n == 0)
			continue;
		last = seconds();
		for (uint16_t i = 0; i < burst.n; i++, n++)
			CHECK(strtoul((const char *)burst.dgram[i].payload.data + 4, NULL, 10) ==
				n);
		input_release(input, &burst);
	}
	return n;
}

static void
run(enum port_checksum checksum, struct stats *stats, unsigned n_expected)
{
	const struct port_spec spec = {.name = "port0",
		.device = "net_af_packet0,iface=penport",
		.queues = 1,
		.udp_port = 8125,
		.checksum = checksum};
	struct input *input;
	struct port *port;

	enter_namespace();
	port = open_port(&spec);
	input = open_input(port, 0, stats);
	send_numbers("10.77.0.9", 8125);
	CHECK(take(input, DATAGRAMS) == n_expected);
	send_numbers("2001:db8:77::9", 8125);
	CHECK(take(input, DATAGRAMS) == n_expected);
	send_numbers("10.77.0.9", 8126);
	CHECK(take(input, 1) == 0);
	input_refresh(input);
	CHECK(stats->counter[STAT_frames_dropped_wrong_port] == (n_expected > 0 ? DATAGRAMS : 0));
	CHECK(frames_balance(stats));
	input_close(input);
	port_close(port);
}

static void
run_auto(void)
{
	struct stats stats = {0};

	run(PORT_CHECKSUM_AUTO, &stats, DATAGRAMS);
	CHECK(stats.counter[STAT_frames_dropped_bad_udp_checksum] == 0);
}

static void
run_verify(void)
{
	struct stats stats = {0};

	run(PORT_CHECKSUM_VERIFY, &stats, 0);
	CHECK(stats.counter[STAT_frames_dropped_bad_udp_checksum] == 3 * DATAGRAMS);
}

static void
takes_unfilled_checksums_of_local_senders(void **state)
{
	(void)state;
	expect_child(run_auto);
}

static void
refuses_unfilled_checksums_when_told_to_verify(void **state)
{
	(void)state;
	expect_child(run_verify);
}

/* Why this machine cannot, or NULL. */
static const char *
find_obstacle(void)
{
	pid_t child;

	if (geteuid() != 0)
		return "needs root for a network namespace";
	if (system("ip -V >/dev/null 2>&1") != 0)
		return "needs the program ip (iproute2)";
	child = fork();
	if (child == 0) {
		_exit(unshare(CLONE_NEWNET) == 0 &&
					system("ip link add pensend type veth peer name penport "
					       "2>/dev/null") == 0
				? 0
				: 1);
	}
	return wait_for(child) == 0 ? NULL : "needs network namespaces and veth";
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_unfilled_checksums_of_local_senders),
		cmocka_unit_test(refuses_unfilled_checksums_when_told_to_verify),
	};
	const char *obstacle = find_obstacle();

	if (obstacle != NULL) {
		printf("SKIP: %s\n", obstacle);
		return SKIPPED;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
