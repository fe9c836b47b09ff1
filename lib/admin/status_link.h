/* SPDX-License-Identifier: BSD-3-Clause */
/* How a port's device is doing, as penstockctl status and /metrics show it. */
#ifndef ADMIN_STATUS_LINK_H
#define ADMIN_STATUS_LINK_H

#include "dpdk/events.h"
#include "dpdk/xstats.h"
#include "wire/json.h"

struct status_link {
	const char *device; /* borrowed */
	enum link_state state;
	uint64_t seconds; /* how long it has been so */
	uint32_t speed; /* Mbit/s; 0: not known */
	uint64_t changes; /* since the start */
	uint64_t resets; /* that were done */
	uint32_t members, members_active; /* of a bond, and how many of them carry traffic */
	const struct xstats *xstats; /* borrowed; NULL: none */
};

/* Members of the port's object. */
void status_link_write(const struct status_link *link, struct json *json);

#endif
