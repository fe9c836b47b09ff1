/* SPDX-License-Identifier: BSD-3-Clause */
/* DogStatsD over an ordinary UDP socket, IPv4 and IPv6. */
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/sock_diag.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "input/driver.h"
#include "input/receiver.h"

#define RANDOM_PORT "__random__"

extern const struct input_ops input_ops_udp;

struct udp {
	struct input input;
	int fd;
	uint32_t drops; /* the kernel's count at the last refresh; it wraps */
	struct receiver receiver;
};

static const struct udp *
const_udp_of(const struct input *input)
{
	return container_of(input, const struct udp, input);
}

static struct udp *
udp_of(struct input *input)
{
	return container_of(input, struct udp, input);
}

/* The kernel grants less than asked without an error, and reports twice what it granted because
 * it counts its own bookkeeping in (socket(7)). */
static void
set_receive_size(int fd, const struct input_spec *spec)
{
	int wanted = spec->receive_size < INT_MAX ? (int)spec->receive_size : INT_MAX;
	int granted = 0;
	socklen_t size = sizeof(granted);

	if (spec->receive_size == 0)
		return;
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &wanted, sizeof(wanted));
	getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &granted, &size);
	if (granted / 2 < wanted)
		log_warning("%s: dogstatsd_so_rcvbuf asks for %d bytes and the kernel grants %d: "
			    "sysctl -w net.core.rmem_max=%d",
			spec->name, wanted, granted / 2, wanted);
}

static int
bind_address(const struct input_spec *spec, const struct addrinfo *address, int *ret_fd)
{
	int fd = socket(address->ai_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_UDP);
	int off = 0;
	int err;

	if (fd < 0)
		return -errno;
	if (address->ai_family == AF_INET6) /* [::] takes IPv4 too */
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	set_receive_size(fd, spec);
	if (bind(fd, address->ai_addr, address->ai_addrlen) != 0) {
		err = -errno;
		close(fd);
		return err;
	}
	*ret_fd = fd;
	return 0;
}

/* This machine cannot have such an address, so the next one of the list deserves a try. */
static bool
is_foreign(int err)
{
	return err == -EAFNOSUPPORT || err == -EADDRNOTAVAIL;
}

/* host NULL: every address of the family. */
static int
bind_host(const struct input_spec *spec, const char *host, int family, const char *port,
	int *ret_fd, struct error *error)
{
	const struct addrinfo hints = {.ai_family = family,
		.ai_socktype = SOCK_DGRAM,
		.ai_flags = AI_PASSIVE | AI_NUMERICSERV};
	struct addrinfo *list;
	int err = getaddrinfo(host, port, &hints, &list);

	if (err != 0)
		return error_fill(error, EADDRNOTAVAIL,
			"%s: cannot resolve bind_host %s: %s: give an address of this machine",
			spec->name, host != NULL ? host : "", gai_strerror(err));
	err = -EADDRNOTAVAIL;
	for (const struct addrinfo *a = list; a != NULL && is_foreign(err); a = a->ai_next)
		err = bind_address(spec, a, ret_fd);
	freeaddrinfo(list);
	if (err == -EADDRINUSE)
		error_fill(error, EADDRINUSE,
			"%s: UDP port %s is taken (ss -lunp names its owner): stop it or choose "
			"another "
			"dogstatsd_port",
			spec->name, port);
	else if (err < 0)
		error_fill(error, -err, "%s: cannot bind %s port %s: %s", spec->name,
			host != NULL ? host : "every address", port, strerror(-err));
	return err;
}

static bool
is_port(const char *text)
{
	char *end;
	unsigned long port;

	if (text == NULL || text[0] < '0' || text[0] > '9')
		return false;
	port = strtoul(text, &end, 10);
	return *end == '\0' && port >= 1 && port <= UINT16_MAX;
}

