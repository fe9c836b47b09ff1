/* SPDX-License-Identifier: BSD-3-Clause */
#include "dpdk/flow_rule.h"

#include <errno.h>
#include <string.h>

#include <rte_byteorder.h>
#include <rte_ethdev.h>

/* Without an address the item names the IP version only. */
static void
match_ip(struct flow_rule *rule, const struct flow_target *target)
{
	struct rte_flow_item *item = &rule->pattern[1];

	item->type = target->address_size == 4 ? RTE_FLOW_ITEM_TYPE_IPV4 : RTE_FLOW_ITEM_TYPE_IPV6;
	if (target->address == NULL)
		return;
	if (target->address_size == 4) {
		memcpy(&rule->ipv4.hdr.dst_addr, target->address, 4);
		rule->ipv4_mask.hdr.dst_addr = UINT32_MAX;
		item->spec = &rule->ipv4;
		item->mask = &rule->ipv4_mask;
	} else {
		memcpy(rule->ipv6.hdr.dst_addr, target->address, 16);
		memset(rule->ipv6_mask.hdr.dst_addr, 0xff, 16);
		item->spec = &rule->ipv6;
		item->mask = &rule->ipv6_mask;
	}
}

static void
match_udp(struct flow_rule *rule, const struct flow_target *target)
{
	rule->udp.hdr.dst_port = rte_cpu_to_be_16(target->udp_port);
	rule->udp_mask.hdr.dst_port = UINT16_MAX;
	rule->pattern[2].type = RTE_FLOW_ITEM_TYPE_UDP;
	rule->pattern[2].spec = &rule->udp;
	rule->pattern[2].mask = &rule->udp_mask;
}

/* A single queue without RSS, which more devices can. */
static void
act(struct flow_rule *rule, const struct flow_target *target)
{
	if (target->n_queues == 1) {
		rule->action[0].type = RTE_FLOW_ACTION_TYPE_QUEUE;
		rule->action[0].conf = &rule->one_queue;
		return;
	}
	for (uint16_t i = 0; i < target->n_queues; i++)
		rule->queue[i] = i;
	rule->rss.types = target->hash;
	rule->rss.queue_num = target->n_queues;
	rule->rss.queue = rule->queue;
	rule->action[0].type = RTE_FLOW_ACTION_TYPE_RSS;
	rule->action[0].conf = &rule->rss;
}

void
flow_rule_build(struct flow_rule *rule, const struct flow_target *target)
{
	*rule = (struct flow_rule){.attribute.ingress = 1};
	rule->pattern[0].type = RTE_FLOW_ITEM_TYPE_ETH;
	match_ip(rule, target);
	match_udp(rule, target);
	rule->pattern[3].type = RTE_FLOW_ITEM_TYPE_END;
	act(rule, target);
	rule->action[1].type = RTE_FLOW_ACTION_TYPE_END;
}

void
flow_rule_isolate(uint16_t device)
{
	struct rte_flow_error why;

	/* A device that cannot is not shared either: all that it has comes here. */
	rte_flow_isolate(device, 1, &why);
}

void
flow_rule_remove(uint16_t device)
{
	struct rte_flow_error why;

	rte_flow_flush(device, &why);
}

static int
refuse(uint16_t device, const struct flow_target *target, int result,
	const struct rte_flow_error *why, struct error *error)
{
	struct rte_eth_dev_info info = {0};

	rte_eth_dev_info_get(device, &info);
	return error_fill(error, -result,
		"flow: on, but %s takes no rule for datagrams to UDP port %u over IPv%d: %s; set "
		"flow to off, and everything that arrives comes to Penstock",
		info.driver_name != NULL ? info.driver_name : "the device", target->udp_port,
		target->address_size == 4 ? 4 : 6,
		why->message != NULL ? why->message : strerror(-result));
}

static int
add(uint16_t device, struct flow_target target, uint8_t address_size, const uint8_t *address,
	struct error *error)
{
	struct rte_flow_error why = {0};
	struct flow_rule rule;
	int result;

	target.address_size = address_size;
	target.address = address;
	flow_rule_build(&rule, &target);
	result = rte_flow_validate(device, &rule.attribute, rule.pattern, rule.action, &why);
	if (result == 0 &&
		rte_flow_create(device, &rule.attribute, rule.pattern, rule.action, &why) == NULL)
		result = -EIO;
	return result == 0 ? 0 : refuse(device, &target, result, &why, error);
}

static int
add_each(uint16_t device, const struct flow_target *target, const struct prefix *prefixes, size_t n,
	struct error *error)
{
	int result = 0;

	for (size_t i = 0; i < n && result == 0; i++)
		result = add(device, *target, prefixes[i].address_size, prefixes[i].address, error);
	return result;
}

int
flow_rule_set(uint16_t device, const struct filter *filter, uint16_t n_queues, uint64_t hash,
	struct error *error)
{
	const struct flow_target target = {
		.udp_port = filter->udp_port,
		.n_queues = RTE_MIN(n_queues, (uint16_t)FLOW_RULE_QUEUES_MAX),
		.hash = hash,
	};
	int result;

	flow_rule_remove(device);
	if (filter->n_addresses == 0) {
		result = add(device, target, 4, NULL, error);
		if (result == 0)
			result = add(device, target, 16, NULL, error);
	} else {
		result = add_each(device, &target, filter->addresses, filter->n_addresses, error);
		if (result == 0)
			result = add_each(device, &target, filter->groups, filter->n_groups, error);
	}
	if (result != 0)
		flow_rule_remove(device);
	return result;
}
