/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockd/plan_priv.h"

#include <errno.h>
#include <stdlib.h>

#include "penstockd/machine_topology.h"

/* Queues of all ports when n_workers poll. */
static uint32_t
count_queues(const struct planner *planner, uint32_t n_workers)
{
	const struct port_options *port = planner->options->ports.item;
	uint32_t n = 0;

	for (size_t i = 0; i < planner->options->ports.n; i++)
		n += plan_port_queues(&port[i], n_workers);
	return n;
}

static int
refuse_cores(struct planner *planner, const char *setting, unsigned core)
{
	return plan_refuse(planner, PLAN_EXIT_CONFIGURATION,
		"%s: core %u is not one that this process may use; affinity and cgroup leave it "
		"%s: choose from these, or set it to auto",
		setting, core, planner->plan.cpus);
}

/* "[2,3]", which its row has checked. */
static int
read_core_list(struct planner *planner)
{
	const char *at = planner->options->workers + 1;

	if (planner->options->workers[0] != '[')
		return 0;
	planner->core_list = true;
	while (*at != '\0' && planner->n_polling < ARRAY_LENGTH(planner->core)) {
		char *end;
		unsigned long core = strtoul(at, &end, 10);

		if (!machine_has_cpu(planner->machine, (unsigned)core))
			return refuse_cores(planner, "penstock: workers", (unsigned)core);
		planner->core[planner->n_polling++] = (uint16_t)core;
		at = end + 1;
	}
	return 0;
}

/* How many workers poll ports. */
static int
count_workers(struct planner *planner)
{
	const struct options *options = planner->options;
	uint32_t n_cpus = (uint32_t)planner->machine->n_cpus, most = n_cpus > 1 ? n_cpus - 1 : 1;
	uint32_t wanted = options->dogstatsd_workers_count;
	bool is_auto = strcmp(options->workers, "auto") == 0;

	if (planner->core_list)
		return 0;
	if (!is_auto) {
		wanted = (uint32_t)strtoul(options->workers, NULL, 10);
		if (wanted > n_cpus)
			return plan_refuse(planner, PLAN_EXIT_CONFIGURATION,
				"penstock: workers: %u are wanted, but affinity and cgroup leave "
				"this process only the cores %s: set it to at most %u or to auto, "
				"or give the process more cores (taskset, AllowedCPUs=)",
				wanted, planner->plan.cpus, n_cpus);
		planner->n_polling = wanted;
		return 0;
	}
	if (wanted > most && options->ports.n > 0) {
		if (plan_note(planner,
			    "dogstatsd_workers_count is %u, but the allowed cores are %s: there "
			    "are %u workers.",
			    wanted, planner->plan.cpus, most) != 0)
			return -ENOMEM;
		wanted = most;
	}
	if (wanted == 0) {
		uint32_t good = plan_good_cores(planner), n_queues = count_queues(planner, good);

		wanted = good < n_queues ? good : n_queues;
	}
	planner->n_polling = wanted;
	return 0;
}

static int
drop_idle_workers(struct planner *planner)
{
	if (planner->options->ports.n > 0)
		return 0;
	planner->n_polling = 0;
	if (strcmp(planner->options->workers, "auto") == 0 ||
		strcmp(planner->options->workers, "0") == 0)
		return 0;
	return plan_note(planner,
		"There is no port, so penstock: workers (%s) has no effect: the slow "
		"core decodes what sockets take in.",
		planner->options->workers);
}

static bool
is_listed(const struct planner *planner, unsigned cpu)
{
	for (uint32_t i = 0; planner->core_list && i < planner->n_polling; i++)
		if (planner->core[i] == cpu)
			return true;
	return false;
}

