/* SPDX-License-Identifier: BSD-3-Clause */
/* How many buffers and bytes a port takes. */
#include <rte_common.h>

#include "dpdk/bond.h"
#include "dpdk/device.h"
#include "dpdk/exception.h"
#include "dpdk/joiner.h"
#include "dpdk/mtu.h"
#include "dpdk/pool.h"
#include "dpdk/port_priv.h"
#include "dsd/burst.h"
#include "frame/reassembly.h"

/* Rings and state of the device, beside its buffers. */
#define DEVICE_MEMORY (size_t)(2 << 20)

unsigned
port_count_buffers(unsigned queues, unsigned descriptors, unsigned n_sending, unsigned n_lanes,
	unsigned n_threads, const struct mtu_wanted *mtu)
{
	return queues * (descriptors + BURST_MAX * (1 + mtu_segments_max(mtu))) + n_sending +
		BURST_MAX + steer_buffers(n_lanes) * mtu_segments(mtu) + pool_cached(n_threads);
}

const char *
port_lowest_device(const struct port_spec *spec)
{
	return spec->n_members != 0 ? spec->members[0] : spec->device;
}

unsigned
port_count_devices(size_t n_members)
{
	return n_members != 0 ? (unsigned)n_members : 1;
}

size_t
port_memory(const struct port_spec *spec, size_t n_workers)
{
	const char *device = port_lowest_device(spec);
	const struct mtu_wanted mtu = {spec->name, device, spec->mtu};
	bool is_pci = device_is_pci(device);
	unsigned descriptors =
		is_pci ? PORT_RINGS_MAX * PORT_DESCRIPTORS : PORT_DESCRIPTORS_VIRTUAL;
	unsigned send_descriptors = is_pci ? PORT_SEND_DESCRIPTORS_PCI_MAX : PORT_SEND_DESCRIPTORS;
	unsigned n_devices = port_count_devices(spec->n_members);
	unsigned n_shares = RTE_MAX(spec->shares, spec->queues), n_buffers = 0;
	unsigned n_threads = (unsigned)n_workers + 1;
	size_t size =
		steer_memory(n_shares - 1) + DEVICE_MEMORY + spec->n_members * BOND_MEMBER_MEMORY;

	/* With each number of queues that the device may grant. */
	for (unsigned n = 1; n <= spec->queues; n++) {
		unsigned n_sending = send_descriptors * (port_answers(spec) ? n : 1) * n_devices;

		if (port_has_exception(spec))
			n_sending += exception_buffers(n_shares);
		n_buffers = RTE_MAX(n_buffers,
			port_count_buffers(n * n_devices, descriptors, n_sending,
				spec->shares > n ? spec->shares - n : 0, n_threads, &mtu));
	}
	if (port_has_exception(spec))
		size += exception_memory(n_shares, n_threads, send_descriptors, &mtu);
	return size + pool_memory(spec->buffers_kept + n_buffers, mtu_buffer_size(device));
}

size_t
port_frame_memory(const struct port_spec *spec)
{
	return RTE_MAX(spec->shares, spec->queues) * (REASSEMBLY_MEMORY + JOINER_MEMORY);
}
