/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What happens to the ports' devices while the daemon runs: a link that goes or comes back is said
 * and counted, a device that wants a reset gets it, one that is gone is left alone. One control
 * thread calls all but port_watch_status.
 */
#ifndef PENSTOCKD_PORT_WATCH_H
#define PENSTOCKD_PORT_WATCH_H

#include <stddef.h>

#include "admin/status_link.h"

struct port;

/* From now on the port is watched, until port_watch_close. 0 or -errno. */
int port_watch_add(struct port *port);

/* Readable when a driver has something to say; -1: none will. */
int port_watch_fd(void);

/* When port_watch_fd is readable, and once a second, since not every driver says so. */
void port_watch_look(void);

/* Reads the devices' own statistics: once a second. */
void port_watch_read(void);

/* How the port that was added as number index is doing. Any thread. */
void port_watch_status(size_t index, struct status_link *ret_link);

/* Before the ports are closed. Fine at any time. */
void port_watch_close(void);

#endif
