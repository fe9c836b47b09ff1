/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockd/machine.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "penstockd/machine_files.h"
#include "penstockd/machine_topology.h"

/* The cgroup's cpuset is part of the affinity that the kernel reports. */
static int
read_cpus(struct machine *machine)
{
	size_t size = CPU_ALLOC_SIZE(MACHINE_CPUS_MAX);
	cpu_set_t *set = CPU_ALLOC(MACHINE_CPUS_MAX);

	if (set == NULL)
		return -ENOMEM;
	CPU_ZERO_S(size, set);
	if (sched_getaffinity(0, size, set) != 0) {
		int error = errno;

		CPU_FREE(set);
		return -error;
	}
	for (unsigned cpu = 0; cpu < MACHINE_CPUS_MAX; cpu++)
		if (CPU_ISSET_S(cpu, size, set))
			machine->cpu[machine->n_cpus++] = (uint16_t)cpu;
	CPU_FREE(set);
	return 0;
}

static void
set_isolated(void *machine, unsigned cpu)
{
	((struct machine *)machine)->is_isolated[cpu] = true;
}

static void
set_tickless(void *machine, unsigned cpu)
{
	((struct machine *)machine)->is_tickless[cpu] = true;
}

static void
count(void *n, unsigned number)
{
	(void)number;
	++*(size_t *)n;
}

/* The CPUs that the thread would get if it asked for the isolated ones as well. */
static int
probe_isolated(struct machine *machine)
{
	size_t size = CPU_ALLOC_SIZE(MACHINE_CPUS_MAX);
	cpu_set_t *before = CPU_ALLOC(MACHINE_CPUS_MAX), *wanted = CPU_ALLOC(MACHINE_CPUS_MAX);
	int result = -ENOMEM;

	if (before == NULL || wanted == NULL || sched_getaffinity(0, size, before) != 0)
		goto end;
	memcpy(wanted, before, size);
	for (unsigned cpu = 0; cpu < MACHINE_CPUS_MAX; cpu++)
		if (machine->is_isolated[cpu])
			CPU_SET_S(cpu, size, wanted);
	result = 0;
	if (sched_setaffinity(0, size, wanted) != 0)
		goto end;
	machine->n_cpus = 0;
	result = read_cpus(machine);
	sched_setaffinity(0, size, before);
end:
	CPU_FREE(before);
	CPU_FREE(wanted);
	return result;
}

/* The affinity that everybody inherits is what is online and not isolated. */
static int
add_isolated(struct machine *machine)
{
	size_t n_online = 0, n_isolated = 0;
	char path[256];

	snprintf(path, sizeof(path), "%s/devices/system/cpu/online", machine->sys);
	machine_read_list(path, count, &n_online);
	for (size_t cpu = 0; cpu < MACHINE_CPUS_MAX; cpu++)
		n_isolated += machine->is_isolated[cpu];
	if (n_isolated == 0 || machine->n_cpus + n_isolated != n_online)
		return 0;
	for (size_t i = 0; i < machine->n_cpus; i++)
		if (machine->is_isolated[machine->cpu[i]])
			return 0;
	return probe_isolated(machine);
}

/* By the boot command line, or by a cpuset (a partition of its own, Linux 6.7). */
static int
read_isolation(struct machine *machine)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/devices/system/cpu/isolated", machine->sys);
	machine_read_list(path, set_isolated, machine);
	snprintf(path, sizeof(path), "%s/fs/cgroup/cpuset.cpus.isolated", machine->sys);
	machine_read_list(path, set_isolated, machine);
	snprintf(path, sizeof(path), "%s/devices/system/cpu/nohz_full", machine->sys);
	machine->can_be_tickless = access(path, F_OK) == 0;
	machine_read_list(path, set_tickless, machine);
	return add_isolated(machine);
}

int
machine_read_from(const char *sys, struct machine *ret_machine)
{
	struct machine *machine = ret_machine;
	long pages = sysconf(_SC_PHYS_PAGES), page_size = sysconf(_SC_PAGESIZE);
	struct rlimit descriptors;
	char path[256];
	int error;

	memset(machine, 0, sizeof(*machine));
	machine->sys = sys;
	error = read_cpus(machine);
	if (error != 0)
		return error;
	error = read_isolation(machine);
	if (error != 0)
		return error;
	snprintf(path, sizeof(path), "%s/kernel/mm/hugepages", sys);
	machine->n_page_sizes = machine_read_pages(path, machine->pages);
	machine_read_topology(machine);
	machine_forbid_nodes(machine);
	machine->moves_pages = machine_read_number("/proc/sys/kernel/numa_balancing") != 0;
	if (pages > 0 && page_size > 0)
		machine->memory = (uint64_t)pages * (uint64_t)page_size;
	machine->receive_size_max = machine_read_number("/proc/sys/net/core/rmem_max");
	if (getrlimit(RLIMIT_NOFILE, &descriptors) == 0)
		machine->descriptors_max = descriptors.rlim_cur;
	return 0;
}

int
machine_read(struct machine *ret_machine)
{
	return machine_read_from("/sys", ret_machine);
}

void
machine_list(const uint16_t *cpu, size_t n, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < n && used < size;) {
		size_t last = i;

		while (last + 1 < n && cpu[last + 1] == cpu[last] + 1)
			last++;
		used += (size_t)snprintf(text + used, size - used, last > i ? "%s%u-%u" : "%s%u",
			i == 0 ? "" : ",", cpu[i], cpu[last]);
		i = last + 1;
	}
}

void
machine_cpus(const struct machine *machine, char *text, size_t size)
{
	machine_list(machine->cpu, machine->n_cpus, text, size);
}

bool
machine_has_cpu(const struct machine *machine, unsigned cpu)
{
	for (size_t i = 0; i < machine->n_cpus; i++)
		if (machine->cpu[i] == cpu)
			return true;
	return false;
}
