/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where datagrams go. A sender takes them in order and says of each whether it left this program;
 * one that could not be sent is not tried again, so that every datagram ends in one count.
 */
#ifndef PENSTOCK_LOAD_SENDER_H
#define PENSTOCK_LOAD_SENDER_H

#include <stdatomic.h>

#include "base/error.h"
#include "penstock-load/datagram.h"
#include "penstock-load/envelope.h"

#define SENDER_BATCH 32 /* datagrams handed over at once, at most */

struct sender_options {
	uint32_t datagram_size; /* bytes; no datagram is longer */
	bool has_segments; /* udp: hand over many datagrams in one call (UDP_SEGMENT) */
	bool keeps_pace; /* no send waits: a datagram that finds no room at once is not sent */
	int timeout; /* ms that one blocked send, or the wait for a link, may take */
	int64_t epoch; /* pcap: seconds, the time of the start in the file */
	struct envelope_options envelope; /* pcap and dpdk */
	const atomic_bool *stopping; /* set by a signal: a blocked send gives up */
};

struct sender_driver {
	const char *scheme; /* "udp" */
	const char *help; /* "HOST:PORT" */
	bool is_timeless; /* writes when each datagram is due instead of waiting for it */
	uint32_t datagram_size; /* default, bytes */
	uint32_t datagram_size_max;

	/* 0 and *ret_state, or -errno with error filled; -EINVAL when target has not the form of
	 * help. */
	int (*open)(const char *target, const struct sender_options *options, void **ret_state,
		struct error *error);

	/* Sets the error of each of n datagrams, n at most SENDER_BATCH. */
	void (*send)(void *state, struct datagram *datagrams, unsigned n);

	/* How many of the datagrams that were sent last may not have arrived yet; 0 where the
	 * sender cannot know. With is_last it waits for them, and those that it returns then are
	 * lost: ret_error is the errno. May be NULL: 0. */
	unsigned (*in_doubt)(void *state, bool is_last, int *ret_error);

	/* 0, or -errno when datagrams that were counted as sent are lost after all. */
	int (*close)(void *state);
};

/* The driver for "SCHEME:TARGET", and the target; NULL when there is none. */
const struct sender_driver *sender_find(const char *to, const char **ret_target);

/* Driver number i, or NULL past the last. */
const struct sender_driver *sender_at(unsigned i);

/* For drivers: fills error and returns -number. */
#endif
