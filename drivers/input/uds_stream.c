/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DogStatsD over Unix stream connections: frames of a 4-byte length and a payload (input/stream.h).
 * All connections are read into one buffer, and a frame that lies there whole is handed out in
 * place; a connection keeps memory only for a frame that is not whole yet. Each poll reads a ready
 * connection once at most, in the order in which epoll goes round.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/unix_socket.h"
#include "input/driver.h"
#include "input/stream.h"

#define READ_SIZE (64U << 10)
#define EVENTS_MAX 64
#define ACCEPT_BUDGET 64
#define CONNECTIONS_MAX 4096
#define LOG_INTERVAL_NS (60 * (uint64_t)NS_PER_S)

struct connection {
	struct connection *next, *previous;
	int fd;
	struct stream stream;
};

extern const struct input_ops input_ops_uds_stream;

struct uds_stream {
	struct input input;
	struct unix_socket socket; /* the listener; closed once it is quiesced and empty */
	int epoll_fd;
	bool is_quiesced;
	bool is_paused; /* the listener is out of epoll: no room for a connection */
	uint32_t payload_max;
	uint32_t n_connections, connections_max;
	struct connection *connections;

	/* The connection whose last read is still being cut into frames, and what is left of it. */
	struct connection *current;
	struct span rest;

	/* Events that were fetched and not looked at yet. */
	int event, n_events;
	struct epoll_event events[EVENTS_MAX];

	uint64_t pause_told, too_long_told; /* when, monotonic ns; 0 is never */
	size_t used; /* bytes of buffer that frames of this burst, or rest, may lie in */
	uint8_t buffer[2 * READ_SIZE + BURST_TAILROOM];
};

static const struct uds_stream *
const_uds_stream_of(const struct input *input)
{
	return container_of(input, const struct uds_stream, input);
}

static struct uds_stream *
uds_stream_of(struct input *input)
{
	return container_of(input, struct uds_stream, input);
}

static int
watch(struct uds_stream *uds, int fd, void *what)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = what};

	return epoll_ctl(uds->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : -errno;
}

/* One line a minute about the same trouble; the counters have the rest. */
static bool
may_log(uint64_t *told)
{
	uint64_t now = clock_monotonic(&clock_system);

	if (*told != 0 && now - *told < LOG_INTERVAL_NS)
		return false;
	*told = now;
	return true;
}

/* A level-triggered listener that cannot be served would wake the worker for nothing. */
static void
pause_accept(struct uds_stream *uds, int number)
{
	if (epoll_ctl(uds->epoll_fd, EPOLL_CTL_DEL, uds->socket.fd, NULL) != 0)
		return;
	uds->is_paused = true;
	stats_add(uds->input.stats, STAT_worker_stream_pauses, 1);
	if (may_log(&uds->pause_told))
		log_warning("%s: new connections have to wait at %u of %u connections: %s",
			uds->input.name, uds->n_connections, uds->connections_max,
			number != 0 ? strerror(number) : "that is the limit");
}

static void
resume_accept(struct uds_stream *uds)
{
	if (uds->is_paused && uds->socket.fd >= 0 && uds->n_connections < uds->connections_max &&
		watch(uds, uds->socket.fd, NULL) == 0)
		uds->is_paused = false;
}

/* A client that goes on like this wants to know; its pid is the best name it has. */
static void
tell_too_long(struct uds_stream *uds, const struct connection *connection)
{
	struct ucred peer = {0};
	socklen_t size = sizeof(peer);

	if (!may_log(&uds->too_long_told))
		return;
	getsockopt(connection->fd, SOL_SOCKET, SO_PEERCRED, &peer, &size);
	log_warning("%s: process %d sent a frame of %u bytes, dogstatsd_buffer_size is %u: its "
		    "connection is closed",
		uds->input.name, (int)peer.pid, stream_claimed(&connection->stream),
		uds->payload_max);
}

