/* SPDX-License-Identifier: BSD-3-Clause */
/* Everything that runs: opened in one order, closed in the reverse. */
#ifndef PENSTOCKD_DAEMON_H
#define PENSTOCKD_DAEMON_H

#include "admin/source.h"
#include "penstockd/arguments.h"
#include "penstockd/plan.h"
#include "worker/flusher.h"

struct daemon {
	struct plan *plan;
	struct options *options; /* the plan's; a reload exchanges some of them */
	const struct arguments *arguments; /* where a reload reads again */
	pthread_mutex_t reloading; /* held by a reload, and to end the time of reloads */
	_Atomic uint64_t generation; /* of the configuration: 1, and one more with every reload */
	struct budget budget;
	struct ceiling ceiling;
	struct context_limit limit;
	struct shard_conf shard;
	struct span *extra_tags;
	struct worker **worker; /* as in the plan */
	uint32_t n_workers;
	pthread_t slow_thread;
	bool slow_runs, flusher_runs;
	struct output **outputs;
	uint32_t n_outputs;
	struct flusher *flusher;
	struct server *server;
	struct http *http;
	struct admin_source source;
	_Atomic int state; /* enum state */
	uint64_t started; /* monotonic ns */
};

/* Opens outputs, ports, inputs, and starts the threads; on return datagrams are being taken in.
 * The daemon is zero but for options and arguments.
 * 0, or -errno with error filled; daemon_stop and daemon_close then undo what was done. */
int daemon_start(struct daemon *daemon, struct plan *plan, struct plan_error *error);

/* Puts into effect what a reload has changed in options. With reloading held. */
void daemon_apply(struct daemon *daemon);

/* Gives memory of a burst that is over back; about once a second, one thread. */
void daemon_trim(struct daemon *daemon);

/* Stops taking in, empties the queues and flushes, within stop_timeout. The ledger stays. */
void daemon_stop(struct daemon *daemon);

/* After daemon_stop: closes everything. */
void daemon_close(struct daemon *daemon);

/* The sum of all counters at this moment. Any thread. */
void daemon_ledger(struct daemon *daemon, struct ledger *ret_ledger);

#endif
