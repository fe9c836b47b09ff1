/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A NIC is refused before anything is opened where its hugepages are missing. In ordinary memory
 * DPDK 22.11 starts all the same, and with virtio behind an IOMMU a frame in a thousand is then
 * written where nothing is mapped.
 */
#include "penstockd/plan_priv.h"

#include "base/pci.h"
#include "penstockd/machine_topology.h"

#define PAGE_SIZE_USUAL (2u << 20) /* bytes; what sysctl vm.nr_hugepages counts on x86-64 */

/* What nr_hugepages must be: pages that others have taken stay theirs. */
static unsigned long long
pages_to_reserve(const struct machine_pages *pages, size_t n, uint64_t wanted)
{
	uint64_t taken = 0;

	for (size_t i = 0; i < n; i++)
		if (pages[i].size == PAGE_SIZE_USUAL)
			taken = pages[i].total - pages[i].free;
	return taken + (wanted + PAGE_SIZE_USUAL - 1) / PAGE_SIZE_USUAL;
}

static uint64_t
free_memory(const struct machine_pages *pages, size_t n)
{
	uint64_t size = 0;

	for (size_t i = 0; i < n; i++)
		size += pages[i].free * pages[i].size;
	return size;
}

/* The driver takes its rings from the NIC's own node; only buffers may come from another. */
static int
check_node(struct planner *planner, const struct plan_port *nic)
{
	const struct machine_node *node = machine_node(planner->machine, nic->node);

	if (node == NULL || node->n_page_sizes == 0 ||
		free_memory(node->pages, node->n_page_sizes) != 0)
		return 0;
	return plan_refuse(planner, PLAN_EXIT_RESOURCE,
		"port %s: a NIC takes hugepages of its own node, and node %d has none free, though "
		"others have: 'echo %llu >/sys/devices/system/node/node%d/hugepages/"
		"hugepages-2048kB/nr_hugepages'",
		nic->options->name, nic->node,
		pages_to_reserve(node->pages, node->n_page_sizes, planner->plan.hugepage_memory),
		nic->node);
}

static int
check_nic(struct planner *planner, const struct plan_port *nic)
{
	const struct machine *machine = planner->machine;
	const struct plan *plan = &planner->plan;

	if (planner->options->hugepages == HUGEPAGES_OFF)
		return plan_refuse(planner, PLAN_EXIT_CONFIGURATION,
			"port %s: a NIC works in hugepages only, but penstock: hugepages is off: "
			"set it to auto",
			nic->options->name);
	if (!planner->asks_dpdk)
		return 0;
	if (plan->use_hugepages)
		return check_node(planner, nic);
	return plan_refuse(planner, PLAN_EXIT_RESOURCE,
		"port %s: a NIC works in hugepages only: %llu MiB wanted, %llu MiB free: 'sysctl "
		"-w vm.nr_hugepages=%llu' reserves what is missing",
		nic->options->name, (unsigned long long)((plan->hugepage_memory + 0xfffff) >> 20),
		(unsigned long long)(plan->hugepage_memory_free >> 20),
		pages_to_reserve(machine->pages, machine->n_page_sizes, plan->hugepage_memory));
}

int
plan_hugepages(struct planner *planner)
{
	const struct machine *machine = planner->machine;
	struct plan *plan = &planner->plan;

	plan->hugepage_memory_free = free_memory(machine->pages, machine->n_page_sizes);
	for (uint32_t i = 0; i < plan->n_ports; i++) {
		const struct plan_port *port = &plan->ports[i];
		int error = pci_parse(port->options->device, NULL) ? check_nic(planner, port) : 0;

		if (error != 0)
			return error;
	}
	return 0;
}
