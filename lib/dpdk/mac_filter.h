/* SPDX-License-Identifier: BSD-3-Clause */
/* Which frames a device lets through by their destination MAC, beside its own and broadcast. */
#ifndef DPDK_MAC_FILTER_H
#define DPDK_MAC_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "frame/prefix.h"

#define MAC_SIZE 6

struct mac_filter {
	bool promiscuous; /* everything */
	bool is_must; /* neither more nor less than promiscuous says; else as it can be */
	bool all_groups; /* the kernel behind an exception port has groups of its own */
	const struct prefix *groups; /* multicast addresses that must come through */
	size_t n_groups;
	/* The port's own: neighbours ask for IPv6 ones by multicast (RFC 4291 section 2.7.1). */
	const struct prefix *addresses;
	size_t n_addresses;
};

/* The MAC that datagrams to the group are sent to (RFC 1112 section 6.4, RFC 2464 section 7). */
void mac_filter_group(const struct prefix *group, uint8_t ret_mac[MAC_SIZE]);

/*
 * Sets a device that was started, or was started before, to let them through: by its list of
 * groups, else all multicast, else everything. 0 and in ret_how what was used for the groups
 * ("" without any), or -errno with error filled.
 */
int mac_filter_set(uint16_t device, const struct mac_filter *filter, const char **ret_how,
	struct error *error);

#endif
