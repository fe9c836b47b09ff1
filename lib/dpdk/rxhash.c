/* SPDX-License-Identifier: BSD-3-Clause */
#include "dpdk/rxhash.h"

#include <stdio.h>

#include <rte_ethdev.h>

#define PORTS (RTE_ETH_RSS_NONFRAG_IPV4_UDP | RTE_ETH_RSS_NONFRAG_IPV6_UDP)

/* The longest table of the drivers here is ice's. */
#define ENTRIES_MAX 2048

static const struct function {
	uint64_t bit;
	const char *name;
} functions[] = {
	{RTE_ETH_RSS_IPV4, "ipv4"},
	{RTE_ETH_RSS_FRAG_IPV4, "ipv4-frag"},
	{RTE_ETH_RSS_NONFRAG_IPV4_UDP, "ipv4-udp"},
	{RTE_ETH_RSS_IPV6, "ipv6"},
	{RTE_ETH_RSS_FRAG_IPV6, "ipv6-frag"},
	{RTE_ETH_RSS_NONFRAG_IPV6_UDP, "ipv6-udp"},
};

uint64_t
rxhash_wanted(void)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < RTE_DIM(functions); i++)
		hash |= functions[i].bit;
	return hash;
}

bool
rxhash_has_ports(uint64_t hash)
{
	return (hash & PORTS) == PORTS;
}

void
rxhash_names(uint64_t hash, char names[RXHASH_NAMES_SIZE])
{
	size_t size = 0;

	snprintf(names, RXHASH_NAMES_SIZE, "none");
	for (size_t i = 0; i < RTE_DIM(functions); i++)
		if ((hash & functions[i].bit) != 0)
			size += (size_t)snprintf(names + size, RXHASH_NAMES_SIZE - size, "%s%s",
				size == 0 ? "" : " ", functions[i].name);
}

uint64_t
rxhash_granted(uint16_t port_number, uint64_t asked)
{
	struct rte_eth_rss_conf conf = {0};

	if (rte_eth_dev_rss_hash_conf_get(port_number, &conf) != 0)
		return asked;
	return asked & conf.rss_hf;
}

uint16_t
rxhash_spread(uint16_t port_number, uint16_t n_queues, uint16_t n_shares)
{
	struct rte_eth_rss_reta_entry64 group[ENTRIES_MAX / RTE_ETH_RETA_GROUP_SIZE] = {0};
	struct rte_eth_dev_info info;

	if (rte_eth_dev_info_get(port_number, &info) != 0 || info.reta_size == 0 ||
		info.reta_size > ENTRIES_MAX)
		return 0;
	for (uint16_t i = 0; i < info.reta_size; i++) {
		struct rte_eth_rss_reta_entry64 *at = &group[i / RTE_ETH_RETA_GROUP_SIZE];

		at->mask |= UINT64_C(1) << i % RTE_ETH_RETA_GROUP_SIZE;
		at->reta[i % RTE_ETH_RETA_GROUP_SIZE] = i % n_shares % n_queues;
	}
	return rte_eth_dev_rss_reta_update(port_number, group, info.reta_size) == 0 ? info.reta_size
										    : 0;
}
