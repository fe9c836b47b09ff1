/* SPDX-License-Identifier: BSD-3-Clause */
/* What this machine gives to this process: the facts that a plan is made from. */
#ifndef PENSTOCKD_MACHINE_H
#define PENSTOCKD_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MACHINE_CPUS_MAX 4096
#define MACHINE_PAGE_SIZES_MAX 8

struct machine_pages {
	uint64_t size; /* bytes of one */
	uint64_t total, free; /* pages */
};

struct machine {
	const char *sys; /* "/sys" */
	/* The CPUs that affinity and cgroup leave to this process, ascending. */
	uint16_t cpu[MACHINE_CPUS_MAX];
	size_t n_cpus;
	bool is_isolated[MACHINE_CPUS_MAX]; /* by CPU: the scheduler keeps others off it */
	struct machine_pages pages[MACHINE_PAGE_SIZES_MAX];
	size_t n_page_sizes;
	uint64_t memory; /* bytes; 0: not known */
	uint64_t receive_size_max; /* net.core.rmem_max, bytes; 0: not known */
	uint64_t descriptors_max; /* files that may be open (RLIMIT_NOFILE); 0: not known */
};

/* 0 or -errno. Opens only files of /proc and /sys. */
int machine_read(struct machine *ret_machine);

/* Writes the allowed CPUs as "0-3,6". */
void machine_cpus(const struct machine *machine, char *text, size_t size);

bool machine_has_cpu(const struct machine *machine, unsigned cpu);

#endif
