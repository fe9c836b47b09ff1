/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The configuration that holds when no file is given: no network card, no hugepages, no root. All
 * sockets and files stand in one private folder.
 */
#ifndef PENSTOCKD_EMBEDDED_H
#define PENSTOCKD_EMBEDDED_H

#include <stddef.h>

/* Writes the folder's path: $XDG_RUNTIME_DIR/penstock where that is set, exists and fits, else
 * /tmp/penstock-<uid>. runtime_folder is the variable's value or NULL. Creates nothing. */
void embedded_folder(const char *runtime_folder, char *path, size_t size);

/* The configuration as YAML, to be freed; NULL without memory. */
char *embedded_text(const char *folder);

#endif
