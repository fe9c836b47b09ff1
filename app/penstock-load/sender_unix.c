/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Unix sockets. A datagram socket takes one datagram as it is; a stream takes each behind its
 * length in 4 bytes, little end first. Sends block until the receiver has room or the timeout is
 * over. After an error that ends the connection, the next datagram is preceded by a new one.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "penstock-load/mmsg.h"
#include "penstock-load/sender_table.h"

#define SEND_BUFFER (1 << 20) /* bytes; the kernel grants what net.core.wmem_max allows */
#define DATAGRAM_MAX 65536 /* bytes */

struct unix_socket {
	int fd; /* -1 while there is no connection */
	int type; /* SOCK_DGRAM or SOCK_STREAM */
	int timeout; /* ms */
	struct sockaddr_un address;
	const atomic_bool *stopping;
};

/* 0 or -errno. */
static int
unix_connect(struct unix_socket *self)
{
	int size = SEND_BUFFER, result;
	int fd = socket(AF_UNIX, self->type | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	/* Only a wish: a small buffer makes sends block earlier and loses nothing. */
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	result = mmsg_set_timeout(fd, self->timeout);
	if (result == 0 &&
		connect(fd, (const struct sockaddr *)&self->address, sizeof(self->address)) != 0)
		result = -errno;
	if (result != 0) {
		close(fd);
		return result;
	}
	self->fd = fd;
	return 0;
}

static void
unix_disconnect(struct unix_socket *self)
{
	if (self->fd >= 0)
		close(self->fd);
	self->fd = -1;
}

static int
unix_open(const char *target, int type, const struct sender_options *options, void **ret_state,
	struct error *error)
{
	struct unix_socket *self;
	int result;

	if (target[0] == '\0' || strlen(target) >= sizeof(self->address.sun_path))
		return error_fill(error, EINVAL, "The path of a Unix socket has 1 to %zu bytes.",
			sizeof(self->address.sun_path) - 1);
	self = calloc(1, sizeof(*self));
	if (self == NULL)
		return error_fill(error, ENOMEM, "Out of memory.");
	*self = (struct unix_socket){.fd = -1,
		.type = type,
		.timeout = options->keeps_pace ? 0 : options->timeout,
		.address.sun_family = AF_UNIX,
		.stopping = options->stopping};
	memcpy(self->address.sun_path, target, strlen(target));
	result = unix_connect(self);
	if (result != 0) {
		error_fill(error, -result, "Cannot connect to %s: %s.", target, strerror(-result));
		free(self);
		return result;
	}
	*ret_state = self;
	return 0;
}

static int
dgram_open(const char *target, const struct sender_options *options, void **ret_state,
	struct error *error)
{
	return unix_open(target, SOCK_DGRAM, options, ret_state, error);
}

static int
stream_open(const char *target, const struct sender_options *options, void **ret_state,
	struct error *error)
{
	return unix_open(target, SOCK_STREAM, options, ret_state, error);
}

static int
unix_close(void *state)
{
	struct unix_socket *self = state;

	unix_disconnect(self);
	free(self);
	return 0;
}

static void
fail_all(struct datagram *datagrams, unsigned n, int error)
{
	for (unsigned i = 0; i < n; i++)
		datagrams[i].error = error;
}

static bool
ends_connection(int error)
{
	return error == ECONNREFUSED || error == ECONNRESET || error == ENOTCONN || error == EPIPE;
}

static void
dgram_send(void *state, struct datagram *datagrams, unsigned n)
{
	struct unix_socket *self = state;
	int result = self->fd < 0 ? unix_connect(self) : 0;

	if (result != 0) {
		fail_all(datagrams, n, -result);
		return;
	}
	mmsg_send(self->fd, datagrams, n, 1, self->stopping);
	for (unsigned i = 0; i < n; i++)
		if (ends_connection(datagrams[i].error))
			unix_disconnect(self);
}

/* Frames on their way into a stream: two parts each, length and payload. */
struct frames {
	uint32_t length[SENDER_BATCH]; /* little end first */
	struct iovec part[2 * SENDER_BATCH];
	unsigned next; /* the first part that is not written, or not completely */
	unsigned n; /* parts */
	bool is_begun; /* bytes of the current frame are written */
};

static void
frames_fill(struct frames *frames, const struct datagram *datagrams, unsigned n)
{
	frames->next = 0;
	frames->n = 2 * n;
	frames->is_begun = false;
	for (unsigned i = 0; i < n; i++) {
		frames->length[i] = htole32(datagrams[i].size);
		frames->part[2 * i] = (struct iovec){&frames->length[i], sizeof(uint32_t)};
		frames->part[2 * i + 1] = (struct iovec){datagrams[i].data, datagrams[i].size};
	}
}

static void
frames_advance(struct frames *frames, size_t written)
{
	while (frames->next < frames->n && written >= frames->part[frames->next].iov_len) {
		written -= frames->part[frames->next].iov_len;
		frames->next++;
	}
	if (written > 0) {
		struct iovec *part = &frames->part[frames->next];

		part->iov_base = (char *)part->iov_base + written;
		part->iov_len -= written;
	}
	frames->is_begun = written > 0 || frames->next % 2 != 0;
}

/* Gives up the current frame. A frame that is begun leaves the stream out of step, so that only a
 * new connection can follow. */
static void
frames_skip(struct frames *frames, struct unix_socket *self, struct datagram *datagrams, int error)
{
	unsigned frame = frames->next / 2;

	datagrams[frame].error = error;
	if (frames->is_begun || ends_connection(error))
		unix_disconnect(self);
	frames->next = 2 * (frame + 1);
	frames->is_begun = false;
}

static void
stream_send(void *state, struct datagram *datagrams, unsigned n)
{
	struct unix_socket *self = state;
	struct frames frames;

	fail_all(datagrams, n, 0);
	frames_fill(&frames, datagrams, n);
	while (frames.next < frames.n) {
		struct msghdr message = {.msg_iov = &frames.part[frames.next],
			.msg_iovlen = frames.n - frames.next};
		int result = self->fd < 0 ? unix_connect(self) : 0;
		ssize_t written;

		if (result != 0) {
			frames_skip(&frames, self, datagrams, -result);
			continue;
		}
		written = sendmsg(self->fd, &message, MSG_NOSIGNAL);
		if (written > 0)
			frames_advance(&frames, (size_t)written);
		else if (errno != EINTR || atomic_load(self->stopping))
			frames_skip(&frames, self, datagrams, errno);
	}
}

const struct sender_driver sender_unix = {
	.scheme = "uds",
	.help = "PATH",
	.datagram_size = 8192,
	.datagram_size_max = DATAGRAM_MAX,
	.open = dgram_open,
	.send = dgram_send,
	.close = unix_close,
};

const struct sender_driver sender_unix_stream = {
	.scheme = "uds-stream",
	.help = "PATH",
	.datagram_size = 8192,
	.datagram_size_max = DATAGRAM_MAX,
	.open = stream_open,
	.send = stream_send,
	.close = unix_close,
};
