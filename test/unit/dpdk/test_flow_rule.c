/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules item by item, as https://doc.dpdk.org/guides-22.11/prog_guide/rte_flow.html has them, and
 * what becomes of a port whose device takes none. */
#include "dpdk/lab.h"

#include <errno.h>

#include <rte_ethdev.h>

#include "dpdk/flow_rule.h"

#define HASH RTE_ETH_RSS_NONFRAG_IPV4_UDP

static const uint8_t v4[] = {192, 0, 2, 10};
static const uint8_t v6[] = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10};

static bool
is_zero(const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (((const uint8_t *)bytes)[i] != 0)
			return false;
	return true;
}

static void
a_rule_is_for_what_comes_in(void **state)
{
	const struct flow_target target = {.address_size = 4, .udp_port = 8125, .n_queues = 1};
	struct flow_rule rule;

	(void)state;
	flow_rule_build(&rule, &target);
	assert_int_equal(rule.attribute.ingress, 1);
	assert_int_equal(rule.attribute.egress, 0);
	assert_int_equal(rule.attribute.transfer, 0);
	assert_int_equal(rule.attribute.group, 0);
	assert_int_equal(rule.attribute.priority, 0);
}

static void
any_address_is_an_item_without_a_value(void **state)
{
	struct flow_target target = {.address_size = 4, .udp_port = 8125, .n_queues = 1};
	struct flow_rule rule;

	(void)state;
	flow_rule_build(&rule, &target);
	assert_int_equal(rule.pattern[0].type, RTE_FLOW_ITEM_TYPE_ETH);
	assert_null(rule.pattern[0].spec);
	assert_int_equal(rule.pattern[1].type, RTE_FLOW_ITEM_TYPE_IPV4);
	assert_null(rule.pattern[1].spec);
	assert_null(rule.pattern[1].mask);
	assert_null(rule.pattern[1].last);
	assert_int_equal(rule.pattern[2].type, RTE_FLOW_ITEM_TYPE_UDP);
	assert_int_equal(rule.pattern[3].type, RTE_FLOW_ITEM_TYPE_END);
	target.address_size = 16;
	flow_rule_build(&rule, &target);
	assert_int_equal(rule.pattern[1].type, RTE_FLOW_ITEM_TYPE_IPV6);
	assert_null(rule.pattern[1].spec);
}

static void
an_ipv4_address_is_matched_whole(void **state)
{
	const struct flow_target target = {.address_size = 4,
		.address = v4,
		.udp_port = 8125,
		.n_queues = 1};
	const struct rte_flow_item_ipv4 *spec, *mask;
	struct rte_flow_item_ipv4 rest;
	struct flow_rule rule;

	(void)state;
	flow_rule_build(&rule, &target);
	spec = rule.pattern[1].spec;
	mask = rule.pattern[1].mask;
	assert_memory_equal(&spec->hdr.dst_addr, v4, 4);
	assert_memory_equal(&mask->hdr.dst_addr, "\xff\xff\xff\xff", 4);
	rest = *mask;
	rest.hdr.dst_addr = 0;
	assert_true(is_zero(&rest, sizeof(rest)));
}

static void
an_ipv6_address_is_matched_whole(void **state)
{
	const struct flow_target target = {.address_size = 16,
		.address = v6,
		.udp_port = 8125,
		.n_queues = 1};
	const struct rte_flow_item_ipv6 *spec, *mask;
	struct rte_flow_item_ipv6 rest;
	struct flow_rule rule;

	(void)state;
	flow_rule_build(&rule, &target);
	assert_int_equal(rule.pattern[1].type, RTE_FLOW_ITEM_TYPE_IPV6);
	spec = rule.pattern[1].spec;
	mask = rule.pattern[1].mask;
	assert_memory_equal(spec->hdr.dst_addr, v6, 16);
	rest = *mask;
	for (int i = 0; i < 16; i++)
		assert_int_equal(mask->hdr.dst_addr[i], 0xff);
	memset(rest.hdr.dst_addr, 0, 16);
	assert_true(is_zero(&rest, sizeof(rest)));
}

