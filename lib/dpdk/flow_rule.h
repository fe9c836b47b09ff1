/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rule for the device (rte_flow) that directs our datagrams to our queues. A device that DPDK
 * shares with the kernel leaves it all else then (bifurcated use); one that is all ours drops
 * nothing because of it.
 */
#ifndef DPDK_FLOW_RULE_H
#define DPDK_FLOW_RULE_H

#include <stdint.h>

#include <rte_flow.h>

#include "base/error.h"
#include "frame/filter.h"

#define FLOW_RULE_QUEUES_MAX 256

/* What a rule catches and where it takes it. */
struct flow_target {
	uint8_t address_size; /* 4 or 16: the IP version */
	const uint8_t *address; /* destination; NULL: any */
	uint16_t udp_port; /* destination, host order */
	uint16_t n_queues; /* 0 up to this */
	uint64_t hash; /* RTE_ETH_RSS_… that spreads over them */
};

/* Points into itself: stays where it was built. */
struct flow_rule {
	struct rte_flow_attr attribute;
	struct rte_flow_item_ipv4 ipv4, ipv4_mask;
	struct rte_flow_item_ipv6 ipv6, ipv6_mask;
	struct rte_flow_item_udp udp, udp_mask;
	struct rte_flow_item pattern[4]; /* Ethernet, IP, UDP, end */
	uint16_t queue[FLOW_RULE_QUEUES_MAX];
	struct rte_flow_action_queue one_queue;
	struct rte_flow_action_rss rss;
	struct rte_flow_action action[2]; /* the queues, end */
};

void flow_rule_build(struct flow_rule *rule, const struct flow_target *target);

/* Tells the device to hand over nothing but what rules catch, where it can; before it is
 * configured. */
void flow_rule_isolate(uint16_t device);

/* Puts a rule for each destination of the filter in place of what was there, once the device runs.
 * 0, or -errno with error filled: then there is none. */
int flow_rule_set(uint16_t device, const struct filter *filter, uint16_t n_queues, uint64_t hash,
	struct error *error);

/* Before the device is stopped; fine without a rule. */
void flow_rule_remove(uint16_t device);

#endif
