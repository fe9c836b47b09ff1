/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What happens to a device while it runs: its link goes and comes back, it wants to be reset, it is
 * taken away. Drivers say so in EAL's interrupt thread, where nothing may be done about it; what
 * they said is kept here until a control thread takes it. Drivers that say nothing are asked.
 */
#ifndef DPDK_EVENTS_H
#define DPDK_EVENTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct rte_eth_conf;
struct rte_eth_dev_info;

enum events_bit {
	EVENTS_LINK = 1 << 0, /* the link's state is another one */
	EVENTS_RESET = 1 << 1, /* the device does nothing until it is reset */
	EVENTS_GONE = 1 << 2, /* the device was removed */
};

enum link_state {
	LINK_DOWN,
	LINK_UP,
	LINK_GONE, /* no device any more */
};

struct link {
	enum link_state state;
	uint32_t speed; /* Mbit/s; 0: the device does not know */
};

struct events {
	uint16_t device;
	unsigned interface; /* index of the kernel's interface behind the device; 0: none */
	bool knows_link; /* of an interface of the kernel that has gone down */
	bool is_open;
	_Atomic int wake; /* an eventfd that is written when something happened, or -1 */
	_Atomic unsigned pending; /* of enum events_bit */
};

/* Asks in conf for the interrupts that the device has. */
void events_configure(const struct rte_eth_dev_info *info, struct rte_eth_conf *conf);

/* Between attaching and starting the device. 0 or -errno. */
int events_open(struct events *events, uint16_t device, const struct rte_eth_dev_info *info);

/* What happened since the last call, bits of enum events_bit. Any thread. */
unsigned events_take(struct events *events);

/* How the link is now; asks the device or the kernel, so once a second is enough. */
struct link events_link(const struct events *events);

/* Before the device is closed; fine when it was never opened. */
void events_close(struct events *events);

#endif