/* 8125 is 0x1fbd. */
static void
the_udp_port_is_matched_in_network_order(void **state)
{
	const struct flow_target target = {.address_size = 4, .udp_port = 8125, .n_queues = 1};
	const struct rte_flow_item_udp *spec, *mask;
	struct flow_rule rule;

	(void)state;
	flow_rule_build(&rule, &target);
	spec = rule.pattern[2].spec;
	mask = rule.pattern[2].mask;
	assert_memory_equal(&spec->hdr.dst_port, "\x1f\xbd", 2);
	assert_memory_equal(&mask->hdr.dst_port, "\xff\xff", 2);
	assert_int_equal(mask->hdr.src_port, 0);
}

static void
one_queue_needs_no_spreading(void **state)
{
	const struct flow_target target = {.address_size = 4,
		.udp_port = 8125,
		.n_queues = 1,
		.hash = HASH};
	const struct rte_flow_action_queue *queue;
	struct flow_rule rule;

	(void)state;
	flow_rule_build(&rule, &target);
	assert_int_equal(rule.action[0].type, RTE_FLOW_ACTION_TYPE_QUEUE);
	queue = rule.action[0].conf;
	assert_int_equal(queue->index, 0);
	assert_int_equal(rule.action[1].type, RTE_FLOW_ACTION_TYPE_END);
}

static void
several_queues_are_spread_over(void **state)
{
	const struct flow_target target = {.address_size = 4,
		.udp_port = 8125,
		.n_queues = 3,
		.hash = HASH};
	const struct rte_flow_action_rss *rss;
	struct flow_rule rule;

	(void)state;
	flow_rule_build(&rule, &target);
	assert_int_equal(rule.action[0].type, RTE_FLOW_ACTION_TYPE_RSS);
	rss = rule.action[0].conf;
	assert_int_equal(rss->func, RTE_ETH_HASH_FUNCTION_DEFAULT);
	assert_int_equal(rss->level, 0);
	assert_true(rss->types == HASH);
	assert_int_equal(rss->key_len, 0);
	assert_int_equal(rss->queue_num, 3);
	for (uint16_t i = 0; i < 3; i++)
		assert_int_equal(rss->queue[i], i);
	assert_int_equal(rule.action[1].type, RTE_FLOW_ACTION_TYPE_END);
}

/* net_ring has no rte_flow at all; the message is ethdev's, "Function not implemented". */
static void
open_a_device_without_rules(void)
{
	struct port_spec spec = {.name = "port0",
		.device = "net_ring0",
		.queues = 1,
		.udp_port = 8125,
		.wants_flow = true};
	struct eal_options options = {.main_cpu = -1, .memory = port_memory(&spec, 0)};
	struct error error = {""};
	struct port *port = NULL;

	CHECK(eal_start(&options, &error) == 0);
	CHECK(port_open(&spec, &port, &error) == -ENOSYS);
	CHECK(port == NULL);
	if (strstr(error.text,
		    "port port0: flow: on, but net_ring takes no rule for datagrams to "
		    "UDP port 8125 over IPv4: Function not implemented; set flow to "
		    "off") == NULL)
		fprintf(stderr, "%s\n", error.text);
	CHECK(strstr(error.text,
		      "port port0: flow: on, but net_ring takes no rule for datagrams to "
		      "UDP port 8125 over IPv4: Function not implemented; set flow to "
		      "off") != NULL);
	spec.wants_flow = false;
	CHECK(port_open(&spec, &port, &error) == 0);
	port_close(port);
}

static void
a_device_without_rules_is_refused_with_a_way_out(void **state)
{
	(void)state;
	expect_child(open_a_device_without_rules);
}

static void
a_rule_needs_a_udp_port(void **state)
{
	const struct port_spec spec = {.name = "port0",
		.device = "net_ring0",
		.queues = 1,
		.wants_flow = true};
	struct error error = {""};

	(void)state;
	assert_int_equal(port_check(&spec, &error), -EINVAL);
	assert_non_null(strstr(error.text, "set dogstatsd_port"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rule_is_for_what_comes_in),
		cmocka_unit_test(any_address_is_an_item_without_a_value),
		cmocka_unit_test(an_ipv4_address_is_matched_whole),
		cmocka_unit_test(an_ipv6_address_is_matched_whole),
		cmocka_unit_test(the_udp_port_is_matched_in_network_order),
		cmocka_unit_test(one_queue_needs_no_spreading),
		cmocka_unit_test(several_queues_are_spread_over),
		cmocka_unit_test(a_device_without_rules_is_refused_with_a_way_out),
		cmocka_unit_test(a_rule_needs_a_udp_port),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
