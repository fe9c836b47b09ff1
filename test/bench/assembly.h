/* SPDX-License-Identifier: BSD-3-Clause */
/* Workers, the flush thread and a null output, as penstockd puts them together. */
#ifndef BENCH_ASSEMBLY_H
#define BENCH_ASSEMBLY_H

#include "load.h"
#include "output/output.h"
#include "worker/flusher.h"
#include "worker/worker.h"

#define ASSEMBLY_WORKERS_MAX 2
#define ASSEMBLY_MEMORY ((size_t)3 << 30) /* bytes for contexts and buckets */

struct assembly {
	struct budget budget;
	struct context_limit limit;
	struct shard_conf shard;
	struct input_spec input;
	struct worker *worker[ASSEMBLY_WORKERS_MAX];
	uint32_t n_workers;
	struct output *output;
	struct flusher *flusher;
};

/* port: what the only worker polls; NULL: workers without an input. interval: s between two
 * flushes. Ends the program when something does not open. */
void assembly_open(struct assembly *assembly, uint32_t n_workers, struct port *port,
	uint32_t interval);
void assembly_close(struct assembly *assembly);

/* Ends the flush thread, with the open bucket. */
void assembly_stop(struct assembly *assembly);

/* Closes the open bucket and waits until it is written. Not while nobody runs the workers. */
void assembly_flush(struct assembly *assembly);

/* All counters of all workers. */
void assembly_stats(const struct assembly *assembly, struct stats *ret_stats);

/* Every line that was sent was decoded and went to its end, and the ledger balances. Ends the
 * program when it is not so. */
void assembly_check(const struct assembly *assembly, const char *what,
	const struct load_part *sent);

/* After assembly_stop: so many different series came out, each at least once. */
void assembly_check_output(const struct assembly *assembly, const char *what, uint64_t n_series);

#endif
