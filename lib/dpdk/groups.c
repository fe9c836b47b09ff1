/* SPDX-License-Identifier: BSD-3-Clause */
#include "dpdk/groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_ethdev.h>

#include "frame/neighbour.h"

/* RFC 2464 section 7. */
static struct rte_ether_addr
group_mac(const uint8_t group[16])
{
	struct rte_ether_addr mac = {{0x33, 0x33}};

	memcpy(mac.addr_bytes + 2, group + 12, 4);
	return mac;
}

/* The groups of all addresses and the one of all nodes; more than once if addresses share one. */
static uint32_t
fill_list(const struct host *host, struct rte_ether_addr *list)
{
	uint32_t n = 0;

	for (size_t i = 0; i < host->n_addresses; i++) {
		const struct prefix *prefix = &host->addresses[i].prefix;
		uint8_t group[16];

		if (prefix->address_size != 16)
			continue;
		neighbour_group(prefix->address, group);
		list[n++] = group_mac(group);
	}
	if (n > 0)
		list[n++] = group_mac(neighbour_all_nodes);
	return n;
}

int
groups_join(uint16_t device, const struct host *host, bool all)
{
	struct rte_ether_addr *list = calloc(host->n_addresses + 1, sizeof(*list));
	uint32_t n;
	int result;

	if (list == NULL)
		return -ENOMEM;
	n = fill_list(host, list);
	if (n == 0 && !all)
		result = 0;
	else if (all || rte_eth_dev_set_mc_addr_list(device, list, n) != 0)
		result = rte_eth_allmulticast_enable(device);
	else
		result = 0;
	free(list);
	/* A device without either filters nothing: memif, af_packet, pcap. */
	return result == -ENOTSUP ? 0 : result;
}
