/* SPDX-License-Identifier: BSD-3-Clause */
/* DPDK's part of the daemon: its environment, the plan's ports, and the threads that poll them. */
#ifndef PENSTOCKD_PORTS_H
#define PENSTOCKD_PORTS_H

#include "admin/status.h"
#include "penstockd/plan.h"
#include "worker/worker.h"

/* Asks DPDK about the plan's ports without touching them: fills eal.memory, hugepage_memory,
 * use_hugepages and telemetry. 0, or -errno with error filled. */
int ports_check(struct plan *plan, struct plan_error *error);

/* Starts DPDK and opens the plan's ports; from here on the plan's input specs name them. 0, or
 * -errno with error filled. */
int ports_open(struct plan *plan, struct plan_error *error);

/* Runs a worker other than the first in its DPDK thread. */
int ports_launch(uint32_t index, struct worker *worker);

/* Once a second, from the main thread: says in the log what happened to the ports. */
void ports_tick(void);

/* Returns when none of them runs any more. */
void ports_wait(void);

/* Fills the ports and shares of the status; all are there after ports_open. Any thread. */
void ports_status(const struct plan *plan, struct status *status);

/* After the workers are freed. Fine at any time. */
void ports_close(void);

#endif
