/* SPDX-License-Identifier: BSD-3-Clause */
/* Which CPUs, memory and devices are near each other. Numbers of nodes are the kernel's: there may
 * be no node 0, and a node may have no memory or no CPU. */
#ifndef PENSTOCKD_MACHINE_TOPOLOGY_H
#define PENSTOCKD_MACHINE_TOPOLOGY_H

#include "penstockd/machine.h"

/* As the firmware's tables count (ACPI SLIT): 10 is the same node. */
#define MACHINE_DISTANCE_LOCAL 10
#define MACHINE_DISTANCE_REMOTE 20 /* where the machine does not say */

/* Fills in nodes, physical cores and governors from the files below machine->sys. */
void machine_read_topology(struct machine *machine);

/* Nodes that the cgroup keeps this process from have no memory for it. */
void machine_forbid_nodes(struct machine *machine);

/* NULL when there is none of that number. */
const struct machine_node *machine_node(const struct machine *machine, int number);

/* -1: not known. */
int machine_node_of(const struct machine *machine, unsigned cpu);

/* Writes the allowed CPUs of the node as "0-3,6". */
void machine_node_cpus(const struct machine *machine, int number, char *text, size_t size);

/* What is not known is not far. */
unsigned machine_distance(const struct machine *machine, int from, int to);

/* The node itself, or the nearest that has memory; -1: not known. */
int machine_memory_node(const struct machine *machine, int number);

/* Whether both are threads of one physical core. */
bool machine_share_core(const struct machine *machine, unsigned a, unsigned b);

#endif
