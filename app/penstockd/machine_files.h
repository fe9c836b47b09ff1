/* SPDX-License-Identifier: BSD-3-Clause */
/* The few forms that files of /proc and /sys have. A file that is not there reads as empty. */
#ifndef PENSTOCKD_MACHINE_FILES_H
#define PENSTOCKD_MACHINE_FILES_H

#include "penstockd/machine.h"

/* The first line, without its newline. */
void machine_read_line(const char *path, char *line, size_t size);

/* The number at its beginning; 0 when there is none. */
uint64_t machine_read_number(const char *path);

/* Calls use with each number below MACHINE_CPUS_MAX of a list such as "0-3,6"; stops where it is
 * malformed. */
void machine_read_list(const char *path, void (*use)(void *context, unsigned number),
	void *context);

/* Fills in the hugepages of a folder with one folder for each size; returns how many sizes. */
size_t machine_read_pages(const char *folder, struct machine_pages pages[MACHINE_PAGE_SIZES_MAX]);

#endif
