/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A memif server greets whoever connects. When that peer has closed already, DPDK 22.11 frees the
 * connection and leaves its callback registered; the next peer then makes EAL panic. So memif is
 * told that a message to a peer that has gone was sent (the linker sends its call through here,
 * --wrap). That the peer has gone shows at the next read, and there the driver cleans up.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>

/* The names are the linker's. */
ssize_t __real_sendmsg(int fd, const struct msghdr *message, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags);

/* memif talks to its peers in EAL's interrupt thread; nobody else's messages are touched. */
static bool
is_interrupt_thread(void)
{
	char name[16];

	return prctl(PR_GET_NAME, name) == 0 && strcmp(name, "eal-intr-thread") == 0;
}

ssize_t
__wrap_sendmsg(int fd, const struct msghdr *message, int flags)
{
	ssize_t n, size = 0;

	if (!is_interrupt_thread())
		return __real_sendmsg(fd, message, flags);
	n = __real_sendmsg(fd, message, flags | MSG_NOSIGNAL);
	if (n >= 0 || (errno != EPIPE && errno != ECONNRESET))
		return n;
	for (size_t i = 0; i < message->msg_iovlen; i++)
		size += (ssize_t)message->msg_iov[i].iov_len;
	return size;
}
