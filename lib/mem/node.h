/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * On which NUMA node the memory goes that the calling thread touches first. By default that is the
 * node of the CPU on which it runs: right for what a pinned thread makes for itself, wrong for what
 * one thread makes for another.
 */
#ifndef MEM_NODE_H
#define MEM_NODE_H

#include <stdbool.h>

#define NODE_BITS 1024 /* the kernel's largest CONFIG_NODES_SHIFT */

/* What was in force before. */
struct node_policy {
	bool changed;
	int mode;
	unsigned long nodes[NODE_BITS / (8 * sizeof(unsigned long))];
};

/* From now on pages come from the node, and from others only where it has none left. -1 changes
 * nothing. 0, or -errno with nothing changed: no such node, or the kernel does not let us (some
 * containers). */
int node_prefer(int node, struct node_policy *ret_before);

void node_restore(const struct node_policy *before);

#endif
