/* SPDX-License-Identifier: BSD-3-Clause */
#include "admin/server.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "admin/cutter.h"
#include "admin/request.h"
#include "base/clock.h"
#include "base/thread.h"
#include "base/unix_socket.h"

#define CONNECTIONS_MAX 16
#define N_OWN_FDS 3
#define REQUEST_SIZE 4096
#define READ_NS (2 * NS_PER_S) /* for the whole request */
#define WRITE_NS (5 * NS_PER_S) /* for the whole reply */
#define PAUSE_NS (NS_PER_S / 10) /* after an accept that failed (no descriptor left) */

enum connection_state {
	READING,
	WAITING, /* for a flush to begin */
	FLUSHING,
	REPLYING,
};

struct connection {
	int fd; /* -1: free */
	uint64_t deadline; /* monotonic, ns */
	enum connection_state state;
	size_t n_read, n_written;
	struct json reply;
	uint8_t request[REQUEST_SIZE];
};

struct server {
	const struct admin_source *source;
	struct unix_socket socket;
	struct cutter *cutter;
	bool is_flushing;
	int wake_fd; /* becomes readable when the thread has to end */
	pthread_t thread;
	bool has_thread;
	uint64_t paused_until; /* monotonic, ns: no accept before */
	struct connection connection[CONNECTIONS_MAX];
};

static uint64_t
now_ns(void)
{
	return clock_monotonic(&clock_system);
}

static void
disconnect(struct connection *connection)
{
	close(connection->fd);
	connection->fd = -1;
	json_done(&connection->reply);
}

static void
accept_one(struct server *server, struct connection *connection)
{
	int fd = accept4(server->socket.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd < 0) {
		server->paused_until = now_ns() + PAUSE_NS;
		return;
	}
	connection->fd = fd;
	connection->deadline = now_ns() + READ_NS;
	connection->state = READING;
	connection->n_read = connection->n_written = 0;
}

static void
begin_reply(struct connection *connection)
{
	json_newline(&connection->reply);
	connection->state = REPLYING;
	connection->deadline = now_ns() + WRITE_NS;
	if (connection->reply.failed)
		disconnect(connection);
}

static void
reply(struct server *server, struct connection *connection, size_t request_size)
{
	struct span request = span_of(connection->request, request_size);
	struct json *json = &connection->reply;

	if (request_size == REQUEST_SIZE) {
		json_object_begin(json);
		json_key_text(json, "error", "the request is too long");
		json_object_end(json);
	} else if (request_is_flush(request)) {
		connection->state = WAITING;
		connection->deadline = UINT64_MAX; /* the flush has its own */
		return;
	} else {
		request_answer(server->source, request, json);
	}
	begin_reply(connection);
}

/* One flush serves all that asked before it began. */
static void
start_flush(struct server *server)
{
	if (server->is_flushing)
		return;
	for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
		struct connection *connection = &server->connection[i];

		if (connection->fd < 0 || connection->state != WAITING)
			continue;
		connection->state = FLUSHING;
		server->is_flushing = true;
	}
	if (server->is_flushing)
		cutter_start(server->cutter);
}

static void
end_flush(struct server *server)
{
	int result = cutter_fetch(server->cutter);

	server->is_flushing = false;
	for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
		struct connection *connection = &server->connection[i];

		if (connection->fd < 0 || connection->state != FLUSHING)
			continue;
		request_answer_flush(result, &connection->reply);
		begin_reply(connection);
	}
}

/* A request ends at its newline, where the client stops sending, or where it is too long. */
static void
receive(struct server *server, struct connection *connection)
{
	ssize_t n = recv(connection->fd, connection->request + connection->n_read,
		REQUEST_SIZE - connection->n_read, 0);
	size_t size;

	if (n < 0) {
		if (errno != EAGAIN && errno != EINTR)
			disconnect(connection);
		return;
	}
	connection->n_read += (size_t)n;
	size = span_find(span_of(connection->request, connection->n_read), '\n');
	if (size < connection->n_read || n == 0 || size == REQUEST_SIZE)
		reply(server, connection, size);
}

static void
transmit(struct connection *connection)
{
	const struct json *json = &connection->reply;
	ssize_t n = send(connection->fd, json->text + connection->n_written,
		json->size - connection->n_written, MSG_NOSIGNAL);

	if (n < 0) {
		if (errno != EAGAIN && errno != EINTR)
			disconnect(connection);
		return;
	}
	connection->n_written += (size_t)n;
	if (connection->n_written == json->size)
		disconnect(connection);
}

