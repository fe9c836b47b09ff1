/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockd/machine_topology.h"

#include <limits.h>
#include <numa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "penstockd/machine_files.h"

static void
set_node(void *context, unsigned cpu)
{
	struct machine *machine = context;

	machine->cpu_node[cpu] = (int16_t)machine->node[machine->n_nodes].number;
}

/* "Node 1 MemTotal:       65536 kB" */
static uint64_t
read_node_memory(const char *folder)
{
	char path[PATH_MAX], line[128];
	unsigned long long kib = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/meminfo", folder);
	file = fopen(path, "re");
	if (file == NULL)
		return 0;
	while (kib == 0 && fgets(line, sizeof(line), file) != NULL)
		if (sscanf(line, "Node %*d MemTotal: %llu kB", &kib) != 1)
			kib = 0;
	fclose(file);
	return (uint64_t)kib << 10;
}

/* One number for each node that is online, in their order: "10 21". */
static void
read_distances(struct machine_node *node, const char *folder)
{
	char path[PATH_MAX], line[MACHINE_NODES_MAX * 4 + 1];
	const char *at = line;

	snprintf(path, sizeof(path), "%s/distance", folder);
	machine_read_line(path, line, sizeof(line));
	for (size_t i = 0; i < MACHINE_NODES_MAX; i++) {
		char *end;
		unsigned long distance = strtoul(at, &end, 10);

		if (end == at)
			return;
		node->distance[i] = (uint8_t)(distance < UINT8_MAX ? distance : UINT8_MAX);
		at = end;
	}
}

static void
add_node(void *context, unsigned number)
{
	struct machine *machine = context;
	struct machine_node *node = &machine->node[machine->n_nodes];
	char folder[PATH_MAX / 2], path[PATH_MAX];

	if (machine->n_nodes == MACHINE_NODES_MAX)
		return;
	snprintf(folder, sizeof(folder), "%s/devices/system/node/node%u", machine->sys, number);
	node->number = (int)number;
	node->memory = read_node_memory(folder);
	read_distances(node, folder);
	snprintf(path, sizeof(path), "%s/hugepages", folder);
	node->n_page_sizes = machine_read_pages(path, node->pages);
	snprintf(path, sizeof(path), "%s/cpulist", folder);
	machine_read_list(path, set_node, machine);
	machine->n_nodes++;
}

static void
read_cpu(struct machine *machine, unsigned cpu)
{
	char path[PATH_MAX], line[256];

	snprintf(path, sizeof(path), "%s/devices/system/cpu/cpu%u/topology/thread_siblings_list",
		machine->sys, cpu);
	machine_read_line(path, line, sizeof(line));
	if (line[0] != '\0')
		machine->core[cpu] = (uint16_t)(strtoul(line, NULL, 10) + 1);
	snprintf(path, sizeof(path), "%s/devices/system/cpu/cpu%u/cpufreq/scaling_governor",
		machine->sys, cpu);
	machine_read_line(path, machine->governor[cpu], sizeof(machine->governor[cpu]));
}

void
machine_read_topology(struct machine *machine)
{
	char path[PATH_MAX];

	for (size_t cpu = 0; cpu < MACHINE_CPUS_MAX; cpu++)
		machine->cpu_node[cpu] = -1;
	snprintf(path, sizeof(path), "%s/devices/system/node/online", machine->sys);
	machine_read_list(path, add_node, machine);
	for (size_t i = 0; i < machine->n_cpus; i++)
		read_cpu(machine, machine->cpu[i]);
}

void
machine_forbid_nodes(struct machine *machine)
{
	struct bitmask *allowed;

	if (numa_available() < 0)
		return;
	allowed = numa_get_mems_allowed();
	for (size_t i = 0; allowed != NULL && i < machine->n_nodes; i++)
		if (!numa_bitmask_isbitset(allowed, (unsigned)machine->node[i].number))
			machine->node[i].memory = 0;
	numa_bitmask_free(allowed);
}

const struct machine_node *
machine_node(const struct machine *machine, int number)
{
	for (size_t i = 0; i < machine->n_nodes; i++)
		if (machine->node[i].number == number)
			return &machine->node[i];
	return NULL;
}

int
machine_node_of(const struct machine *machine, unsigned cpu)
{
	return machine->n_nodes > 0 && cpu < MACHINE_CPUS_MAX ? machine->cpu_node[cpu] : -1;
}

void
machine_node_cpus(const struct machine *machine, int number, char *text, size_t size)
{
	uint16_t cpu[MACHINE_CPUS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < machine->n_cpus; i++)
		if (machine_node_of(machine, machine->cpu[i]) == number)
			cpu[n++] = machine->cpu[i];
	machine_list(cpu, n, text, size);
}

unsigned
machine_distance(const struct machine *machine, int from, int to)
{
	const struct machine_node *a = machine_node(machine, from), *b = machine_node(machine, to);
	uint8_t distance;

	if (a == NULL || b == NULL || a == b)
		return MACHINE_DISTANCE_LOCAL;
	distance = a->distance[b - machine->node];
	return distance > MACHINE_DISTANCE_LOCAL ? distance : MACHINE_DISTANCE_REMOTE;
}

int
machine_memory_node(const struct machine *machine, int number)
{
	const struct machine_node *nearest = NULL, *node = machine_node(machine, number);

	if (node == NULL || node->memory != 0)
		return node != NULL ? number : -1;
	for (size_t i = 0; i < machine->n_nodes; i++) {
		const struct machine_node *other = &machine->node[i];

		if (other->memory != 0 &&
			(nearest == NULL ||
				machine_distance(machine, number, other->number) <
					machine_distance(machine, number, nearest->number)))
			nearest = other;
	}
	return nearest != NULL ? nearest->number : -1;
}

bool
machine_share_core(const struct machine *machine, unsigned a, unsigned b)
{
	return a == b || (machine->core[a] != 0 && machine->core[a] == machine->core[b]);
}