/* What was begun and cannot be finished any more is a datagram received and dropped. */
static void
close_connection(struct uds_stream *uds, struct connection *connection)
{
	enum counter reason = stream_end(&connection->stream);

	if (reason != STAT_NONE) {
		stats_received(uds->input.stats, uds->input.listener, 1);
		stats_add(uds->input.stats, reason, 1);
	}
	if (reason == STAT_datagrams_dropped_frame_too_long)
		tell_too_long(uds, connection);
	if (connection->previous != NULL)
		connection->previous->next = connection->next;
	else
		uds->connections = connection->next;
	if (connection->next != NULL)
		connection->next->previous = connection->previous;
	close(connection->fd);
	stream_reset(&connection->stream);
	free(connection);
	uds->n_connections--;
	stats_add(uds->input.stats, STAT_worker_stream_disconnections, 1);
	resume_accept(uds);
}

static void
add_connection(struct uds_stream *uds, int fd)
{
	struct connection *connection = calloc(1, sizeof(*connection));

	if (connection == NULL || watch(uds, fd, connection) != 0) {
		stats_add(uds->input.stats, STAT_worker_stream_refused, 1);
		close(fd);
		free(connection);
		return;
	}
	connection->fd = fd;
	connection->stream.account = uds->input.account;
	connection->next = uds->connections;
	if (connection->next != NULL)
		connection->next->previous = connection;
	uds->connections = connection;
	uds->n_connections++;
	stats_add(uds->input.stats, STAT_worker_stream_connections, 1);
	if (uds->is_quiesced)
		shutdown(fd, SHUT_RD);
}

static void
accept_failed(struct uds_stream *uds, int number)
{
	switch (number) {
	case EINTR:
	case ECONNABORTED:
		return;
	case EAGAIN:
	case EINVAL: /* shut down and empty */
		if (uds->is_quiesced)
			unix_socket_close(&uds->socket);
		return;
	default: /* EMFILE, ENFILE, ENOBUFS, ENOMEM: it passes when something is closed */
		pause_accept(uds, number);
	}
}

static void
accept_connections(struct uds_stream *uds)
{
	for (int i = 0; i < ACCEPT_BUDGET; i++) {
		int fd;

		if (uds->n_connections >= uds->connections_max) {
			pause_accept(uds, 0);
			return;
		}
		fd = accept4(uds->socket.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd < 0) {
			accept_failed(uds, errno);
			return;
		}
		add_connection(uds, fd);
	}
}

/* Cuts what was read into frames, until it or the burst is used up. */
static void
hand_out(struct uds_stream *uds, struct burst *burst)
{
	struct stream_frame frame;

	while (uds->current != NULL && burst->n < BURST_MAX) {
		switch (stream_next(&uds->current->stream, uds->payload_max, &uds->rest, &frame)) {
		case STREAM_FRAME:
			input_add(&uds->input, burst, frame.payload);
			burst->handle[burst->n - 1] = frame.owned;
			break;
		case STREAM_BROKEN:
			close_connection(uds, uds->current);
			uds->current = NULL;
			break;
		default:
			uds->current = NULL;
		}
	}
}

/* One read. recv takes no control data: descriptors that a peer passes along are closed by the
 * kernel. */
static void
read_connection(struct uds_stream *uds, struct connection *connection, struct burst *burst)
{
	ssize_t n = recv(connection->fd, uds->buffer + uds->used, READ_SIZE, MSG_DONTWAIT);

	if (n > 0) {
		uds->current = connection;
		uds->rest = span_of(uds->buffer + uds->used, (size_t)n);
		uds->used += (size_t)n;
		hand_out(uds, burst);
	} else if (n == 0) {
		close_connection(uds, connection);
	} else if (errno != EAGAIN && errno != EINTR) {
		stats_add(uds->input.stats, STAT_datagrams_receive_errors, 1);
		close_connection(uds, connection);
	}
}