static void
serve(struct server *server, struct connection *connection)
{
	switch (connection->state) {
	case READING:
		receive(server, connection);
		break;
	case REPLYING:
		transmit(connection);
		break;
	default: /* it has gone */
		disconnect(connection);
	}
}

/* The first three are the wake-up, the end of a flush and, while a connection is free, the
 * listening socket. Returns the ms until the next deadline, or -1. */
static int
prepare(struct server *server, struct pollfd *poll_fds, struct connection **ret_free)
{
	static const short events[] = {[READING] = POLLIN, [REPLYING] = POLLOUT};
	uint64_t now = now_ns(), next = UINT64_MAX;
	bool is_paused = server->paused_until > now;

	*ret_free = NULL;
	for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
		struct connection *connection = &server->connection[i];

		if (connection->fd >= 0 && connection->deadline <= now)
			disconnect(connection);
		if (connection->fd < 0)
			*ret_free = connection;
		else if (connection->deadline < next)
			next = connection->deadline;
		poll_fds[N_OWN_FDS + i] =
			(struct pollfd){.fd = connection->fd, .events = events[connection->state]};
	}
	poll_fds[0] = (struct pollfd){.fd = server->wake_fd, .events = POLLIN};
	poll_fds[1] = (struct pollfd){.fd = cutter_fd(server->cutter), .events = POLLIN};
	poll_fds[2] =
		(struct pollfd){.fd = *ret_free != NULL && !is_paused ? server->socket.fd : -1,
			.events = POLLIN};
	if (is_paused && server->paused_until < next)
		next = server->paused_until;
	return next == UINT64_MAX ? -1 : (int)((next - now) / NS_PER_MS) + 1;
}

static void *
run(void *argument)
{
	struct server *server = argument;
	struct pollfd poll_fds[N_OWN_FDS + CONNECTIONS_MAX];
	struct connection *free_connection;

	for (;;) {
		int timeout = prepare(server, poll_fds, &free_connection);

		if (poll(poll_fds, ARRAY_LENGTH(poll_fds), timeout) < 0)
			continue;
		if (poll_fds[0].revents != 0)
			return NULL;
		if (poll_fds[2].revents != 0)
			accept_one(server, free_connection);
		for (size_t i = 0; i < CONNECTIONS_MAX; i++)
			if (poll_fds[N_OWN_FDS + i].revents != 0)
				serve(server, &server->connection[i]);
		if (poll_fds[1].revents != 0)
			end_flush(server);
		start_flush(server);
	}
}

static int
start(struct server *server, const char *path, struct error *error)
{
	struct error reason;
	int result = unix_socket_open(path, SOCK_STREAM, 0660, &server->socket, &reason);

	if (result != 0)
		return error_fill(error, -result, "admin socket: %s", reason.text);
	server->wake_fd = eventfd(0, EFD_CLOEXEC);
	if (server->wake_fd < 0)
		return error_fill(error, errno, "admin socket: %s", strerror(errno));
	result = cutter_open(server->source, &server->cutter);
	if (result != 0)
		return error_fill(error, -result, "admin socket: %s", strerror(-result));
	result = thread_start(&server->thread, "admin", run, server);
	if (result != 0)
		return error_fill(error, -result, "admin socket: %s", strerror(-result));
	server->has_thread = true;
	return 0;
}

int
server_open(const char *path, const struct admin_source *source, struct server **ret_server,
	struct error *error)
{
	struct server *server = calloc(1, sizeof(*server));
	int result;

	if (server == NULL)
		return error_fill(error, ENOMEM, "admin socket: no memory");
	server->source = source;
	server->socket.fd = server->wake_fd = -1;
	for (size_t i = 0; i < CONNECTIONS_MAX; i++)
		server->connection[i].fd = -1;
	result = start(server, path, error);
	if (result != 0) {
		server_close(server);
		return result;
	}
	*ret_server = server;
	return 0;
}

void
server_close(struct server *server)
{
	if (server == NULL)
		return;
	if (server->has_thread) {
		eventfd_write(server->wake_fd, 1);
		pthread_join(server->thread, NULL);
	}
	cutter_close(server->cutter);
	for (size_t i = 0; i < CONNECTIONS_MAX; i++)
		if (server->connection[i].fd >= 0)
			disconnect(&server->connection[i]);
	unix_socket_close(&server->socket);
	if (server->wake_fd >= 0)
		close(server->wake_fd);
	free(server);
}
