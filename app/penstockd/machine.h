/* SPDX-License-Identifier: BSD-3-Clause */
/* What this machine gives to this process: the facts that a plan is made from. */
#ifndef PENSTOCKD_MACHINE_H
#define PENSTOCKD_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MACHINE_CPUS_MAX 4096
#define MACHINE_PAGE_SIZES_MAX 8
#define MACHINE_NODES_MAX 64

struct machine_pages {
	uint64_t size; /* bytes of one */
	uint64_t total, free; /* pages */
};

struct machine_node {
	int number;
	uint64_t memory; /* bytes that this process may use; 0: none */
	struct machine_pages pages[MACHINE_PAGE_SIZES_MAX];
	size_t n_page_sizes;
	uint8_t distance[MACHINE_NODES_MAX]; /* to each node of the machine's list; 10: itself */
};

struct machine {
	const char *sys; /* "/sys" */
	/* The CPUs that affinity and cgroup leave to this process, ascending. */
	uint16_t cpu[MACHINE_CPUS_MAX];
	size_t n_cpus;

	bool can_be_tickless; /* the kernel knows of nohz_full */

	/* By CPU. */
	bool is_isolated[MACHINE_CPUS_MAX]; /* the scheduler keeps others off it */
	bool is_tickless[MACHINE_CPUS_MAX]; /* no timer tick while one thread runs (nohz_full) */
	uint16_t core[MACHINE_CPUS_MAX]; /* first thread of its physical core + 1; 0: not known */
	int16_t cpu_node[MACHINE_CPUS_MAX]; /* where n_nodes is not 0 */
	char governor[MACHINE_CPUS_MAX][16]; /* of its frequency; "": none, or not known */

	struct machine_node node[MACHINE_NODES_MAX]; /* NUMA nodes, ascending */
	size_t n_nodes; /* 0: not known */
	bool moves_pages; /* the kernel moves memory between nodes by itself (numa_balancing) */
	struct machine_pages pages[MACHINE_PAGE_SIZES_MAX];
	size_t n_page_sizes;
	uint64_t memory; /* bytes; 0: not known */
	uint64_t receive_size_max; /* net.core.rmem_max, bytes; 0: not known */
	uint64_t descriptors_max; /* files that may be open (RLIMIT_NOFILE); 0: not known */
};

/*
 * 0 or -errno. Opens only files of /proc and /sys. Isolated CPUs are not in the affinity that a
 * process inherits; they count as allowed where the cgroup allows them, unless somebody chose the
 * affinity (taskset, CPUAffinity=).
 */
int machine_read(struct machine *ret_machine);

/* The same with another folder than /sys, which must stay. */
int machine_read_from(const char *sys, struct machine *ret_machine);

/* Writes ascending CPUs as "0-3,6". */
void machine_list(const uint16_t *cpu, size_t n, char *text, size_t size);

/* The allowed ones. */
void machine_cpus(const struct machine *machine, char *text, size_t size);

bool machine_has_cpu(const struct machine *machine, unsigned cpu);

#endif
