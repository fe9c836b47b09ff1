/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockd/machine_files.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
machine_read_line(const char *path, char *line, size_t size)
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

uint64_t
machine_read_number(const char *path)
{
	char line[64];

	machine_read_line(path, line, sizeof(line));
	return strtoull(line, NULL, 10);
}

void
machine_read_list(const char *path, void (*use)(void *context, unsigned number), void *context)
{
	char line[4096];

	machine_read_line(path, line, sizeof(line));
	for (const char *at = line; *at != '\0';) {
		char *end;
		unsigned long from = strtoul(at, &end, 10), to = from;

		if (end == at)
			return;
		if (*end == '-')
			to = strtoul(end + 1, &end, 10);
		for (; from <= to && from < MACHINE_CPUS_MAX; from++)
			use(context, (unsigned)from);
		at = end + (*end == ',');
	}
}

size_t
machine_read_pages(const char *folder, struct machine_pages pages[MACHINE_PAGE_SIZES_MAX])
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	size_t n = 0;

	if (dir == NULL)
		return 0;
	while (n < MACHINE_PAGE_SIZES_MAX && (entry = readdir(dir)) != NULL) {
		unsigned long long kib;
		char path[PATH_MAX];

		if (sscanf(entry->d_name, "hugepages-%llukB", &kib) != 1)
			continue;
		pages[n].size = (uint64_t)kib << 10;
		snprintf(path, sizeof(path), "%s/%s/nr_hugepages", folder, entry->d_name);
		pages[n].total = machine_read_number(path);
		snprintf(path, sizeof(path), "%s/%s/free_hugepages", folder, entry->d_name);
		pages[n++].free = machine_read_number(path);
	}
	closedir(dir);
	return n;
}
