/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A worker: one thread that polls its inputs and runs each burst to completion, from payload to
 * bucket. The slow path for sockets and a poll-mode core are the same worker with other inputs.
 *
 * All housekeeping (swap, expiry, publishing counters) happens in one place, every few turns.
 */
#ifndef WORKER_WORKER_H
#define WORKER_WORKER_H

#include <pthread.h>

#include "input/input.h"
#include "line/lines.h"
#include "worker/intake.h"
#include "worker/stages.h"

#define WORKER_INPUTS_MAX 16

/* What a worker does when its inputs that must be polled have nothing. */
enum worker_idle {
	WORKER_IDLE_POLL, /* poll again at once */
	WORKER_IDLE_PAUSE, /* with a pause instruction between */
	WORKER_IDLE_SLEEP, /* sleep for up to a millisecond */
};

struct worker_conf {
	const char *name; /* "slow", "worker1" */
	const struct input_spec *inputs;
	uint32_t n_inputs; /* WORKER_INPUTS_MAX at most */
	enum worker_idle idle;
	struct chunk_pool *pool; /* for the backlogs; NULL: there are none */
	const struct shard_conf *shard;
	struct lines_conf lines;
};

enum worker_command {
	WORKER_RUN,
	WORKER_DRAIN, /* stop taking in, decode what was taken in, end */
};

struct worker {
	/* The worker's own. */
	struct stats stats;
	struct shard *shard;
	struct lines lines;
	struct input *input[WORKER_INPUTS_MAX];
	struct intake_source source[WORKER_INPUTS_MAX]; /* the same inputs */
	struct intake intake;
	uint32_t n_inputs;
	bool has_left_unread; /* the drain's time was up before an input was at its end */
	bool must_poll; /* an input has no descriptor to wait for */
	uint32_t n_idle; /* turns without a datagram, in a row */
	uint32_t n_unpublished;
	uint64_t housekept_at, refresh_at; /* monotonic ns */
	struct stages stages;
	int epoll_fd;
	struct burst burst;
	const char *name;
	enum worker_idle idle;
	const struct clock *clock;

	/* Written by the worker, read by any thread. */
	cache_aligned struct stats_block published;
	struct rejects rejects;

	/* Written by the control and flush threads. */
	cache_aligned _Atomic uint64_t epoch_wanted;
	_Atomic uint32_t command; /* enum worker_command */
	_Atomic uint64_t drain_until; /* monotonic ns; set before the command */
	int wake_fd;
};

/* Opens the inputs in order. 0, or -errno with error filled and *ret_worker untouched. */
int worker_new(const struct worker_conf *conf, struct worker **ret_worker, struct error *error);

/* The thread's main function; returns when the worker was told to drain and has. */
void worker_run(struct worker *worker);

/* Any thread: asks for the epoch, and wakes the worker to see it. */
void worker_want_epoch(struct worker *worker, uint64_t epoch);

/* Any thread: drain within so many ns, then end. */
void worker_drain(struct worker *worker, uint64_t within);

/* After its thread ended: hands over what is left for the epoch and publishes the counters. */
void worker_finish(struct worker *worker, uint64_t epoch);

/* Closes the inputs; after worker_finish, or before the thread began. NULL is fine. */
void worker_free(struct worker *worker);

#endif
