/* SPDX-License-Identifier: BSD-3-Clause */
/* How one worker is doing, out of its plan and its counters. */
#ifndef PENSTOCKD_WORKER_STATUS_H
#define PENSTOCKD_WORKER_STATUS_H

#include "admin/status.h"
#include "penstockd/plan.h"

/* Any thread. */
void worker_status(struct worker *worker, const struct plan_worker *plan,
	struct status_worker *ret_status);

#endif
