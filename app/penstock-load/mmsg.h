/* SPDX-License-Identifier: BSD-3-Clause */
/* Datagrams through a connected socket, many in one system call. */
#ifndef PENSTOCK_LOAD_MMSG_H
#define PENSTOCK_LOAD_MMSG_H

#include "penstock-load/sender.h"

/*
 * Sets the error of each of n datagrams. n_per_message: how many neighbours make up one message,
 * which is 1 unless the socket has UDP_SEGMENT set. EINTR is an error only when stopping.
 */
void mmsg_send(int fd, struct datagram *datagrams, unsigned n, unsigned n_per_message,
	const atomic_bool *stopping);

/* How long a send on this socket may block, ms; 0: not at all. 0 or -errno. */
int mmsg_set_timeout(int fd, int timeout);

#endif
