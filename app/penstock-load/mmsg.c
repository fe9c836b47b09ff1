/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstock-load/mmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>

struct messages {
	struct mmsghdr header[SENDER_BATCH];
	struct iovec part[SENDER_BATCH];
	unsigned first[SENDER_BATCH + 1]; /* datagram that each message begins with */
	unsigned n;
};

static void
messages_fill(struct messages *messages, const struct datagram *datagrams, unsigned n,
	unsigned n_per_message)
{
	messages->n = 0;
	for (unsigned i = 0; i < n; i += n_per_message) {
		unsigned size = n - i < n_per_message ? n - i : n_per_message;

		messages->first[messages->n] = i;
		messages->header[messages->n++] = (struct mmsghdr){
			.msg_hdr = {.msg_iov = &messages->part[i], .msg_iovlen = size}};
	}
	messages->first[messages->n] = n;
	for (unsigned i = 0; i < n; i++)
		messages->part[i] =
			(struct iovec){.iov_base = datagrams[i].data, .iov_len = datagrams[i].size};
}

static void
set_errors(const struct messages *messages, struct datagram *datagrams, unsigned first,
	unsigned end, int error)
{
	for (unsigned i = messages->first[first]; i < messages->first[end]; i++)
		datagrams[i].error = error;
}

/* sendmmsg stops at the first message that fails and reports its error only when no other went
 * before it: the next call, which begins with that message, tells. */
void
mmsg_send(int fd, struct datagram *datagrams, unsigned n, unsigned n_per_message,
	const atomic_bool *stopping)
{
	struct messages messages;
	unsigned done = 0;

	messages_fill(&messages, datagrams, n, n_per_message);
	while (done < messages.n) {
		int sent = sendmmsg(fd, &messages.header[done], messages.n - done, MSG_NOSIGNAL);

		if (sent > 0) {
			set_errors(&messages, datagrams, done, done + (unsigned)sent, 0);
			done += (unsigned)sent;
		} else if (errno != EINTR || atomic_load(stopping)) {
			set_errors(&messages, datagrams, done, done + 1, errno);
			done++;
		}
	}
}

int
mmsg_set_timeout(int fd, int timeout)
{
	struct timeval limit = {.tv_sec = timeout / 1000, .tv_usec = timeout % 1000 * 1000};

	if (timeout == 0)
		return fcntl(fd, F_SETFL, O_NONBLOCK) == 0 ? 0 : -errno;
	return setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) == 0 ? 0 : -errno;
}
