/* SPDX-License-Identifier: BSD-3-Clause */
#include "dpdk/lab.h"

#include <arpa/inet.h>
#include <sched.h>
#include <sys/socket.h>

#include <netinet/in.h>

#include <rte_ethdev.h>

#include "dpdk/mac_filter.h"

static void
expect_mac(const char *group, const char *expected)
{
	uint8_t mac[MAC_SIZE];
	struct prefix prefix;
	char text[18];

	assert_int_equal(prefix_parse(group, &prefix), 0);
	mac_filter_group(&prefix, mac);
	snprintf(text, sizeof(text), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2],
		mac[3], mac[4], mac[5]);
	assert_string_equal(text, expected);
}

/* By hand from RFC 1112 section 6.4: the low 23 bits; 224.128.1.2 shares its MAC with 224.0.1.2.
 * The first IPv6 row is the example of RFC 2464 section 7 with the low 32 bits of the group. */
static void
a_group_has_the_mac_of_the_standard(void **state)
{
	(void)state;
	expect_mac("224.0.0.1", "01:00:5e:00:00:01");
	expect_mac("239.255.1.2", "01:00:5e:7f:01:02");
	expect_mac("224.128.1.2", "01:00:5e:00:01:02");
	expect_mac("ff02::1", "33:33:00:00:00:01");
	expect_mac("ff05::dead:beef", "33:33:de:ad:be:ef");
}

static void
open_with(struct port_spec spec, const char *device, const char *how)
{
	static const char *const groups[] = {"239.1.2.3", "ff05::1234"};
	struct port *port;

	spec.name = "port0";
	spec.device = device;
	spec.queues = 1;
	spec.multicast = groups;
	spec.n_multicast = ARRAY_LENGTH(groups);
	port = open_port(&spec);
	if (strcmp(port_facts(port)->multicast_by, how) != 0)
		fprintf(stderr, "by %s\n", port_facts(port)->multicast_by);
	CHECK(strcmp(port_facts(port)->multicast_by, how) == 0);
	port_close(port);
}

/* net_ring knows neither groups nor promiscuous mode, and hands over whatever it gets. */
static void
open_a_device_without_filter(void)
{
	open_with((struct port_spec){.promiscuous = PORT_PROMISCUOUS_ON}, "net_ring0",
		"no filter at all");
}

static void
a_device_that_filters_nothing_needs_no_list(void **state)
{
	(void)state;
	expect_child(open_a_device_without_filter);
}

/* The interface's flags are in its namespace: see netdevice(7). */
static bool
is_promiscuous(const char *interface)
{
	char path[64], text[32] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/sys/class/net/%s/flags", interface);
	file = fopen(path, "r");
	CHECK(file != NULL && fgets(text, sizeof(text), file) != NULL);
	fclose(file);
	return (strtoul(text, NULL, 16) & 0x100) != 0;
}

static void
make_veth(void)
{
	CHECK(unshare(CLONE_NEWNET | CLONE_NEWNS) == 0);
	CHECK(system("mount --make-rprivate / && mount -t sysfs none /sys && "
		     "ip link add pen0 type veth peer name pen1 && ip link set pen0 up && "
		     "ip link set pen1 up") == 0);
}

static void
open_an_interface(enum port_promiscuous mode, bool expected)
{
	static const char *const address[] = {"192.0.2.10/24"};
	struct port_spec spec = {.name = "port0",
		.device = "net_af_packet0,iface=pen1",
		.queues = 1,
		.promiscuous = mode,
		.addresses = address,
		.n_addresses = 1};
	struct port *port;

	make_veth();
	port = open_port(&spec);
	CHECK(is_promiscuous("pen1") == expected);
	port_close(port);
}

static void
open_with_auto(void)
{
	open_an_interface(PORT_PROMISCUOUS_AUTO, false);
}

static void
open_with_on(void)
{
	open_an_interface(PORT_PROMISCUOUS_ON, true);
}

/* net_af_packet of DPDK 22.11 cannot join groups. */
static void
hear_multicast_by_everything(void)
{
	make_veth();
	open_with((struct port_spec){0}, "net_af_packet0,iface=pen1", "promiscuous mode");
}

