/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A Unix socket that listens under a path. What a killed process left there is replaced; a socket
 * that a living process owns, and anything that is not a socket, is never touched.
 */
#ifndef BASE_UNIX_SOCKET_H
#define BASE_UNIX_SOCKET_H

#include <sys/types.h>
#include <sys/un.h>

#include "base/error.h"

struct unix_socket {
	int fd; /* -1: closed */
	dev_t device; /* which file is ours … */
	ino_t inode;
	struct sockaddr_un address; /* … and where it was made */
};

/* type: SOCK_DGRAM, or SOCK_STREAM, which also listens. mode: the file's permission bits; it never
 * has wider ones. Returns 0 with a non-blocking socket, or -errno with error filled: -EADDRINUSE a
 * living owner, -ENOTSOCK something else is there, -ENAMETOOLONG, -ENOENT no such folder … */
int unix_socket_open(const char *path, int type, mode_t mode, struct unix_socket *ret_socket,
	struct error *error);

/* For who binds without our help: removes what a killed process left at path, by the rules of open.
 * 0, also where nothing is, or -errno with error filled. */
int unix_socket_make_room(const char *path, struct error *error);

/* Removes the file, if it is still the one that open made. The socket stays open. */
void unix_socket_unlink(struct unix_socket *socket);

/* Removes the file and closes. A closed one stays closed. */
void unix_socket_close(struct unix_socket *socket);

#endif
