/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The flush thread: closes buckets on the bucket clock, collects them from the workers, merges
 * them and hands each flush to every output. Workers never wait for it; outputs never hold it up.
 */
#ifndef WORKER_FLUSHER_H
#define WORKER_FLUSHER_H

#include "agg/merge.h"
#include "output/output.h"
#include "worker/worker.h"

struct flusher_conf {
	struct merger_conf merger;
	uint32_t interval; /* seconds */
	const struct clock *clock;
	struct worker **workers;
	uint32_t n_workers;
	struct output **outputs;
	uint32_t n_outputs;
	struct budget *budget; /* of the shards */
};

struct flusher;

/* Starts the thread. Workers may start before or after. 0 or -errno. */
int flusher_start(const struct flusher_conf *conf, struct flusher **ret_flusher);

/* Closes the open bucket, within a second, and waits until every output has accepted or dropped it.
 * 0, or -ETIMEDOUT after so many ms. Any thread. */
int flusher_cut(struct flusher *flusher, int timeout);

/* What is made from a bucket from now on, that of the open one included. Any thread. */
void flusher_set_merger(struct flusher *flusher, const struct merger_conf *conf);

/* After the workers' threads ended: collects what is left and ends the thread. send_open: the
 * open bucket goes out, else it is forgotten. Returns the series that were forgotten. */
uint64_t flusher_stop(struct flusher *flusher, bool send_open);

struct flusher_status {
	uint64_t n_flushes;
	uint32_t series; /* over all shards */
	int64_t start; /* of the open bucket, seconds */
	int64_t skew; /* ns by which the wall clock is ahead of bucket time */
	uint64_t latency; /* ns from the last bucket's end to its hand-over */
};

void flusher_status(struct flusher *flusher, struct flusher_status *ret_status);

/* After flusher_stop and after the outputs are closed. NULL is fine. */
void flusher_free(struct flusher *flusher);

#endif
