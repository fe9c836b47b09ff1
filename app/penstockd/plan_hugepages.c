/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A NIC is refused before anything is opened where its hugepages are missing. In ordinary memory
 * DPDK 22.11 starts all the same, and with virtio behind an IOMMU a frame in a thousand is then
 * written where nothing is mapped.
 */
#include "penstockd/plan_priv.h"

#include "penstockd/check.h"

#define PAGE_SIZE_USUAL (2u << 20) /* bytes; what sysctl vm.nr_hugepages counts on x86-64 */

static const struct plan_port *
find_nic(const struct plan *plan)
{
	for (uint32_t i = 0; i < plan->n_ports; i++)
		if (check_is_pci(plan->ports[i].options->device))
			return &plan->ports[i];
	return NULL;
}

/* What vm.nr_hugepages must be: pages that others have taken stay theirs. */
static uint64_t
pages_to_reserve(const struct machine *machine, uint64_t wanted)
{
	uint64_t taken = 0;

	for (size_t i = 0; i < machine->n_page_sizes; i++)
		if (machine->pages[i].size == PAGE_SIZE_USUAL)
			taken = machine->pages[i].total - machine->pages[i].free;
	return taken + (wanted + PAGE_SIZE_USUAL - 1) / PAGE_SIZE_USUAL;
}

int
plan_hugepages(struct planner *planner)
{
	const struct machine *machine = planner->machine;
	struct plan *plan = &planner->plan;
	const struct plan_port *nic = find_nic(plan);

	for (size_t i = 0; i < machine->n_page_sizes; i++)
		plan->hugepage_memory_free += machine->pages[i].free * machine->pages[i].size;
	if (nic == NULL)
		return 0;
	if (planner->options->hugepages == HUGEPAGES_OFF)
		return plan_refuse(planner, PLAN_EXIT_CONFIGURATION,
			"port %s: a NIC works in hugepages only, but penstock: hugepages is off: "
			"set it to auto",
			nic->options->name);
	if (plan->use_hugepages || !planner->asks_dpdk)
		return 0;
	return plan_refuse(planner, PLAN_EXIT_RESOURCE,
		"port %s: a NIC works in hugepages only: %llu MiB wanted, %llu MiB free: 'sysctl "
		"-w vm.nr_hugepages=%llu' reserves what is missing",
		nic->options->name, (unsigned long long)((plan->hugepage_memory + 0xfffff) >> 20),
		(unsigned long long)(plan->hugepage_memory_free >> 20),
		(unsigned long long)pages_to_reserve(machine, plan->hugepage_memory));
}
