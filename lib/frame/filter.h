/* SPDX-License-Identifier: BSD-3-Clause */
/* Which datagrams are for a port: sent to its UDP port and to one of its addresses, by a source
 * that it accepts. Kernel bypass takes the firewall away; for these datagrams, this is what stands
 * in for it. What is not for the port, a datagram to another UDP port as well as TCP, may go to an
 * exception port whatever its source: there the kernel's firewall judges. */
#ifndef FRAME_FILTER_H
#define FRAME_FILTER_H

#include <stddef.h>

#include "frame/frame.h"
#include "frame/prefix.h"

struct filter {
	uint16_t udp_port; /* host order; 0: any */
	size_t n_addresses, n_allow; /* 0: any */
	size_t n_groups;
	struct prefix *addresses; /* the address counts, not the prefix length */
	struct prefix *groups; /* multicast destinations beside addresses */
	struct prefix *allow;
};

/* STAT_NONE, or why the datagram is not for the port: wrong_port, wrong_address, source_refused,
 * in this order. */
enum counter filter_judge(const struct filter *filter, const struct frame *frame);

/* The same without the port, which of all fragments of a datagram only the first has. */
enum counter filter_judge_addresses(const struct filter *filter, const struct frame *frame);

#endif
