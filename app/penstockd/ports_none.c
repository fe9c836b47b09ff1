/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands in for ports.c and port_*.c in a build without DPDK. */
#include "penstockd/ports.h"

#include <errno.h>
#include <stdio.h>

#include "penstockd/port_telemetry.h"
#include "penstockd/port_watch.h"

int
ports_check(struct plan *plan, struct plan_error *error)
{
	if (plan->n_ports == 0)
		return 0;
	error->exit_code = PLAN_EXIT_RESOURCE;
	snprintf(error->text, sizeof(error->text),
		"port %s: this build has no DPDK; build with -Ddpdk=enabled or leave out penstock: "
		"ports",
		plan->ports[0].options->name);
	return -ENOTSUP;
}

int
ports_open(struct plan *plan, struct plan_error *error)
{
	return ports_check(plan, error);
}

int
ports_launch(uint32_t index, struct worker *worker)
{
	(void)index;
	(void)worker;
	return -ENOTSUP;
}

void
ports_tick(void)
{
}

void
ports_wait(void)
{
}

void
ports_status(const struct plan *plan, struct status *status)
{
	(void)plan;
	(void)status;
}

void
ports_close(void)
{
}

int
port_watch_fd(void)
{
	return -1;
}

void
port_watch_look(void)
{
}

void
port_watch_read(void)
{
}

int
port_telemetry_open(struct daemon *daemon)
{
	(void)daemon;
	return 0;
}

void
port_telemetry_close(void)
{
}
