/* SPDX-License-Identifier: BSD-3-Clause */
#include "dpdk/bond.h"

#include <errno.h>
#include <string.h>

#include <rte_eth_bond.h>
#include <rte_ethdev.h>
#include <rte_version.h>

#include "dpdk/device.h"
#include "dpdk/words.h"

/* DPDK 23.11 gave these other names. */
#if RTE_VERSION >= RTE_VERSION_NUM(23, 11, 0, 0)
#define add_member rte_eth_bond_member_add
#define get_active rte_eth_bond_active_members_get
#else
#define add_member rte_eth_bond_slave_add
#define get_active rte_eth_bond_active_slaves_get
#endif

/*
 * net_tap of DPDK 22.11 claims to announce its link and never does, so that a bond goes on sending
 * into nothing. These two are ethdev's, for drivers, and in none of the installed headers.
 */
struct rte_eth_dev *rte_eth_dev_allocated(const char *name);
int rte_eth_dev_callback_process(struct rte_eth_dev *device, enum rte_eth_event_type event,
	void *result);

bool
bond_is(const char *device)
{
	return strncmp(device, "net_bonding", strlen("net_bonding")) == 0;
}

static int
check_member(const char *device, const char *member, struct error *error)
{
	if (bond_is(member))
		return error_fill(error, EINVAL, "'%s': a bond cannot be the member of a bond",
			member);
	/* A bond stops its members to set them up; this driver then closes its socket for good. */
	if (strncmp(member, "net_af_packet", strlen("net_af_packet")) == 0)
		return error_fill(error, EINVAL,
			"'%s' cannot be a member of %s, since net_af_packet does not survive a "
			"stop: "
			"use the kernel's own bond, and net_af_packet on that",
			member, device);
	return device_check(member, error);
}

int
bond_check(const char *device, const char *const *members, size_t n_members, struct error *error)
{
	if (!bond_is(device)) {
		if (n_members == 0)
			return 0;
		return error_fill(error, EINVAL,
			"members: only a bond has any, but the device is '%s': set device to "
			"net_bonding0,mode=1",
			device);
	}
	if (strstr(device, ",slave=") != NULL || strstr(device, ",member=") != NULL)
		return error_fill(error, EINVAL,
			"'%s': write the members of a bond into the list members of the port",
			device);
	if (n_members == 0)
		return error_fill(error, EINVAL,
			"'%s' has no members: list devices in members of the port", device);
	if (n_members > BOND_MEMBERS_MAX)
		return error_fill(error, EINVAL, "'%s' has %zu members, but %d is the most", device,
			n_members, BOND_MEMBERS_MAX);
	for (size_t i = 0; i < n_members; i++) {
		int result = check_member(device, members[i], error);

		if (result != 0)
			return result;
	}
	return 0;
}

/* All members get the bond's MAC address; net_memif cannot take one, which the bond would find out
 * too late to say so. */
static int
check_mac(uint16_t device, const char *member, struct error *error)
{
	struct rte_ether_addr mac;

	if (device_is_pci(member) || rte_eth_macaddr_get(device, &mac) != 0 ||
		rte_eth_dev_default_mac_addr_set(device, &mac) != -ENOTSUP)
		return 0;
	return error_fill(error, ENOTSUP,
		"'%s' cannot be the member of a bond: its driver takes no other MAC address",
		member);
}

int
bond_open(struct bond *bond, uint16_t device, const char *owner, const char *const *members,
	size_t n_members, struct error *error)
{
	if (n_members == 0)
		return 0;
	bond->device = device;
	bond->has_lacp = rte_eth_bond_mode_get(device) == BONDING_MODE_8023AD;
	for (size_t i = 0; i < n_members; i++) {
		uint16_t *member = &bond->member[bond->n_members];
		int result = device_attach(members[i], owner, member, error);
		char said[256];

		if (result != 0)
			return result;
		bond->n_members++;
		result = check_mac(*member, members[i], error);
		if (result != 0)
			return result;
		words_listen();
		result = add_member(device, *member);
		words_rest(said, sizeof(said));
		if (result != 0)
			return error_fill(error, EINVAL,
				"'%s' cannot become a member of the bond: %s", members[i], said);
	}
	return 0;
}

/* What the driver would do in its interrupt. The bond listens to it. */
static void
raise_link_event(uint16_t device)
{
	char name[RTE_ETH_NAME_MAX_LEN];
	struct rte_eth_dev *member;

	if (rte_eth_dev_get_name_by_port(device, name) != 0)
		return;
	member = rte_eth_dev_allocated(name);
	if (member != NULL)
		rte_eth_dev_callback_process(member, RTE_ETH_EVENT_INTR_LSC, NULL);
}

static bool
is_one_of(uint16_t device, const uint16_t *devices, int n)
{
	for (int i = 0; i < n; i++)
		if (devices[i] == device)
			return true;
	return false;
}

uint16_t
bond_look(struct bond *bond)
{
	uint16_t active[RTE_MAX_ETHPORTS];
	int n = get_active(bond->device, active, RTE_MAX_ETHPORTS);

	for (size_t i = 0; i < bond->n_members; i++) {
		struct rte_eth_link link;
		bool differs = rte_eth_link_get_nowait(bond->member[i], &link) == 0 &&
			(link.link_status == RTE_ETH_LINK_UP) !=
				is_one_of(bond->member[i], active, n);

		/* The bond's own timers have had their time. */
		if (differs && bond->differed[i])
			raise_link_event(bond->member[i]);
		bond->differed[i] = differs;
	}
	n = get_active(bond->device, active, RTE_MAX_ETHPORTS);
	return n > 0 ? (uint16_t)n : 0;
}

void
bond_close(struct bond *bond)
{
	while (bond->n_members > 0)
		device_detach(bond->member[--bond->n_members]);
}