/* Looks at one set of events, as far as burst and buffer reach. False: there were none. */
static bool
turn(struct uds_stream *uds, struct burst *burst)
{
	if (uds->event == uds->n_events) {
		int n = epoll_wait(uds->epoll_fd, uds->events, EVENTS_MAX, 0);

		uds->event = 0;
		uds->n_events = n > 0 ? n : 0;
	}
	if (uds->n_events == 0)
		return false;
	while (uds->event < uds->n_events && burst->n < BURST_MAX) {
		struct connection *connection = uds->events[uds->event].data.ptr;

		if (burst->n == 0)
			uds->used = 0;
		if (uds->used > READ_SIZE) /* no room for a whole read */
			break;
		uds->event++;
		if (connection != NULL)
			read_connection(uds, connection, burst);
		else
			accept_connections(uds);
	}
	return true;
}

static void
uds_stream_poll(struct input *input, struct burst *burst)
{
	struct uds_stream *uds = uds_stream_of(input);

	burst->n = 0;
	hand_out(uds, burst);
	/* An end is promised to a quiesced input's first empty burst, and turns that only accept or
	 * close are not it. */
	while (burst->n < BURST_MAX && turn(uds, burst) && uds->is_quiesced && burst->n == 0)
		;
	if (burst->n > 0)
		burst->time = clock_monotonic(&clock_system);
}

static void
uds_stream_release(struct input *input, struct burst *burst)
{
	for (int i = 0; i < burst->n; i++)
		stream_free(burst->handle[i]);
}

static int
uds_stream_fd(const struct input *input)
{
	return const_uds_stream_of(input)->epoll_fd;
}

/* Clients that are connected, or wait to be accepted, have sent in good faith: they are read to
 * their end, which comes where they are now. */
static void
uds_stream_quiesce(struct input *input)
{
	struct uds_stream *uds = uds_stream_of(input);

	unix_socket_unlink(&uds->socket);
	shutdown(uds->socket.fd, SHUT_RD);
	for (struct connection *c = uds->connections; c != NULL; c = c->next)
		shutdown(c->fd, SHUT_RD);
	uds->is_quiesced = true;
	resume_accept(uds);
}

/* Descriptors may have become free elsewhere in the process. */
static void
uds_stream_refresh(struct input *input)
{
	resume_accept(uds_stream_of(input));
}

static void
uds_stream_close(struct input *input)
{
	struct uds_stream *uds = uds_stream_of(input);

	unix_socket_close(&uds->socket);
	while (uds->connections != NULL)
		close_connection(uds, uds->connections);
	if (uds->epoll_fd >= 0)
		close(uds->epoll_fd);
	free(uds);
}

/* Half of the descriptors stay for the rest of the process: outputs, files, other inputs. */
static uint32_t
connection_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur / 2 > CONNECTIONS_MAX)
		return CONNECTIONS_MAX;
	return (uint32_t)(limit.rlim_cur / 2);
}

static int
uds_stream_open(const struct input_spec *spec, struct stats *stats, struct input **ret_input,
	struct error *error)
{
	struct uds_stream *uds = calloc(1, sizeof(*uds));
	int err;

	if (uds == NULL)
		return error_fill(error, ENOMEM, "%s: no memory", spec->name);
	input_init(&uds->input, &input_ops_uds_stream, spec, stats);
	uds->input.keeps_unread = true; /* a client whose socket is full waits */
	uds->socket.fd = -1;
	uds->payload_max = spec->payload_max;
	uds->connections_max = connection_limit();
	uds->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (uds->epoll_fd < 0)
		err = error_fill(error, errno, "%s: cannot make an epoll: %s", spec->name,
			strerror(errno));
	else
		err = unix_socket_open(spec->address, SOCK_STREAM, spec->socket_mode, &uds->socket,
			error);
	if (err == 0 && (err = watch(uds, uds->socket.fd, NULL)) < 0)
		error_fill(error, -err, "%s: cannot watch its socket: %s", spec->name,
			strerror(-err));
	if (err < 0) {
		uds_stream_close(&uds->input);
		return err;
	}
	*ret_input = &uds->input;
	return 0;
}

const struct input_ops input_ops_uds_stream = {
	.name = "uds_stream",
	.open = uds_stream_open,
	.poll = uds_stream_poll,
	.release = uds_stream_release,
	.fd = uds_stream_fd,
	.quiesce = uds_stream_quiesce,
	.refresh = uds_stream_refresh,
	.close = uds_stream_close,
};
