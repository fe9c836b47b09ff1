/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockd/machine.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

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

/* The first line of a file of /proc or /sys without its newline; empty when there is none. */
static void
read_line(const char *path, char *line, size_t size)
{
	FILE *file = fopen(path, "re");

	line[0] = '\0';
	if (file == NULL)
		return;
	if (fgets(line, (int)size, file) == NULL)
		line[0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	fclose(file);
}

static uint64_t
read_number(const char *path)
{
	char line[64];

	read_line(path, line, sizeof(line));
	return strtoull(line, NULL, 10);
}

/* Marks the CPUs of a list such as "0-3,6"; stops where it is malformed. */
static void
mark_isolated(struct machine *machine, const char *list)
{
	while (*list != '\0') {
		char *end;
		unsigned long from = strtoul(list, &end, 10), to = from;

		if (end == list)
			return;
		if (*end == '-')
			to = strtoul(end + 1, &end, 10);
		for (; from <= to && from < MACHINE_CPUS_MAX; from++)
			machine->is_isolated[from] = true;
		list = end + (*end == ',');
	}
}

static void
read_isolated(struct machine *machine)
{
	char path[256], list[4096];

	snprintf(path, sizeof(path), "%s/devices/system/cpu/isolated", machine->sys);
	read_line(path, list, sizeof(list));
	mark_isolated(machine, list);
}

static void
read_page_size(struct machine *machine, const char *folder, const char *name)
{
	struct machine_pages *pages = &machine->pages[machine->n_page_sizes];
	unsigned long long kib;
	char path[640];

	if (machine->n_page_sizes == MACHINE_PAGE_SIZES_MAX ||
		sscanf(name, "hugepages-%llukB", &kib) != 1)
		return;
	pages->size = (uint64_t)kib << 10;
	snprintf(path, sizeof(path), "%s/%s/nr_hugepages", folder, name);
	pages->total = read_number(path);
	snprintf(path, sizeof(path), "%s/%s/free_hugepages", folder, name);
	pages->free = read_number(path);
	machine->n_page_sizes++;
}

static void
read_hugepages(struct machine *machine)
{
	char folder[256];
	struct dirent *entry;
	DIR *dir;

	snprintf(folder, sizeof(folder), "%s/kernel/mm/hugepages", machine->sys);
	dir = opendir(folder);
	if (dir == NULL)
		return;
	while ((entry = readdir(dir)) != NULL)
		read_page_size(machine, folder, entry->d_name);
	closedir(dir);
}

int
machine_read(struct machine *ret_machine)
{
	struct machine *machine = ret_machine;
	long pages = sysconf(_SC_PHYS_PAGES), page_size = sysconf(_SC_PAGESIZE);
	struct rlimit descriptors;
	int error;

	memset(machine, 0, sizeof(*machine));
	machine->sys = "/sys";
	error = read_cpus(machine);
	if (error != 0)
		return error;
	read_isolated(machine);
	read_hugepages(machine);
	if (pages > 0 && page_size > 0)
		machine->memory = (uint64_t)pages * (uint64_t)page_size;
	machine->receive_size_max = read_number("/proc/sys/net/core/rmem_max");
	if (getrlimit(RLIMIT_NOFILE, &descriptors) == 0)
		machine->descriptors_max = descriptors.rlim_cur;
	return 0;
}

void
machine_cpus(const struct machine *machine, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < machine->n_cpus && used < size;) {
		size_t last = i;

		while (last + 1 < machine->n_cpus &&
			machine->cpu[last + 1] == machine->cpu[last] + 1)
			last++;
		used += (size_t)snprintf(text + used, size - used, last > i ? "%s%u-%u" : "%s%u",
			i == 0 ? "" : ",", machine->cpu[i], machine->cpu[last]);
		i = last + 1;
	}
}

bool
machine_has_cpu(const struct machine *machine, unsigned cpu)
{
	for (size_t i = 0; i < machine->n_cpus; i++)
		if (machine->cpu[i] == cpu)
			return true;
	return false;
}
