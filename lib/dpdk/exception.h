/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The exception port: a device that leads into the kernel (net_tap, virtio_user), to which a port
 * hands what is neither a datagram for it nor answered by it, and whose frames it sends. So ssh or
 * BGP go on working on an interface that the kernel has lost.
 *
 * Its interface has the port's MAC. It has a queue for each share of the port (dpdk/steer.h), as
 * far as the device has that many. Frames for the kernel go to the queue of the share's number;
 * what comes from the kernel is divided among those who can send on the port (dpdk/responder.h).
 *
 * A frame from the kernel takes one buffer, since not every port can send it in pieces: the buffers
 * are as large as the port's MTU wants.
 */
#ifndef DPDK_EXCEPTION_H
#define DPDK_EXCEPTION_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct exception;
struct mtu_wanted;
struct port_facts;

/* Looks at the text without touching the device. 0, or -EINVAL with error filled. */
int exception_check(const char *device, const char *port, struct error *error);

/* Bytes of EAL memory that it will take at most, and buffers of the port that can wait in its
 * rings, for so many shares of the port and threads; send_descriptors: of each queue that the port
 * sends on. */
size_t exception_memory(unsigned shares, unsigned n_threads, unsigned send_descriptors,
	const struct mtu_wanted *port_mtu);
unsigned exception_buffers(unsigned shares);

/* For a port that has been started. 0, or -errno with error filled; ret_exception is untouched
 * then. */
int exception_open(const char *device, const struct port_facts *port,
	const struct mtu_wanted *port_mtu, struct exception **ret_exception, struct error *error);

/* DPDK's number; and how many queues there are. */
uint16_t exception_number(const struct exception *exception);
uint16_t exception_queues(const struct exception *exception);

/* Of its interface, never more than the port's. */
uint16_t exception_mtu(const struct exception *exception);

/* After the port's device is closed, which may hold our buffers, and before its pool is freed,
 * whose buffers we may hold. NULL is fine. */
void exception_close(struct exception *exception);

#endif