static int
bind_spec(const struct input_spec *spec, int *ret_fd, struct error *error)
{
	const char *host = spec->address;
	const char *port = spec->udp_port;
	int err;

	if (port != NULL && strcmp(port, RANDOM_PORT) == 0)
		port = "0";
	else if (!is_port(port))
		return error_fill(error, EINVAL,
			"%s: dogstatsd_port '%s' is neither a number from 1 to 65535 "
			"nor " RANDOM_PORT,
			spec->name, port != NULL ? port : "");
	if (host == NULL || host[0] == '\0') {
		err = bind_host(spec, NULL, AF_INET6, port, ret_fd, error);
		return is_foreign(err) ? bind_host(spec, NULL, AF_INET, port, ret_fd, error) : err;
	}
	/* What clients mean by it, whatever order the resolver would choose. */
	if (strcmp(host, "localhost") == 0)
		return bind_host(spec, "127.0.0.1", AF_INET, port, ret_fd, error);
	return bind_host(spec, host, AF_UNSPEC, port, ret_fd, error);
}

/* As the kernel sees it: the only place that knows which free port was taken. */
static void
describe(struct udp *udp)
{
	struct sockaddr_storage address;
	socklen_t size = sizeof(address);
	char host[64] = "?", port[8] = "?";
	bool is_v6;

	if (getsockname(udp->fd, (struct sockaddr *)&address, &size) != 0)
		return;
	is_v6 = address.ss_family == AF_INET6;
	getnameinfo((struct sockaddr *)&address, size, host, sizeof(host), port, sizeof(port),
		NI_NUMERICHOST | NI_NUMERICSERV);
	snprintf(udp->input.address, sizeof(udp->input.address), is_v6 ? "[%s]:%s" : "%s:%s", host,
		port);
}

static void
udp_close(struct input *input)
{
	struct udp *udp = udp_of(input);

	if (udp->fd >= 0)
		close(udp->fd);
	receiver_free(&udp->receiver);
	free(udp);
}

static int
udp_open(const struct input_spec *spec, struct stats *stats, struct input **ret_input,
	struct error *error)
{
	struct udp *udp = calloc(1, sizeof(*udp));
	int err;

	if (udp == NULL)
		return error_fill(error, ENOMEM, "%s: no memory", spec->name);
	input_init(&udp->input, &input_ops_udp, spec, stats);
	udp->fd = -1;
	if (receiver_init(&udp->receiver, spec->payload_max, true) != 0)
		err = error_fill(error, ENOMEM, "%s: no memory for %d datagrams of %u bytes",
			spec->name, BURST_MAX, spec->payload_max);
	else
		err = bind_spec(spec, &udp->fd, error);
	if (err < 0) {
		udp_close(&udp->input);
		return err;
	}
	describe(udp);
	*ret_input = &udp->input;
	return 0;
}

static void
udp_poll(struct input *input, struct burst *burst)
{
	struct udp *udp = udp_of(input);

	receiver_poll(&udp->receiver, input, udp->fd, burst);
}

static void
udp_release(struct input *input, struct burst *burst)
{
	/* The slots are used again by the next poll. */
}

static int
udp_fd(const struct input *input)
{
	return const_udp_of(input)->fd;
}

/* A filter that refuses every datagram: what is queued stays, and what still arrives is counted
 * by the kernel as a drop. */
static void
udp_quiesce(struct input *input)
{
	struct sock_filter refuse = BPF_STMT(BPF_RET | BPF_K, 0);
	const struct sock_fprog program = {1, &refuse};

	if (setsockopt(udp_of(input)->fd, SOL_SOCKET, SO_ATTACH_FILTER, &program,
		    sizeof(program)) != 0)
		log_warning("%s: still takes in datagrams while it drains: %s", input->name,
			strerror(errno));
}

/* What the kernel dropped was sent to us, so it was received and dropped. */
static void
udp_refresh(struct input *input)
{
	struct udp *udp = udp_of(input);
	uint32_t memory[SK_MEMINFO_VARS] = {0};
	socklen_t size = sizeof(memory);
	uint32_t n;

	if (getsockopt(udp->fd, SOL_SOCKET, SO_MEMINFO, memory, &size) != 0 ||
		size < (SK_MEMINFO_DROPS + 1) * sizeof(memory[0]))
		return;
	n = memory[SK_MEMINFO_DROPS] - udp->drops;
	udp->drops = memory[SK_MEMINFO_DROPS];
	stats_received(input->stats, input->listener, n);
	stats_add(input->stats, STAT_datagrams_dropped_kernel, n);
}

const struct input_ops input_ops_udp = {
	.name = "udp",
	.open = udp_open,
	.poll = udp_poll,
	.release = udp_release,
	.fd = udp_fd,
	.quiesce = udp_quiesce,
	.refresh = udp_refresh,
	.close = udp_close,
};
