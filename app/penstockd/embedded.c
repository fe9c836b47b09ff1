/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockd/embedded.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* So that the longest socket's path fits into struct sockaddr_un. */
#define RUNTIME_FOLDER_SIZE_MAX 70

static const char text_format[] = "dogstatsd_socket: \"%1$s/dogstatsd.sock\"\n"
				  "dogstatsd_stream_socket: \"%1$s/dogstatsd-stream.sock\"\n"
				  "penstock:\n"
				  "  ports:\n"
				  "    - name: port0\n"
				  "      device: \"net_memif0,role=server,socket-abstract=no,"
				  "socket=%1$s/memif.sock\"\n"
				  "  hugepages: off\n"
				  "  admin:\n"
				  "    socket: \"%1$s/admin.sock\"\n"
				  "    http: 127.0.0.1:8128\n"
				  "  outputs:\n"
				  "    - type: file\n"
				  "      path: \"%1$s/metrics.ndjson\"\n";

/* It becomes part of a device's arguments, where a comma would end it. */
static bool
is_usable(const char *folder)
{
	struct stat status;

	return folder[0] == '/' && strlen(folder) <= RUNTIME_FOLDER_SIZE_MAX &&
		strspn(folder,
			"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			"0123456789/-._") == strlen(folder) &&
		stat(folder, &status) == 0 && S_ISDIR(status.st_mode) &&
		access(folder, W_OK | X_OK) == 0;
}

void
embedded_folder(const char *runtime_folder, char *path, size_t size)
{
	if (runtime_folder != NULL && is_usable(runtime_folder))
		snprintf(path, size, "%s/penstock", runtime_folder);
	else
		snprintf(path, size, "/tmp/penstock-%u", (unsigned)geteuid());
}

char *
embedded_text(const char *folder)
{
	char *text;

	return asprintf(&text, text_format, folder) >= 0 ? text : NULL;
}
