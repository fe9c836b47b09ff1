/* SPDX-License-Identifier: BSD-3-Clause */
/* Which multicast a device lets in: neighbour solicitations go to a group of the address that is
 * asked for (RFC 4291 section 2.7.1), which a NIC drops unless it is told. */
#ifndef DPDK_GROUPS_H
#define DPDK_GROUPS_H

#include "frame/host.h"

/* Lets the groups of the host's IPv6 addresses in, or all where the device has no list or the
 * kernel behind an exception port has groups of its own; nothing without either. 0 or -errno. */
int groups_join(uint16_t device, const struct host *host, bool all);

#endif
