/* SPDX-License-Identifier: BSD-3-Clause */
#include "input/receiver.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"

#define RECEIVE_TRIES 4

int
receiver_init(struct receiver *receiver, uint32_t payload_max, bool has_source)
{
	size_t slot_size = (size_t)payload_max + BURST_TAILROOM;

	receiver->payload_max = payload_max;
	receiver->slots = calloc(BURST_MAX, slot_size);
	if (receiver->slots == NULL)
		return -ENOMEM;
	for (int i = 0; i < BURST_MAX; i++) {
		receiver->part[i].iov_base = receiver->slots + i * slot_size;
		receiver->part[i].iov_len = payload_max;
		receiver->message[i].msg_hdr = (struct msghdr){
			.msg_name = has_source ? &receiver->source[i] : NULL,
			.msg_namelen = has_source ? sizeof(receiver->source[i]) : 0,
			.msg_iov = &receiver->part[i],
			.msg_iovlen = 1,
			/* No control buffer: descriptors that a peer passes along are closed by the
			 * kernel and never reach this process. */
		};
	}
	return 0;
}

void
receiver_free(struct receiver *receiver)
{
	free(receiver->slots);
	receiver->slots = NULL;
}

static void
set_source(struct dgram *dgram, const struct sockaddr_in6 *source)
{
	static const size_t mapped_prefix_size = 12; /* ::ffff:0:0/96, RFC 4291 2.5.5.2 */

	if (source->sin6_family == AF_INET) {
		dgram->source = (const uint8_t *)&((const struct sockaddr_in *)(const void *)source)
					->sin_addr;
		dgram->source_size = 4;
	} else if (IN6_IS_ADDR_V4MAPPED(&source->sin6_addr)) {
		dgram->source = source->sin6_addr.s6_addr + mapped_prefix_size;
		dgram->source_size = 4;
	} else {
		dgram->source = source->sin6_addr.s6_addr;
		dgram->source_size = 16;
	}
}

/* The message that was received as number i, into the burst. */
static void
take(struct receiver *receiver, struct input *input, struct burst *burst, int i)
{
	struct msghdr *header = &receiver->message[i].msg_hdr;
	struct span payload = span_of(header->msg_iov->iov_base, receiver->message[i].msg_len);
	struct dgram *dgram = input_add(input, burst, payload);

	if (header->msg_flags & MSG_TRUNC) {
		dgram->truncated = true;
		stats_add(input->stats, STAT_datagrams_truncated, 1);
	}
	if (header->msg_name != NULL) {
		set_source(dgram, header->msg_name);
		header->msg_namelen = sizeof(receiver->source[i]); /* the kernel overwrote it */
	}
}

/* A pending error of the socket (ICMP told something, say) is reported once, in place of data that
 * may be there: it must not look like an end. 0 when there is nothing. */
static int
receive(struct receiver *receiver, struct input *input, int fd)
{
	for (int i = 0; i < RECEIVE_TRIES; i++) {
		int n = recvmmsg(fd, receiver->message, BURST_MAX, MSG_DONTWAIT | MSG_CMSG_CLOEXEC,
			NULL);

		if (n >= 0)
			return n;
		if (errno == EAGAIN)
			return 0;
		if (errno != EINTR)
			stats_add(input->stats, STAT_datagrams_receive_errors, 1);
	}
	return 0;
}

void
receiver_poll(struct receiver *receiver, struct input *input, int fd, struct burst *burst)
{
	int n = receive(receiver, input, fd);

	burst->n = 0;
	input->has_more = n >= RECEIVER_FULL;
	for (int i = 0; i < n; i++)
		take(receiver, input, burst, i);
	if (n > 0)
		burst->time = clock_monotonic(&clock_system);
}
