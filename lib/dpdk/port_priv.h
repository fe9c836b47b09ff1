/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of a port share. */
#ifndef DPDK_PORT_PRIV_H
#define DPDK_PORT_PRIV_H

#include <pthread.h>

#include "dpdk/bond.h"
#include "dpdk/port.h"

struct mtu_wanted;

/* A NIC fills its ring while we decode: 1024 frames are 0.8 ms of a full 10 Gbit/s. A virtual
 * device keeps its frames elsewhere. */
#define PORT_DESCRIPTORS 1024
#define PORT_DESCRIPTORS_VIRTUAL 256
#define PORT_SEND_DESCRIPTORS 256
#define PORT_SEND_DESCRIPTORS_PCI_MAX 512 /* vmxnet3 has no shorter ring */

/* Rings that a queue has at most: see rings() in port.c. */
#define PORT_RINGS_MAX 2

/* What the control thread has of a port. */
struct port_control {
	struct events events;
	struct bond bond;
	struct xstats *xstats; /* NULL: none */
	bool loses_without_buffer, loses_with_error;
	/* Held to ask the device for its counters, which drivers add up as they are read; guards
	 * all that follows. */
	pthread_mutex_t counting;
	bool is_gone;
	struct port_lost counted; /* by the device, when it was last asked */
	struct port_lost untold; /* lost and not told by port_lost yet */
};

/* port_spec.c: filter and host as the spec says, whose addresses the host shares with the filter.
 * 0 or -errno with error filled; port_free_filter is fine after both. */
int port_build_filter(const struct port_spec *spec, struct filter *filter, struct error *error);
void port_free_filter(struct filter *filter);
int port_build_host(const struct port_spec *spec, const struct filter *filter, struct host *host,
	struct error *error);
bool port_has_exception(const struct port_spec *spec);

/* A port that answers sends on a queue for each that it receives on, so that no owner of one waits
 * for another. */
bool port_answers(const struct port_spec *spec);

/* port_memory.c. What has the rings: a bond is as its members are; and how many have. */
const char *port_lowest_device(const struct port_spec *spec);
unsigned port_count_devices(size_t n_members);

/* Every buffer that can be somewhere else than in the pool: in a ring, in a burst that is being
 * decoded while the next is polled, in a thread's cache. So the pool never runs dry. Fragments that
 * wait hold none. descriptors: of all rings of a queue. */
unsigned port_count_buffers(unsigned queues, unsigned descriptors, unsigned n_sending,
	unsigned n_lanes, unsigned n_threads, const struct mtu_wanted *mtu);

struct port_control *port_control(struct port *port);

/* Configures and starts a device that is stopped, as it was. 0 or -errno; ret_step: what was tried
 * last. */
int port_set_up_again(struct port *port, const char **ret_step);

#endif
