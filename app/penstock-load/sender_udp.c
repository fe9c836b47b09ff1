/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * UDP through the kernel. A port that nobody listens on shows: each ICMP answer is in the socket's
 * error queue (IP_RECVERR). Without that queue most are never seen, since an answer is the error of
 * the next datagram, and sendmmsg forgets what went wrong behind the first one of a call.
 */
#include <time.h> /* before linux/errqueue.h, which uses it */

#include <errno.h>
#include <linux/errqueue.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "penstock-load/mmsg.h"
#include "penstock-load/sender_table.h"

#define SEND_BUFFER (4 << 20) /* bytes; the kernel grants what net.core.wmem_max allows */
#define MESSAGE_MAX 65507 /* bytes of a UDP payload over IPv4 */
#define ANSWER_WAIT 100 /* ms that the answer to the last datagram may take */

struct udp {
	int fd;
	unsigned n_per_message;
	unsigned n_refused; /* answers that no datagram has been given yet */
	int refusal; /* errno of the last one */
	const atomic_bool *stopping;
};

/* Splits "HOST:PORT" or "[HOST]:PORT" in place. False when it has no port. */
static bool
split(char *target, const char **ret_host, const char **ret_port)
{
	char *colon = strrchr(target, ':');

	if (colon == NULL || colon == target || colon[1] == '\0')
		return false;
	*ret_port = colon + 1;
	*colon = '\0';
	if (target[0] == '[' && colon[-1] == ']') {
		colon[-1] = '\0';
		target++;
	}
	*ret_host = target;
	return true;
}

static int
connect_to(const char *host, const char *port, const char *target, struct error *error)
{
	struct addrinfo hints = {.ai_socktype = SOCK_DGRAM, .ai_flags = AI_NUMERICSERV}, *found;
	int size = SEND_BUFFER, result = getaddrinfo(host, port, &hints, &found), fd;

	if (result != 0)
		return error_fill(error, ENOENT, "udp:%s: %s.", target, gai_strerror(result));
	fd = socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, found->ai_addr, found->ai_addrlen) != 0) {
		result = error_fill(error, errno, "udp:%s: %s.", target, strerror(errno));
		if (fd >= 0)
			close(fd);
		freeaddrinfo(found);
		return result;
	}
	freeaddrinfo(found);
	/* Only a wish: a small buffer makes sends block earlier and loses nothing. */
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	return fd;
}

/* A socket has the option of its own family; one of IPv6 may carry IPv4 and then has both. */
static int
keep_answers(int fd)
{
	int on = 1;
	bool has_v4 = setsockopt(fd, IPPROTO_IP, IP_RECVERR, &on, sizeof(on)) == 0;
	bool has_v6 = setsockopt(fd, IPPROTO_IPV6, IPV6_RECVERR, &on, sizeof(on)) == 0;

	return has_v4 || has_v6 ? 0 : -errno;
}

static int
set_segments(struct udp *udp, const struct sender_options *options)
{
	int size = (int)options->datagram_size;

	if (setsockopt(udp->fd, IPPROTO_UDP, UDP_SEGMENT, &size, sizeof(size)) != 0)
		return -ENOTSUP;
	udp->n_per_message = MESSAGE_MAX / options->datagram_size;
	if (udp->n_per_message > SENDER_BATCH)
		udp->n_per_message = SENDER_BATCH;
	return 0;
}

static int
udp_close(void *state)
{
	struct udp *udp = state;

	close(udp->fd);
	free(udp);
	return 0;
}

static int
udp_open(const char *target, const struct sender_options *options, void **ret_state,
	struct error *error)
{
	struct udp *udp = calloc(1, sizeof(*udp));
	char *copy = strdup(target);
	const char *host, *port;
	int result;

	if (udp == NULL || copy == NULL)
		result = error_fill(error, ENOMEM, "Out of memory.");
	else if (!split(copy, &host, &port))
		result = error_fill(error, EINVAL, "udp:%s: say udp:HOST:PORT.", target);
	else
		result = connect_to(host, port, target, error);
	free(copy);
	if (result < 0) {
		free(udp);
		return result;
	}
	*udp = (struct udp){.fd = result, .n_per_message = 1, .stopping = options->stopping};
	result = mmsg_set_timeout(udp->fd, options->keeps_pace ? 0 : options->timeout);
	if (result == 0)
		result = keep_answers(udp->fd);
	if (result == 0 && options->has_segments)
		result = set_segments(udp, options);
	if (result != 0) {
		error_fill(error, -result, "udp:%s: cannot set the socket's options: %s.", target,
			strerror(-result));
		udp_close(udp);
		return result;
	}
	*ret_state = udp;
	return 0;
}

/* Reads one entry of the error queue. False when it is empty. */
static bool
read_answer(struct udp *udp)
{
	alignas(struct cmsghdr) char control[256];
	struct msghdr message = {.msg_control = control, .msg_controllen = sizeof(control)};

	if (recvmsg(udp->fd, &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
		return false;
	for (struct cmsghdr *at = CMSG_FIRSTHDR(&message); at != NULL;
		at = CMSG_NXTHDR(&message, at)) {
		struct sock_extended_err error;

		if (at->cmsg_len < CMSG_LEN(sizeof(error)))
			continue;
		memcpy(&error, CMSG_DATA(at), sizeof(error));
		/* One of this machine's own was the result of the send already. */
		if (error.ee_origin != SO_EE_ORIGIN_ICMP && error.ee_origin != SO_EE_ORIGIN_ICMP6)
			continue;
		udp->n_refused++;
		udp->refusal = (int)error.ee_errno;
	}
	return true;
}

static void
read_answers(struct udp *udp)
{
	while (read_answer(udp))
		;
}

/* An answer does not say to which datagram; the latest is as good as any. */
static void
udp_send(void *state, struct datagram *datagrams, unsigned n)
{
	struct udp *udp = state;

	mmsg_send(udp->fd, datagrams, n, udp->n_per_message, udp->stopping);
	read_answers(udp);
	while (n-- > 0 && udp->n_refused > 0) {
		if (datagrams[n].error != 0)
			continue;
		datagrams[n].error = udp->refusal;
		udp->n_refused--;
	}
}

static unsigned
udp_in_doubt(void *state, bool is_last, int *ret_error)
{
	struct udp *udp = state;
	struct pollfd wait = {.fd = udp->fd};

	if (!is_last)
		return SENDER_BATCH;
	/* The queue shows as an error, which need not be asked for. */
	poll(&wait, 1, ANSWER_WAIT);
	read_answers(udp);
	*ret_error = udp->refusal;
	return udp->n_refused;
}

const struct sender_driver sender_udp = {
	.scheme = "udp",
	.help = "HOST:PORT",
	.datagram_size = 1432, /* what fits an Ethernet frame after IPv6 and UDP, and some tunnel */
	.datagram_size_max = MESSAGE_MAX,
	.open = udp_open,
	.send = udp_send,
	.in_doubt = udp_in_doubt,
	.close = udp_close,
};
