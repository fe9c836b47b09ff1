/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Takes datagrams from a socket, up to BURST_MAX in one system call, each into a slot of its own.
 * It is what UDP and Unix datagram inputs have in common; it does not own the socket.
 */
#ifndef INPUT_RECEIVER_H
#define INPUT_RECEIVER_H

#include <netinet/in.h>
#include <sys/socket.h>

#include "input/driver.h"

/* So many datagrams at once say that more are on the way: a socket's buffer, or that of one sender
 * to a Unix socket, is 208 KiB by default, and holds no more than 23 of 8 KiB. */
#define RECEIVER_FULL 8

struct receiver {
	uint32_t payload_max; /* bytes; what is longer is cut and marked */
	uint8_t *slots; /* BURST_MAX of payload_max + BURST_TAILROOM; owned */
	struct mmsghdr message[BURST_MAX];
	struct iovec part[BURST_MAX];
	struct sockaddr_in6 source[BURST_MAX]; /* large enough for IPv4 too */
};

/* has_source: the socket's family gives each datagram an IPv4 or IPv6 source. Slots that are never
 * written take no memory. 0 or -ENOMEM. */
int receiver_init(struct receiver *receiver, uint32_t payload_max, bool has_source);
void receiver_free(struct receiver *receiver);

/* Fills burst from the non-blocking socket fd and counts for input: datagrams, bytes, truncated
 * ones and failed calls. The payloads stay valid until the next call. */
void receiver_poll(struct receiver *receiver, struct input *input, int fd, struct burst *burst);

#endif
