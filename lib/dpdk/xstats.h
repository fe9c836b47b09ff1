/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A device's own statistics, by the names that its driver gives them ("rx_good_packets"). One
 * thread reads them from the device; what it read can be looked at from any thread.
 */
#ifndef DPDK_XSTATS_H
#define DPDK_XSTATS_H

#include <stdatomic.h>
#include <stdint.h>

#define XSTATS_MAX 512 /* of a device; i40e with 16 queues has about 300 */

struct xstat {
	char name[64];
	uint64_t id; /* the driver's */
	_Atomic uint64_t value;
};

struct xstats {
	uint16_t device;
	uint32_t n, n_left_out; /* beyond XSTATS_MAX */
	struct xstat item[XSTATS_MAX];
};

/* Asks for the names. NULL: no memory, or the device has none. xstats_free. */
struct xstats *xstats_new(uint16_t device);

/* Reads the values; what could not be read stays as it was. */
void xstats_read(struct xstats *xstats);

void xstats_free(struct xstats *xstats);

#endif
