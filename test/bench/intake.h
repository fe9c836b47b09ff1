/* SPDX-License-Identifier: BSD-3-Clause */
/* Workers, the flush thread and a null output, as penstockd puts them together. */
#ifndef BENCH_INTAKE_H
#define BENCH_INTAKE_H

#include "load.h"
#include "output/output.h"
#include "worker/flusher.h"
#include "worker/worker.h"

#define INTAKE_WORKERS_MAX 2
#define INTAKE_MEMORY ((size_t)3 << 30) /* bytes for contexts and buckets */

struct intake {
	struct budget budget;
	struct context_limit limit;
	struct shard_conf shard;
	struct input_spec input;
	struct worker *worker[INTAKE_WORKERS_MAX];
	uint32_t n_workers;
	struct output *output;
	struct flusher *flusher;
};

/* port: what the only worker polls; NULL: workers without an input. interval: s between two
 * flushes. Ends the program when something does not open. */
void intake_open(struct intake *intake, uint32_t n_workers, struct port *port, uint32_t interval);
void intake_close(struct intake *intake);

/* Ends the flush thread, with the open bucket. */
void intake_stop(struct intake *intake);

/* Closes the open bucket and waits until it is written. Not while nobody runs the workers. */
void intake_flush(struct intake *intake);

/* All counters of all workers. */
void intake_stats(const struct intake *intake, struct stats *ret_stats);

/* Every line that was sent was decoded and went to its end, and the ledger balances. Ends the
 * program when it is not so. */
void intake_check(const struct intake *intake, const char *what, const struct load_part *sent);

/* After intake_stop: so many different series came out, each at least once. */
void intake_check_output(const struct intake *intake, const char *what, uint64_t n_series);

#endif
