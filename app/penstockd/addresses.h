/* SPDX-License-Identifier: BSD-3-Clause */
/* Says in the log what becomes of a port's own addresses: held, or in use by somebody else. */
#ifndef PENSTOCKD_ADDRESSES_H
#define PENSTOCKD_ADDRESSES_H

#include "frame/host.h"

struct addresses;

/* port is the name of it; both outlive what is returned. NULL: no memory. */
struct addresses *addresses_new(const char *port, const struct host *host);

/* Once a second: each change once. */
void addresses_tick(struct addresses *addresses);

/* NULL is fine. */
void addresses_free(struct addresses *addresses);

#endif
