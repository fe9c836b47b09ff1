/* SPDX-License-Identifier: BSD-3-Clause */
#include "dpdk/lab.h"

#include <errno.h>

#include <rte_log.h>
#include <rte_memory.h>

#include "dpdk/mtu.h"
#include "dpdk/pool.h"

static void
start_eal(void)
{
	struct eal_options options = {.main_cpu = -1, .memory = 8 << 20};
	struct error error = {""};

	if (eal_start(&options, &error) != 0)
		fprintf(stderr, "%s\n", error.text);
	CHECK(error.text[0] == '\0');
}

/* Opening must fail with this error and say this; the process goes on. */
static void
refuse(struct port_spec spec, int error_number, const char *said)
{
	struct error error = {""};
	struct port *port = NULL;

	CHECK(port_open(&spec, &port, &error) == -error_number);
	CHECK(port == NULL);
	if (strstr(error.text, said) == NULL)
		fprintf(stderr, "said: %s\n", error.text);
	CHECK(strstr(error.text, said) != NULL);
}

static struct port_spec
device(const char *text)
{
	return (struct port_spec){.name = "port0", .device = text, .queues = 1};
}

static void
check(struct port_spec spec, const char *said)
{
	struct error error = {""};

	assert_int_equal(port_check(&spec, &error), -EINVAL);
	if (strstr(error.text, said) == NULL)
		print_error("%s\n", error.text);
	assert_non_null(strstr(error.text, said));
}

static void
checks_a_port_without_touching_it(void **state)
{
	struct port_spec spec = device("net_pcap0,rx_pcap=/nowhere");
	struct error error;

	(void)state;
	assert_int_equal(port_check(&spec, &error), 0);
	spec = device("0000:3b:00.0");
	assert_int_equal(port_check(&spec, &error), 0);
	check(device("eth0"), "for an interface of the kernel write net_af_packet0,iface=eth0");
	check(device("net_foo0"), "this build has no driver for 'net_foo0'; it has net_memif, ");
	check(device(""), "'' names no device");
	spec.queues = 0;
	check(spec, "port port0: 0 queues");
	spec = device("net_null0");
	spec.addresses = (const char *const[]){"192.0.2.10/24", "192.0.2.300"};
	spec.n_addresses = 2;
	check(spec, "port port0: addresses: '192.0.2.300'");
	spec.n_addresses = 1;
	spec.allow = (const char *const[]){"192.0.2.0/33"};
	spec.n_allow = 1;
	check(spec, "port port0: allow: '192.0.2.0/33'");
	spec.n_allow = 0;
	spec.gateways = (const char *const[]){"192.0.2.1", "gateway"};
	spec.n_gateways = 2;
	check(spec, "port port0: gateway: 'gateway'");
	spec.n_gateways = 1;
	spec.exception = "0000:3b:00.0";
	check(spec, "port port0: exception: '0000:3b:00.0' is a NIC");
	spec.exception = "net_foo1";
	check(spec, "no driver for 'net_foo1'");
}

static void
open_what_is_not_there(void)
{
	start_eal();
	refuse(device("net_foo0"), EINVAL, "no driver for 'net_foo0'");
	refuse(device("net_pcap0,rx_pcap=/nowhere/x.pcap"), ENODEV, "/nowhere/x.pcap");
	refuse(device("net_pcap0,no_such_key=1"), ENODEV, "net_pcap0,no_such_key=1");
	refuse(device("net_af_packet0,iface=nowhere9"), ENODEV, "net_af_packet0,iface=nowhere9");
	refuse(device("net_memif0,role=nobody"), ENODEV, "Unknown role: nobody");
	refuse(device("0000:fe:1f.7"), ENODEV, "there is no PCI device 0000:fe:1f.7");
}

static void
says_what_is_wrong_with_a_device_and_goes_on(void **state)
{
	(void)state;
	expect_child(open_what_is_not_there);
}

static void
take_more_than_there_is(void)
{
	struct rte_mempool *pool = NULL;

	start_eal();
	CHECK(pool_create("huge", 100000, 2048, SOCKET_ID_ANY, true, &pool) == -ENOMEM);
	CHECK(pool == NULL);
}

static void
says_that_a_pool_does_not_fit(void **state)
{
	(void)state;
	expect_child(take_more_than_there_is);
}

static struct port_spec
with_mtu(const char *text, uint16_t mtu)
{
	struct port_spec spec = device(text);

	spec.mtu = mtu;
	return spec;
}

static void
want_an_mtu(void)
{
	struct port_spec spec = with_mtu("net_null0", 1400);
	struct port *port;

	port = open_port(&spec);
	CHECK(port_facts(port)->mtu == 1400);
	port_close(port);
	refuse(with_mtu("net_null1", 9000), ERANGE,
		"port port0: mtu 9000 is not possible: the driver net_null cannot spread a frame "
		"over buffers of 2048 bytes; 2022 is the most");
	refuse(with_mtu("net_ring0", 1400), ENOTSUP,
		"port port0: mtu 1400 cannot be set: the driver net_ring has none: leave mtu out");
	refuse(with_mtu("net_ring1", 20), ERANGE, "the driver net_ring can set 46 to ");
}

