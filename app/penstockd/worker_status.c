/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockd/worker_status.h"

#include <string.h>

void
worker_status(struct worker *worker, const struct plan_worker *plan,
	struct status_worker *ret_status)
{
	struct stats stats = {0};

	stats_collect(&worker->published, &stats);
	*ret_status = (struct status_worker){
		.name = plan->name,
		.idle = plan_idle_name(plan->idle),
		.cpu = plan->cpu,
		.node = plan->node,
		.busy = atomic_load_explicit(&worker->stages.busy, memory_order_relaxed),
		.turns = stats.counter[STAT_worker_turns],
		.busy_turns = stats.counter[STAT_worker_busy_turns],
		.datagrams = stats.counter[STAT_datagrams_received],
		.lines = stats.counter[STAT_lines_received],
		.gaps = stats.gaps,
		.gap_max = atomic_load_explicit(&worker->stages.gap_max, memory_order_relaxed),
	};
	memcpy(ret_status->stage, stats.stage, sizeof(stats.stage));
	memcpy(ret_status->gap, stats.gap, sizeof(stats.gap));
}
