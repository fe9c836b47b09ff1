/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockd/plan_priv.h"

/* Workers that poll a port, or not. */
static uint32_t
count_workers(const struct plan *plan, bool with_port)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < plan->n_workers; i++) {
		const struct plan_worker *worker = &plan->workers[i];
		bool has = false;

		for (uint32_t j = 0; j < worker->n_inputs; j++) {
			const char *driver = worker->input[j].driver;
			bool is_port = strcmp(driver, "dpdk") == 0;

			has |= is_port == with_port && strcmp(driver, "uds_stream") != 0;
		}
		n += has;
	}
	return n;
}

int
plan_ceiling(struct planner *planner)
{
	const struct options *options = planner->options;
	struct plan *plan = &planner->plan;
	const struct ceiling_need need = {
		.limit = options->memory_ceiling,
		.n_port_workers = count_workers(plan, true),
		.n_socket_workers = count_workers(plan, false),
		.has_streams = options->dogstatsd_stream_socket[0] != '\0',
		.payload_max = plan->payload_max,
		.use_hugepages = plan->use_hugepages,
	};
	uint64_t least;

	if (ceiling_plan(&need, &plan->ceiling, &least) == 0)
		return 0;
	return plan_refuse(planner, PLAN_EXIT_CONFIGURATION,
		"penstock: memory_ceiling is %llu KiB, but %u workers with ports, %u with sockets "
		"and frames of up to %u bytes need %llu KiB at least: set it to %lluMiB or more",
		(unsigned long long)(need.limit >> 10), need.n_port_workers, need.n_socket_workers,
		need.payload_max, (unsigned long long)((least + 1023) >> 10),
		(unsigned long long)((least + (1 << 20) - 1) >> 20));
}