static void
sets_an_mtu_or_says_why_not(void **state)
{
	(void)state;
	expect_child(want_an_mtu);
}

/* 9000 bytes of IP behind two tags of 4, the header of 14 and the checksum of 4; the longest frame
 * is JOINER_FRAME_MAX, 65597 bytes, in buffers of 2048. */
static void
counts_buffers_for_frames_longer_than_one(void **state)
{
	const struct mtu_wanted jumbo = {.device = "0000:3b:00.0", .mtu = 9000},
				ordinary = {.device = "0000:3b:00.0"},
				large = {.device = "net_af_packet0,iface=lo,framesz=16384"},
				peer = {.device = "net_memif0"};

	(void)state;
	assert_int_equal(mtu_whole_size(&jumbo), 9026);
	assert_int_equal(mtu_whole_size(&ordinary), 2048);
	assert_int_equal(mtu_whole_size(&large), 16384);
	assert_int_equal(mtu_held_by(9026), 9000);
	assert_int_equal(mtu_segments_max(&jumbo), 5);
	assert_int_equal(mtu_segments_max(&ordinary), 1);
	assert_int_equal(mtu_segments_max(&peer), 33);
}

static char heard[256];

static void
hear(const char *line)
{
	snprintf(heard, sizeof(heard), "%s", line);
}

static void
refuse_an_mtu_and_hear_on(void)
{
	struct eal_options options = {.main_cpu = -1, .memory = 8 << 20, .log = hear};
	struct error error;

	CHECK(eal_start(&options, &error) == 0);
	refuse(with_mtu("net_null1", 9000), ERANGE, "mtu 9000 is not possible");
	rte_log(RTE_LOG_ERR, RTE_LOGTYPE_USER1, "said later\n");
	CHECK(strcmp(heard, "said later") == 0);
}

static void
passes_on_what_dpdk_says_after_a_refusal(void **state)
{
	(void)state;
	expect_child(refuse_an_mtu_and_hear_on);
}

static void
open_one_device_twice(void)
{
	struct port_spec spec = device("net_null0"), second = device("net_null0");
	struct port *port = open_port(&spec);
	struct error error;

	second.name = "port1";
	refuse(second, EBUSY, "'net_null0' is already the device of 'port0'");
	port_close(port);
	/* Given back, it can be opened again. */
	CHECK(port_open(&second, &port, &error) == 0);
	port_close(port);
}

static void
refuses_a_device_that_another_port_has(void **state)
{
	(void)state;
	expect_child(open_one_device_twice);
}

static void
want_more_queues_than_there_are(void)
{
	struct port_spec spec = device("net_af_packet0,iface=lo");
	struct port *port;

	spec.queues = 4;
	port = open_port(&spec);
	CHECK(port_facts(port)->queues_wanted == 4);
	CHECK(port_facts(port)->queues == 1);
	CHECK(!port_facts(port)->hashes_ports);
	CHECK(port_facts(port)->is_virtual);
	CHECK(strcmp(port_facts(port)->driver, "net_af_packet") == 0);
	port_close(port);
}

static void
takes_the_queues_that_the_device_grants(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	expect_child(want_more_queues_than_there_are);
}

static void
poll_two_queues_of_null(void)
{
	struct port_spec spec = device("net_null0,size=64");
	struct stats stats = {0};
	struct burst burst;
	struct port *port;

	spec.queues = 2;
	port = open_port(&spec);
	CHECK(port_facts(port)->queues == 2);
	for (uint16_t i = 0; i < 2; i++) {
		struct input *input = open_input(port, i, &stats);

		for (int n = 0; n < 100; n++) {
			input_poll(input, &burst);
			CHECK(burst.n == 0);
		}
		input_refresh(input);
		input_close(input);
	}
	/* 64 zero bytes have no Ethernet type. */
	CHECK(stats.counter[STAT_frames_received] == 2 * 100 * BURST_MAX);
	CHECK(stats.counter[STAT_frames_dropped_not_ip] == 2 * 100 * BURST_MAX);
	CHECK(frames_balance(&stats));
	port_close(port);
}

static void
gives_all_buffers_back(void **state)
{
	(void)state;
	/* More frames than the pool has buffers: each dropped one was given back. */
	expect_child(poll_two_queues_of_null);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(checks_a_port_without_touching_it),
		cmocka_unit_test(says_what_is_wrong_with_a_device_and_goes_on),
		cmocka_unit_test(says_that_a_pool_does_not_fit),
		cmocka_unit_test(sets_an_mtu_or_says_why_not),
		cmocka_unit_test(counts_buffers_for_frames_longer_than_one),
		cmocka_unit_test(passes_on_what_dpdk_says_after_a_refusal),
		cmocka_unit_test(refuses_a_device_that_another_port_has),
		cmocka_unit_test(takes_the_queues_that_the_device_grants),
		cmocka_unit_test(gives_all_buffers_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
