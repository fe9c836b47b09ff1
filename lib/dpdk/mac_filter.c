/* SPDX-License-Identifier: BSD-3-Clause */
#include "dpdk/mac_filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_ethdev.h>

#include "frame/ether.h"
#include "frame/neighbour.h"

_Static_assert(MAC_SIZE == RTE_ETHER_ADDR_LEN, "one address");

void
mac_filter_group(const struct prefix *group, uint8_t ret_mac[MAC_SIZE])
{
	static const uint8_t v4[] = {0x01, 0x00, 0x5e};

	if (group->address_size == 4) {
		memcpy(ret_mac, v4, sizeof(v4));
		ret_mac[3] = group->address[1] & 0x7f; /* 23 of the 28 bits of the group */
		memcpy(ret_mac + 4, group->address + 2, 2);
	} else {
		ether_group6(group->address, ret_mac);
	}
}

/* Drivers whose other end decides what to send; these look at no MAC. */
static bool
filters_nothing(uint16_t device)
{
	static const char *const drivers[] = {"net_memif", "net_null", "net_pcap", "net_ring"};
	struct rte_eth_dev_info info;

	if (rte_eth_dev_info_get(device, &info) != 0)
		return false;
	for (size_t i = 0; i < RTE_DIM(drivers); i++)
		if (strcmp(info.driver_name, drivers[i]) == 0)
			return true;
	return false;
}

static int
set_promiscuous(uint16_t device, const struct mac_filter *filter, struct error *error)
{
	int result;

	if (!filter->promiscuous) {
		rte_eth_promiscuous_disable(device);
		return 0;
	}
	result = rte_eth_promiscuous_enable(device);
	if (result == 0 || !filter->is_must || filters_nothing(device))
		return 0;
	return error_fill(error, -result,
		"promiscuous: on, but the device refuses (%s): set it to auto or off",
		strerror(-result));
}

static void
add_group(const uint8_t address[16], struct rte_ether_addr *ret_mac)
{
	struct prefix group = {.address_size = 16};

	memcpy(group.address, address, sizeof(group.address));
	mac_filter_group(&group, ret_mac->addr_bytes);
}

/* Returns how many; macs has room for one more than all groups and addresses. */
static uint32_t
collect(const struct mac_filter *filter, struct rte_ether_addr *macs)
{
	bool has_ipv6 = false;
	uint32_t n = 0;

	for (size_t i = 0; i < filter->n_groups; i++)
		mac_filter_group(&filter->groups[i], macs[n++].addr_bytes);
	for (size_t i = 0; i < filter->n_addresses; i++) {
		uint8_t group[16];

		if (filter->addresses[i].address_size != 16)
			continue;
		neighbour_group(filter->addresses[i].address, group);
		add_group(group, &macs[n++]);
		has_ipv6 = true;
	}
	if (has_ipv6)
		add_group(neighbour_all_nodes, &macs[n++]);
	return n;
}

/* What lets the groups through, or NULL. */
static const char *
join(uint16_t device, const struct mac_filter *filter, struct rte_ether_addr *macs, uint32_t n)
{
	if (!filter->all_groups && rte_eth_dev_set_mc_addr_list(device, macs, n) == 0)
		return "its list of groups";
	if (filters_nothing(device))
		return "no filter at all";
	if (rte_eth_allmulticast_enable(device) == 0)
		return "all multicast";
	if (rte_eth_promiscuous_get(device) == 1)
		return "promiscuous mode";
	if (!filter->is_must && rte_eth_promiscuous_enable(device) == 0)
		return "promiscuous mode";
	return NULL;
}

int
mac_filter_set(uint16_t device, const struct mac_filter *filter, const char **ret_how,
	struct error *error)
{
	struct rte_ether_addr *macs;
	const char *how = "";
	uint32_t n;
	int result = set_promiscuous(device, filter, error);

	if (result != 0)
		return result;
	macs = calloc(filter->n_groups + filter->n_addresses + 1, sizeof(*macs));
	if (macs == NULL)
		return error_fill(error, ENOMEM, "no memory");
	n = collect(filter, macs);
	if (n != 0 || filter->all_groups)
		how = join(device, filter, macs, n);
	free(macs);
	if (how == NULL && filter->n_groups != 0)
		return error_fill(error, ENOTSUP,
			"multicast: the device can neither join groups nor let everything through: "
			"leave multicast out, or set promiscuous to auto");
	*ret_how = filter->n_groups != 0 ? how : "";
	return 0;
}
