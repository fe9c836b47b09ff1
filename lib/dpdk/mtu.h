/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long a port's frames get, and what follows from it: the size of its buffers, how many of them
 * a frame takes, and the device's MTU.
 */
#ifndef DPDK_MTU_H
#define DPDK_MTU_H

#include <stddef.h>
#include <stdint.h>

#include "dpdk/eal.h"

struct rte_eth_dev_info;

/* What of it is said in the configuration. Strings are borrowed. */
struct mtu_wanted {
	const char *port; /* its name, for people */
	const char *device; /* as in dpdk/device.h */
	uint16_t mtu; /* bytes of an IP packet; 0: as the device has it */
};

/* Bytes of a frame that a buffer of the device must hold. net_af_packet copies into one buffer
 * whatever its framesz argument lets in. */
uint16_t mtu_buffer_size(const char *device);

/* The same of a buffer that holds any frame of the MTU, and the longest MTU whose frames such a
 * buffer holds. */
uint16_t mtu_whole_size(const struct mtu_wanted *wanted);
uint16_t mtu_held_by(uint16_t buffer_size);

/* Buffers that a frame of the MTU takes, and that any frame can take which the device may bring. */
unsigned mtu_segments(const struct mtu_wanted *wanted);
unsigned mtu_segments_max(const struct mtu_wanted *wanted);

/* The longest frame that the device hands over whole, or 0: no other limit than its MTU. */
uint32_t mtu_frame_max(const char *device);

/* Before the device is configured: whether it can have the MTU, and what must be switched on for
 * it (RTE_ETH_RX_OFFLOAD_…, added to *offloads). 0, or -errno with error filled. */
int mtu_prepare(const struct mtu_wanted *wanted, const struct rte_eth_dev_info *info,
	uint64_t *offloads, struct error *error);

/* Once it is configured: sets it, and asks the device whether it has it. 0, or -errno; error is
 * filled where DPDK says nothing of its own, and untouched else. */
int mtu_set(const struct mtu_wanted *wanted, uint16_t number, const char *driver,
	struct error *error);

/* As the kernel has it where the device is an interface of the kernel, else as DPDK has it. */
uint16_t mtu_get(uint16_t number, const struct rte_eth_dev_info *info);

#endif
