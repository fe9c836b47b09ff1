/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockctl/client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* s: above what "flush" may take. */
#define REPLY_TIMEOUT 30
#define REPLY_MAX ((size_t)64 << 20)
#define N_PLACES 3

/* The order in which penstockd chooses, too. An empty text is a place that does not apply. */
static const char *
place(int index)
{
	static char text[sizeof(((struct sockaddr_un *)0)->sun_path)];
	const char *runtime = getenv("XDG_RUNTIME_DIR");

	text[0] = '\0';
	if (index == 0 && runtime != NULL && runtime[0] != '\0')
		snprintf(text, sizeof(text), "%s/penstock/admin.sock", runtime);
	else if (index == 1)
		snprintf(text, sizeof(text), "/tmp/penstock-%u/admin.sock", (unsigned)getuid());
	else if (index == 2)
		snprintf(text, sizeof(text), "/run/penstock/admin.sock");
	return text;
}

const char *
client_default_socket(void)
{
	const char *path = getenv("PENSTOCK_SOCKET");

	if (path != NULL && path[0] != '\0')
		return path;
	for (int i = 0; i < N_PLACES; i++) {
		path = place(i);
		if (path[0] != '\0' && access(path, F_OK) == 0)
			return path;
	}
	return NULL;
}

void
client_print_places(void)
{
	for (int i = 0; i < N_PLACES; i++)
		if (place(i)[0] != '\0')
			fprintf(stderr, "  %s\n", place(i));
}

static int
open_connection(const char *path)
{
	const struct timeval timeout = {.tv_sec = REPLY_TIMEOUT};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t size = strlen(path);
	int fd;

	if (size >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, size);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) != 0) {
		int error = errno;

		close(fd);
		return -error;
	}
	return fd;
}

static int
send_line(int fd, const char *command)
{
	char line[256];
	int size = snprintf(line, sizeof(line), "%s\n", command);

	return send(fd, line, (size_t)size, MSG_NOSIGNAL) == size ? 0 : -errno;
}

/* Reads until the daemon ends the connection. */
static int
read_reply(int fd, char **ret_reply, size_t *ret_size)
{
	size_t size = 0, capacity = 0;
	char *reply = NULL;
	ssize_t n = 1;

	while (n > 0) {
		if (size + 1 >= capacity) {
			char *larger;

			capacity = capacity != 0 ? 2 * capacity : 64 << 10;
			larger = capacity <= REPLY_MAX ? realloc(reply, capacity) : NULL;
			if (larger == NULL) {
				free(reply);
				return -ENOMEM;
			}
			reply = larger;
		}
		n = recv(fd, reply + size, capacity - 1 - size, 0);
		if (n > 0)
			size += (size_t)n;
	}
	if (n < 0) {
		free(reply);
		return -errno;
	}
	reply[size] = '\0';
	*ret_reply = reply;
	*ret_size = size;
	return 0;
}

int
client_ask(const char *path, const char *command, char **ret_reply, size_t *ret_size)
{
	int fd = open_connection(path), result;

	if (fd < 0)
		return fd;
	result = send_line(fd, command);
	if (result == 0)
		result = read_reply(fd, ret_reply, ret_size);
	close(fd);
	return result;
}
