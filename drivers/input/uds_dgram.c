/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DogStatsD over a Unix datagram socket. The kernel never drops here: a full queue makes the
 * sender wait or refuses its send. How long the queue may be is net.unix.max_dgram_qlen alone;
 * SO_RCVBUF has no effect on a Unix socket (unix(7)) and is therefore not set.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/unix_socket.h"
#include "input/driver.h"
#include "input/receiver.h"

extern const struct input_ops input_ops_uds_dgram;

struct uds_dgram {
	struct input input;
	struct unix_socket socket;
	struct receiver receiver;
};

static const struct uds_dgram *
const_uds_dgram_of(const struct input *input)
{
	return container_of(input, const struct uds_dgram, input);
}

static struct uds_dgram *
uds_dgram_of(struct input *input)
{
	return container_of(input, struct uds_dgram, input);
}

static void
uds_dgram_close(struct input *input)
{
	struct uds_dgram *uds = uds_dgram_of(input);

	unix_socket_close(&uds->socket);
	receiver_free(&uds->receiver);
	free(uds);
}

static int
uds_dgram_open(const struct input_spec *spec, struct stats *stats, struct input **ret_input,
	struct error *error)
{
	struct uds_dgram *uds = calloc(1, sizeof(*uds));
	int err;

	if (uds == NULL)
		return error_fill(error, ENOMEM, "%s: no memory", spec->name);
	input_init(&uds->input, &input_ops_uds_dgram, spec, stats);
	uds->socket.fd = -1;
	if (receiver_init(&uds->receiver, spec->payload_max, false) != 0)
		err = error_fill(error, ENOMEM, "%s: no memory for %d datagrams of %u bytes",
			spec->name, BURST_MAX, spec->payload_max);
	else
		err = unix_socket_open(spec->address, SOCK_DGRAM, spec->socket_mode, &uds->socket,
			error);
	if (err < 0) {
		uds_dgram_close(&uds->input);
		return err;
	}
	*ret_input = &uds->input;
	return 0;
}

static void
uds_dgram_poll(struct input *input, struct burst *burst)
{
	struct uds_dgram *uds = uds_dgram_of(input);

	receiver_poll(&uds->receiver, input, uds->socket.fd, burst);
}

static void
uds_dgram_release(struct input *input, struct burst *burst)
{
	/* The slots are used again by the next poll. */
}

static int
uds_dgram_fd(const struct input *input)
{
	return const_uds_dgram_of(input)->socket.fd;
}

/* Senders get EPIPE from here on, also those that wait for room; what is queued can still be read,
 * and then a non-blocking read says EAGAIN as before. */
static void
uds_dgram_quiesce(struct input *input)
{
	struct uds_dgram *uds = uds_dgram_of(input);

	unix_socket_unlink(&uds->socket);
	shutdown(uds->socket.fd, SHUT_RD);
}

const struct input_ops input_ops_uds_dgram = {
	.name = "uds_dgram",
	.open = uds_dgram_open,
	.poll = uds_dgram_poll,
	.release = uds_dgram_release,
	.fd = uds_dgram_fd,
	.quiesce = uds_dgram_quiesce,
	.close = uds_dgram_close,
};