static void
refuse_multicast_without_a_way(void)
{
	static const char *const group[] = {"239.1.2.3"};
	struct port_spec spec = {.name = "port0",
		.device = "net_af_packet0,iface=pen1",
		.queues = 1,
		.promiscuous = PORT_PROMISCUOUS_OFF,
		.multicast = group,
		.n_multicast = 1};
	struct eal_options options = {.main_cpu = -1, .memory = 8 << 20};
	struct error error = {""};
	struct port *port = NULL;

	make_veth();
	CHECK(eal_start(&options, &error) == 0);
	CHECK(port_open(&spec, &port, &error) == -ENOTSUP);
	CHECK(port == NULL);
	CHECK(strcmp(error.text,
		      "port port0: multicast: the device can neither join groups nor let "
		      "everything through: leave multicast out, or set promiscuous to auto") == 0);
}

/* Datagrams to the group and to a neighbour group; only the former is for the port. */
static void
receive_a_group(void)
{
	static const char *const group[] = {"239.1.2.3"}, *const address[] = {"192.0.2.10/24"};
	struct port_spec spec = {.name = "port0",
		.device = "net_af_packet0,iface=pen1",
		.queues = 1,
		.udp_port = 8125,
		.addresses = address,
		.n_addresses = 1,
		.multicast = group,
		.n_multicast = 1};
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(8125)};
	struct stats stats = {0};
	struct input *input;
	struct burst burst;
	struct port *port;
	double end;
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	make_veth();
	CHECK(system("ip address add 192.0.2.1/24 dev pen0 && "
		     "ip route add 239.0.0.0/8 dev pen0") == 0);
	close(fd);
	fd = socket(AF_INET, SOCK_DGRAM, 0); /* of this namespace */
	port = open_port(&spec);
	input = open_input(port, 0, &stats);
	for (int i = 3; i <= 4; i++) {
		to.sin_addr.s_addr = htonl(0xef010200U + (unsigned)i);
		CHECK(sendto(fd, "a:1|c", 5, 0, (struct sockaddr *)&to, sizeof(to)) == 5);
	}
	end = seconds() + 2;
	while (seconds() < end && stats.counter[STAT_frames_dropped_wrong_address] == 0) {
		input_poll(input, &burst);
		if (burst.n != 0)
			input_release(input, &burst);
	}
	CHECK(stats.counter[STAT_frames_delivered] == 1);
	CHECK(stats.counter[STAT_frames_dropped_wrong_address] == 1);
	input_close(input);
	port_close(port);
	close(fd);
}

static void (*const in_namespace[])(void) = {
	open_with_auto,
	open_with_on,
	hear_multicast_by_everything,
	refuse_multicast_without_a_way,
	receive_a_group,
};

static void
run_in_namespace(size_t i)
{
	if (geteuid() != 0)
		skip();
	expect_child(in_namespace[i]);
}

static void
promiscuous_auto_is_off_with_addresses(void **state)
{
	(void)state;
	run_in_namespace(0);
}

static void
promiscuous_on_is_on(void **state)
{
	(void)state;
	run_in_namespace(1);
}

static void
a_device_that_joins_no_group_is_made_promiscuous(void **state)
{
	(void)state;
	run_in_namespace(2);
}

static void
multicast_without_a_way_is_refused(void **state)
{
	(void)state;
	run_in_namespace(3);
}

static void
only_the_chosen_group_is_for_the_port(void **state)
{
	(void)state;
	run_in_namespace(4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_group_has_the_mac_of_the_standard),
		cmocka_unit_test(a_device_that_filters_nothing_needs_no_list),
		cmocka_unit_test(promiscuous_auto_is_off_with_addresses),
		cmocka_unit_test(promiscuous_on_is_on),
		cmocka_unit_test(a_device_that_joins_no_group_is_made_promiscuous),
		cmocka_unit_test(multicast_without_a_way_is_refused),
		cmocka_unit_test(only_the_chosen_group_is_for_the_port),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
