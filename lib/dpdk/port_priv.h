/* SPDX-License-Identifier: BSD-3-Clause */
/* What port.c and port_control.c share. */
#ifndef DPDK_PORT_PRIV_H
#define DPDK_PORT_PRIV_H

#include <pthread.h>

#include "dpdk/bond.h"
#include "dpdk/port.h"

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

struct port_control *port_control(struct port *port);

/* Configures and starts a device that is stopped, as it was. 0 or -errno; ret_step: what was tried
 * last. */
int port_set_up_again(struct port *port, const char **ret_step);

#endif
