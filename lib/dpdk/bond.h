/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several devices as one (net_bonding). The members are devices of their own, which the port
 * attaches and gives to the bond.
 *
 * With mode=4 (LACP, IEEE 802.1AX) somebody has to send on the bond at least every 100 ms, if only
 * nothing: the driver then sends what the protocol has to say.
 */
#ifndef DPDK_BOND_H
#define DPDK_BOND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define BOND_MEMBERS_MAX 8
#define BOND_MEMBER_MEMORY \
	((size_t)(4 << 20)) /* of each, beside the port's buffers: measured 2 \
			     */

struct bond {
	uint16_t device; /* the bond */
	uint16_t member[BOND_MEMBERS_MAX];
	size_t n_members; /* 0: the port's device is no bond */
	bool has_lacp;
	bool differed[BOND_MEMBERS_MAX]; /* from what the bond believes, at the last look */
};

/* Whether the text that names a device names a bond. */
bool bond_is(const char *device);

/* Whether device and members go together; touches nothing. 0, or -EINVAL with error filled. */
int bond_check(const char *device, const char *const *members, size_t n_members,
	struct error *error);

/* Attaches the members for owner, a port's name, and makes the attached device, a bond, of them;
 * without members it does nothing. 0, or -errno with error filled; bond_close gives back what was
 * attached so far. */
int bond_open(struct bond *bond, uint16_t device, const char *owner, const char *const *members,
	size_t n_members, struct error *error);

/* Tells the bond of members whose drivers say nothing when their link goes or comes back, and
 * returns how many carry traffic. Control thread, once a second. */
uint16_t bond_look(struct bond *bond);

/* After the bond itself is detached. */
void bond_close(struct bond *bond);

#endif