/* Isolated cores are for workers. */
static unsigned
first_for_slow(const struct planner *planner)
{
	const struct machine *machine = planner->machine;
	unsigned found = machine->cpu[0];

	for (size_t i = machine->n_cpus; i-- > 0;)
		if (!is_listed(planner, machine->cpu[i]))
			found = machine->cpu[i];
	for (size_t i = machine->n_cpus; i-- > 0;)
		if (!is_listed(planner, machine->cpu[i]) && !machine->is_isolated[machine->cpu[i]])
			found = machine->cpu[i];
	return found;
}

static int
choose_slow_core(struct planner *planner)
{
	const struct machine *machine = planner->machine;

	if (strcmp(planner->options->slow_core, "auto") != 0) {
		planner->slow_cpu = (unsigned)strtoul(planner->options->slow_core, NULL, 10);
		return machine_has_cpu(machine, planner->slow_cpu)
			? 0
			: refuse_cores(planner, "penstock: slow_core", planner->slow_cpu);
	}
	planner->slow_cpu = first_for_slow(planner);
	return 0;
}

static enum worker_idle
idle_of(const struct planner *planner, unsigned cpu, bool shares_core)
{
	switch (planner->options->idle) {
	case IDLE_POLL:
		return WORKER_IDLE_POLL;
	case IDLE_PAUSE:
		return WORKER_IDLE_PAUSE;
	case IDLE_SLEEP:
		return WORKER_IDLE_SLEEP;
	default:
		return planner->machine->is_isolated[cpu] && !shares_core ? WORKER_IDLE_POLL
									  : WORKER_IDLE_SLEEP;
	}
}

static void
set_core(const struct planner *planner, struct plan_worker *worker, unsigned cpu)
{
	const struct machine *machine = planner->machine;

	worker->cpu = cpu;
	worker->node = machine_node_of(machine, cpu);
	/* With one node the kernel has no choice. */
	worker->memory_node =
		machine->n_nodes > 1 ? machine_memory_node(machine, worker->node) : -1;
	worker->is_isolated = machine->is_isolated[cpu];
	worker->is_tickless = machine->is_tickless[cpu];
}

static int
plan_workers(struct planner *planner)
{
	struct plan_worker *worker = calloc(planner->n_polling + 1, sizeof(*worker));

	if (worker == NULL)
		return plan_out_of_memory(planner);
	planner->plan.workers = worker;
	planner->plan.n_workers = planner->n_polling + 1;
	snprintf(worker[0].name, sizeof(worker[0].name), "slow");
	set_core(planner, &worker[0], planner->slow_cpu);
	worker[0].idle = WORKER_IDLE_SLEEP;
	for (uint32_t i = 0; i < planner->n_polling; i++) {
		unsigned cpu = planner->core[i];
		bool shares_core = cpu == planner->slow_cpu;

		snprintf(worker[i + 1].name, sizeof(worker[i + 1].name), "worker%u", i + 1);
		set_core(planner, &worker[i + 1], cpu);
		worker[i + 1].idle = idle_of(planner, cpu, shares_core);
		if (shares_core &&
			plan_note(planner,
				"%s shares core %u with the slow path: give the process more "
				"cores, or set penstock: workers.",
				worker[i + 1].name, cpu) != 0)
			return -ENOMEM;
	}
	return 0;
}

int
plan_cores(struct planner *planner)
{
	static int (*const step[])(struct planner * planner) = {
		read_core_list,
		choose_slow_core,
		count_workers,
		drop_idle_workers,
	};

	if (planner->machine->n_cpus == 0)
		return plan_refuse(planner, PLAN_EXIT_RESOURCE,
			"this process may use no core at all");
	plan_describe_nodes(planner);
	for (size_t i = 0; i < ARRAY_LENGTH(step); i++) {
		int error = step[i](planner);

		if (error != 0)
			return error;
	}
	if (planner->n_polling > ARRAY_LENGTH(planner->core))
		planner->n_polling = ARRAY_LENGTH(planner->core);
	if (!planner->core_list)
		plan_choose_cores(planner);
	return plan_workers(planner);
}
