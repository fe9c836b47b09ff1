/* SPDX-License-Identifier: BSD-3-Clause */
/* Which cores the workers get, and what is near what. */
#include "penstockd/plan_priv.h"

#include "penstockd/machine_topology.h"

static void
describe_node(const struct machine *machine, const struct machine_node *node, char *text,
	size_t size)
{
	char cores[128], memory[32] = "no memory";

	machine_node_cpus(machine, node->number, cores, sizeof(cores));
	if (node->memory != 0)
		snprintf(memory, sizeof(memory), "%llu MiB",
			(unsigned long long)(node->memory >> 20));
	snprintf(text, size, "%d (%s%s, %s)", node->number, cores[0] != '\0' ? "cores " : "no core",
		cores, memory);
}

void
plan_describe_nodes(struct planner *planner)
{
	const struct machine *machine = planner->machine;
	char *text = planner->plan.nodes;
	size_t used = 0, size = sizeof(planner->plan.nodes);

	for (size_t i = 0; i < machine->n_nodes && used < size; i++) {
		char node[192];

		describe_node(machine, &machine->node[i], node, sizeof(node));
		used += (size_t)snprintf(text + used, size - used, "%s%s", i == 0 ? "" : ", ",
			node);
	}
}

/* Some port is on the CPU's node, or on none that is known. */
static bool
is_near_a_port(const struct planner *planner, unsigned cpu)
{
	int node = machine_node_of(planner->machine, cpu);

	for (uint32_t i = 0; i < planner->plan.n_ports; i++)
		if (planner->plan.ports[i].node < 0 || planner->plan.ports[i].node == node)
			return true;
	return node < 0 || planner->plan.n_ports == 0;
}

/* A thread of the slow path's core, or of one that an allowed CPU before this one counts for. */
static bool
is_further_thread(const struct planner *planner, size_t at)
{
	const struct machine *machine = planner->machine;
	unsigned cpu = machine->cpu[at];

	if (machine_share_core(machine, cpu, planner->slow_cpu))
		return true;
	for (size_t i = 0; i < at; i++)
		if (machine_share_core(machine, cpu, machine->cpu[i]))
			return true;
	return false;
}

/* Physical cores beside the slow path's. */
static uint32_t
count_cores(const struct planner *planner, bool isolated, bool near)
{
	const struct machine *machine = planner->machine;
	uint32_t n = 0;

	for (size_t i = 0; i < machine->n_cpus; i++) {
		unsigned cpu = machine->cpu[i];

		n += !is_further_thread(planner, i) && (!isolated || machine->is_isolated[cpu]) &&
			(!near || is_near_a_port(planner, cpu));
	}
	return n;
}

uint32_t
plan_good_cores(const struct planner *planner)
{
	uint32_t n = count_cores(planner, true, true);

	if (n == 0)
		n = count_cores(planner, false, true);
	if (n == 0)
		n = count_cores(planner, false, false);
	return n > 0 ? n : 1;
}

static bool
is_taken(const struct planner *planner, uint32_t n_chosen, unsigned cpu)
{
	for (uint32_t i = 0; i < n_chosen; i++)
		if (planner->core[i] == cpu)
			return true;
	return cpu == planner->slow_cpu;
}

/* Lower is better: near, then isolated, then alone on its physical core. */
static unsigned
cost(const struct planner *planner, uint32_t n_chosen, unsigned cpu, int node)
{
	const struct machine *machine = planner->machine;
	bool shares = machine_share_core(machine, cpu, planner->slow_cpu);

	for (uint32_t i = 0; i < n_chosen; i++)
		shares |= machine_share_core(machine, cpu, planner->core[i]);
	return machine_distance(machine, node, machine_node_of(machine, cpu)) << 2 |
		(unsigned)!machine->is_isolated[cpu] << 1 | (unsigned)shares;
}

/* Ports take turns: each gets its share of the workers on its own node. */
void
plan_choose_cores(struct planner *planner)
{
	const struct machine *machine = planner->machine;

	for (uint32_t n = 0; n < planner->n_polling; n++) {
		int node = planner->plan.ports[n % planner->plan.n_ports].node;
		unsigned best = planner->slow_cpu, lowest = UINT32_MAX;

		for (size_t i = 0; i < machine->n_cpus; i++) {
			unsigned cpu = machine->cpu[i], of_cpu;

			if (is_taken(planner, n, cpu))
				continue;
			of_cpu = cost(planner, n, cpu, node);
			if (of_cpu < lowest) {
				lowest = of_cpu;
				best = cpu;
			}
		}
		planner->core[n] = (uint16_t)best;
	}
}

/* Who is near no port at all was asked for by name or number, and polls as well as it can. */
static bool
is_near(const struct planner *planner, const struct plan_port *port,
	const struct plan_worker *worker)
{
	return port->node < 0 || port->node == worker->node ||
		!is_near_a_port(planner, worker->cpu);
}

uint32_t
plan_near_workers(const struct planner *planner, const struct plan_port *port)
{
	uint32_t n = 0;

	for (uint32_t i = 1; i < planner->plan.n_workers; i++)
		n += is_near(planner, port, &planner->plan.workers[i]);
	return n > 0 ? n : planner->n_polling;
}

bool
plan_has_idle_worker(const struct planner *planner, const struct plan_port *port)
{
	const struct plan_worker *worker = planner->plan.workers;

	for (uint32_t i = 1; i < planner->plan.n_workers; i++)
		if (worker[i].n_inputs == 0 && is_near(planner, port, &worker[i]))
			return true;
	return false;
}

/* Of the port first: two shares of one port on one worker are no help. */
static uint32_t
count_inputs(const struct plan_port *port, const struct plan_worker *worker)
{
	uint32_t n_of_port = 0;

	for (uint32_t i = 0; i < worker->n_inputs; i++)
		n_of_port += worker->input[i].listener == port->listener;
	return n_of_port * (WORKER_INPUTS_MAX + 1) + worker->n_inputs;
}

struct plan_worker *
plan_next_poller(const struct planner *planner, const struct plan_port *port)
{
	struct plan_worker *worker = planner->plan.workers, *best = NULL;
	bool none = true;

	for (uint32_t i = 1; i < planner->plan.n_workers; i++)
		none &= !is_near(planner, port, &worker[i]);
	for (uint32_t i = 1; i < planner->plan.n_workers; i++)
		if ((none || is_near(planner, port, &worker[i])) &&
			(best == NULL || count_inputs(port, &worker[i]) < count_inputs(port, best)))
			best = &worker[i];
	return best != NULL ? best : &worker[0];
}

/* The first worker that polls the port. */
static const struct plan_worker *
find_poller(const struct plan *plan, const struct plan_port *port)
{
	for (uint32_t i = 0; i < plan->n_workers; i++)
		for (uint32_t j = 0; j < plan->workers[i].n_inputs; j++)
			if (plan->workers[i].input[j].listener == port->listener)
				return &plan->workers[i];
	return NULL;
}

void
plan_place_port(const struct planner *planner, struct plan_port *port)
{
	const struct plan_worker *worker = find_poller(&planner->plan, port);
	int node = port->node >= 0 || worker == NULL ? port->node : worker->node;

	/* Where there is one node, or none that is known, DPDK needs no advice. */
	if (planner->machine->n_nodes < 2)
		return;
	node = machine_memory_node(planner->machine, node);
	port->spec.on_node = node >= 0;
	port->spec.node = node;
}
