/* SPDX-License-Identifier: BSD-3-Clause */
/* Folders that sockets and files stand in. */
#ifndef PENSTOCKD_FOLDER_H
#define PENSTOCKD_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#define FOLDER_WHY_SIZE 512

/* Writes the folder of an absolute path: "/" for "/a". */
void folder_of(const char *path, char *folder, size_t size);

/* 0 when the folder exists and this user may make files in it, else -errno. */
int folder_check(const char *folder);

/* 0 when it is a folder of this user that nobody else may enter; -ENOENT when there is none; else
 * -EPERM and why. A symbolic link is refused: in /tmp anybody could have put it there. */
int folder_check_private(const char *folder, char why[FOLDER_WHY_SIZE]);

/* Makes it where it is missing: mode 0700 and checked when private, else 0755. -errno and why. */
int folder_make(const char *folder, bool is_private, char why[FOLDER_WHY_SIZE]);

#endif
