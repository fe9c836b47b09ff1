/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An input as the worker sees it: it is polled for a burst, and takes the burst back. The worker
 * never learns what is behind it.
 */
#ifndef INPUT_INPUT_H
#define INPUT_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "dsd/burst.h"
#include "stats/stats.h"

struct account;
struct input;
struct port;

/* What to open, from the start-up plan. Strings are borrowed and outlive the input. */
struct input_spec {
	const char *driver; /* "udp", "uds_dgram", "uds_stream", "dpdk" */
	const char *name; /* in the ledger: "udp", "uds", "uds_stream", a port's name */
	uint16_t listener; /* its index in struct stats */
	const char *address; /* host to bind ("" is every address), or socket path */
	const char *udp_port; /* number, or "__random__" */
	uint32_t payload_max; /* bytes; sockets only */
	uint32_t receive_size; /* SO_RCVBUF in bytes; 0 leaves the system's */
	uint32_t socket_mode; /* of a Unix socket's file */
	bool eol_required;
	struct account *account; /* what its datagrams take while they wait; NULL: no limit */
	struct port *port; /* dpdk: an opened port … */
	uint16_t queue; /* … and which of its queues */
};

/* 0, or -errno with error filled; ret_input is untouched then. stats belongs to the worker that
 * will poll. -ENODEV: no such driver in this build. */
int input_open(const struct input_spec *spec, struct stats *stats, struct input **ret_input,
	struct error *error);

/* Fills burst (n = 0 when there is nothing) and counts what was received. Never blocks, takes at
 * most BURST_MAX datagrams. */
void input_poll(struct input *input, struct burst *burst);

/* Gives the burst's memory back. Called once for each poll that returned n > 0. */
void input_release(struct input *input, struct burst *burst);

/* Whether the last poll found as much as one can find, so that there is probably more. */
bool input_has_more(const struct input *input);

/* Whether the device says that its ring fills up. Worth asking when it has more. */
bool input_is_filling(struct input *input);

/* Whether what is not polled waits without being lost, for as long as it takes: a file, a stream.
 */
bool input_keeps_unread(const struct input *input);

/* The one of its spec. */
struct account *input_account(const struct input *input);

/* A descriptor that is readable when a poll would find something, or -1: then it must be polled.
 * An input may hold more than one burst from a single read, of which the descriptor tells nothing:
 * wait for it only after a poll that returned n = 0. */
int input_fd(const struct input *input);

/* Stops taking in: nothing new is accepted from senders, what was accepted can still be polled. It
 * is finite, and a poll that returns n = 0 has reached its end unless input_is_pending; the
 * descriptor may stay readable after that. */
void input_quiesce(struct input *input);

/* After input_quiesce: true while another worker may still hand something over, and of a queue that
 * is polled until some polls in a row have found nothing: one that did was not the end. */
bool input_is_pending(const struct input *input);

/* After the last poll of all workers, any thread: counts what was handed over and nobody took,
 * and what waited for a rest that did not come. */
void input_settle(struct input *input);

/* Brings counters that only the device or the kernel knows up to date. Owner only; may make
 * system calls, so once a second is enough. */
void input_refresh(struct input *input);

const char *input_name(const struct input *input);

/* Where it listens, for people: "127.0.0.1:8125". Valid until close. */
const char *input_address(const struct input *input);

void input_close(struct input *input);

#endif
