/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockd/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void
folder_of(const char *path, char *folder, size_t size)
{
	const char *slash = strrchr(path, '/');
	size_t length = slash != NULL && slash != path ? (size_t)(slash - path) : 1;

	snprintf(folder, size, "%.*s", (int)length, path);
}

int
folder_check(const char *folder)
{
	struct stat status;

	if (stat(folder, &status) != 0)
		return -errno;
	if (!S_ISDIR(status.st_mode))
		return -ENOTDIR;
	return faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0 ? 0 : -errno;
}

int
folder_check_private(const char *folder, char why[FOLDER_WHY_SIZE])
{
	struct stat status;

	if (lstat(folder, &status) != 0) {
		int error = errno;

		snprintf(why, FOLDER_WHY_SIZE, "%s: %s", folder, strerror(error));
		return -error;
	}
	if (S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
		(status.st_mode & (S_IRWXG | S_IRWXO)) == 0)
		return 0;
	snprintf(why, FOLDER_WHY_SIZE,
		"%s is not a folder that belongs to this user alone (owner %u, mode %04o): remove "
		"it, or set XDG_RUNTIME_DIR to a private folder",
		folder, (unsigned)status.st_uid, (unsigned)(status.st_mode & 07777));
	return -EPERM;
}

int
folder_make(const char *folder, bool is_private, char why[FOLDER_WHY_SIZE])
{
	if (mkdir(folder, is_private ? 0700 : 0755) != 0 && errno != EEXIST) {
		int error = errno;

		snprintf(why, FOLDER_WHY_SIZE, "cannot make the folder %s: %s", folder,
			strerror(error));
		return -error;
	}
	return is_private ? folder_check_private(folder, why) : 0;
}
