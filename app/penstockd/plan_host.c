/* SPDX-License-Identifier: BSD-3-Clause */
/* What of this host slows the plan down or lets it lose datagrams, each with what mends it. */
#include "penstockd/plan_priv.h"

#include <errno.h>
#include <string.h>

#include "base/pci.h"
#include "penstockd/machine_topology.h"

/* The workers' cores of which something is true, as a list. */
struct cores {
	uint16_t cpu[256];
	size_t n;
	char list[128];
};

static bool
polls_a_nic(const struct planner *planner, const struct plan_worker *worker)
{
	for (uint32_t i = 0; i < worker->n_inputs; i++)
		for (uint32_t j = 0; j < planner->plan.n_ports; j++)
			if (worker->input[i].listener == planner->plan.ports[j].listener &&
				pci_parse(planner->plan.ports[j].options->device, NULL))
				return true;
	return false;
}

/* A worker whose core should have nothing else to do: it never rests, or its frames wait in a NIC.
 */
static bool
is_demanding(const struct planner *planner, const struct plan_worker *worker)
{
	return worker->n_inputs > 0 &&
		(worker->idle != WORKER_IDLE_SLEEP || polls_a_nic(planner, worker));
}

static void
add_core(struct cores *cores, unsigned cpu)
{
	size_t at = cores->n;

	if (cores->n == ARRAY_LENGTH(cores->cpu))
		return;
	for (; at > 0 && cores->cpu[at - 1] > cpu; at--)
		cores->cpu[at] = cores->cpu[at - 1];
	cores->cpu[at] = (uint16_t)cpu;
	cores->n++;
}

/* The demanding workers' cores for which is_so. */
static void
collect(const struct planner *planner, bool (*is_so)(const struct machine *machine, unsigned cpu),
	struct cores *ret_cores)
{
	*ret_cores = (struct cores){0};
	for (uint32_t i = 1; i < planner->plan.n_workers; i++) {
		const struct plan_worker *worker = &planner->plan.workers[i];

		if (is_demanding(planner, worker) && is_so(planner->machine, worker->cpu))
			add_core(ret_cores, worker->cpu);
	}
	machine_list(ret_cores->cpu, ret_cores->n, ret_cores->list, sizeof(ret_cores->list));
}

static bool
is_shared(const struct machine *machine, unsigned cpu)
{
	return !machine->is_isolated[cpu];
}

static bool
ticks(const struct machine *machine, unsigned cpu)
{
	return machine->is_isolated[cpu] && machine->can_be_tickless && !machine->is_tickless[cpu];
}

static bool
is_throttled(const struct machine *machine, unsigned cpu)
{
	return machine->governor[cpu][0] != '\0' &&
		strcmp(machine->governor[cpu], "performance") != 0;
}

static int
note_isolation(struct planner *planner)
{
	struct cores cores;

	collect(planner, is_shared, &cores);
	if (cores.n > 0 &&
		plan_note(planner,
			"Core %s of the workers is not isolated, so other threads may hold them "
			"up for milliseconds: boot with isolcpus=%s nohz_full=%s, or let "
			"penstock: workers name isolated cores.",
			cores.list, cores.list, cores.list) != 0)
		return -ENOMEM;
	collect(planner, ticks, &cores);
	if (cores.n > 0 &&
		plan_note(planner,
			"Core %s is isolated, but its timer still ticks: boot with nohz_full=%s "
			"as well.",
			cores.list, cores.list) != 0)
		return -ENOMEM;
	return 0;
}

static int
note_governor(struct planner *planner)
{
	struct cores cores;

	collect(planner, is_throttled, &cores);
	if (cores.n == 0)
		return 0;
	return plan_note(planner,
		"The frequency governor of core %s is %s, so the core starts slowly after each "
		"pause: 'cpupower -c %s frequency-set -g performance' (of the package "
		"linux-cpupower).",
		cores.list, planner->machine->governor[cores.cpu[0]], cores.list);
}

