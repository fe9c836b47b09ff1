/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The admin socket: a Unix stream socket of mode 0660, one thread (and one for flushes), one
 * request a connection. The reply ends with the connection. Idle, slow and talkative clients are
 * cut off.
 */
#ifndef ADMIN_SERVER_H
#define ADMIN_SERVER_H

#include "admin/source.h"

struct server;

/* A socket that nobody answers any more is replaced; anything else at path is refused. source is
 * borrowed until server_close. 0, or -errno with error filled. */
int server_open(const char *path, const struct admin_source *source, struct server **ret_server,
	struct error *error);

/* Ends the threads after the requests that they are in, and removes the socket. NULL is fine. */
void server_close(struct server *server);

#endif
