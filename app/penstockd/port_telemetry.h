/* SPDX-License-Identifier: BSD-3-Clause */
/* What the daemon answers on DPDK's telemetry socket: see dpdk/telemetry.h. */
#ifndef PENSTOCKD_PORT_TELEMETRY_H
#define PENSTOCKD_PORT_TELEMETRY_H

#include "penstockd/daemon.h"

/* After ports_open and once the workers are there; port_telemetry_close before either goes. 0 or
 * -errno. */
int port_telemetry_open(struct daemon *daemon);
void port_telemetry_close(void);

#endif