/* Two workers, or a worker and the slow path, on threads of one physical core. */
static int
note_siblings(struct planner *planner)
{
	const struct plan *plan = &planner->plan;

	for (uint32_t i = 1; i < plan->n_workers; i++) {
		const struct plan_worker *a = &plan->workers[i];

		for (uint32_t j = 0; j < i; j++) {
			const struct plan_worker *b = &plan->workers[j];

			if (a->cpu == b->cpu ||
				!machine_share_core(planner->machine, a->cpu, b->cpu))
				continue;
			if (plan_note(planner,
				    "%s (core %u) and %s (core %u) are threads of one physical "
				    "core and slow each other down: let penstock: workers and "
				    "slow_core name threads of different cores.",
				    b->name, b->cpu, a->name, a->cpu) != 0)
				return -ENOMEM;
			break;
		}
	}
	return 0;
}

static int
note_far_worker(struct planner *planner, const struct plan_port *port,
	const struct plan_worker *worker)
{
	char list[128];

	machine_node_cpus(planner->machine, port->node, list, sizeof(list));
	return plan_note(planner,
		"Port %s is on node %d, but %s (core %u), which polls it, is on node %d (distance "
		"%u; 10 is near), and each frame crosses between them: %s%s.",
		port->options->name, port->node, worker->name, worker->cpu, worker->node,
		machine_distance(planner->machine, port->node, worker->node),
		list[0] != '\0' ? "let penstock: workers name cores of its node, "
				: "let the process use cores of its node (taskset, AllowedCPUs=)",
		list);
}

static int
note_far_port(struct planner *planner, const struct plan_port *port)
{
	for (uint32_t i = 0; i < planner->plan.n_workers; i++) {
		const struct plan_worker *worker = &planner->plan.workers[i];

		if (port->node < 0 || worker->node < 0 || worker->node == port->node)
			continue;
		for (uint32_t j = 0; j < worker->n_inputs; j++) {
			if (worker->input[j].listener != port->listener)
				continue;
			if (note_far_worker(planner, port, worker) != 0)
				return -ENOMEM;
			break;
		}
	}
	if (port->node >= 0 || !pci_parse(port->options->device, NULL) || !port->spec.on_node)
		return 0;
	return plan_note(planner,
		"Port %s: the machine does not say on which node its device is; its buffers go to "
		"node %d, with the worker that polls it.",
		port->options->name, port->spec.node);
}

static int
note_nodes(struct planner *planner)
{
	const struct machine *machine = planner->machine;
	bool demands = false;

	if (machine->n_nodes < 2)
		return 0;
	for (uint32_t i = 0; i < planner->plan.n_ports; i++)
		if (note_far_port(planner, &planner->plan.ports[i]) != 0)
			return -ENOMEM;
	for (uint32_t i = 0; i < planner->plan.n_workers; i++) {
		const struct plan_worker *worker = &planner->plan.workers[i];

		demands |= is_demanding(planner, worker);
		if (worker->memory_node == worker->node || worker->memory_node < 0)
			continue;
		if (plan_note(planner,
			    "%s runs on node %d, which has no memory for this process: it takes "
			    "its memory from node %d (distance %u; 10 is near).",
			    worker->name, worker->node, worker->memory_node,
			    machine_distance(machine, worker->node, worker->memory_node)) != 0)
			return -ENOMEM;
	}
	if (!demands || !machine->moves_pages)
		return 0;
	return plan_note(planner,
		"The kernel looks for pages to move between nodes, and holds workers up for it: "
		"'sysctl -w kernel.numa_balancing=0'.");
}

int
plan_host(struct planner *planner)
{
	static int (*const note[])(struct planner * planner) = {
		note_nodes,
		note_siblings,
		note_isolation,
		note_governor,
	};

	for (size_t i = 0; i < ARRAY_LENGTH(note); i++) {
		int error = note[i](planner);

		if (error != 0)
			return error;
	}
	return 0;
}
