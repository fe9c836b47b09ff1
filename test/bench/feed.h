/* SPDX-License-Identifier: BSD-3-Clause */
/* An input that hands out a load from memory, over and over: no device, no system call. */
#ifndef BENCH_FEED_H
#define BENCH_FEED_H

#include "input/driver.h"
#include "load.h"
#include "worker/worker.h"

struct feed {
	struct input input;
	struct worker *worker; /* that polls it */
	const struct load *load;
	uint16_t n_burst; /* payloads of a poll, BURST_MAX at most */
	bool is_leader; /* the worker's turn is over when this feed's is */
	uint64_t n_payloads; /* handed out, in all turns */
	uint64_t n_end; /* n_payloads at which the turn is over */
	uint64_t until; /* ns of measure_now at which it is, too */
	uint32_t n_polls;

	bool is_timed;
	uint64_t began, spent; /* ns of CPU time of the worker with this feed's bursts */
};

/* Adds the feed to the worker's inputs. Its fields but input and worker are the caller's to set;
 * closing the worker leaves it as it is. */
void feed_open(struct feed *feed, struct worker *worker);

/* Runs the worker, in this thread, until its leading feeds have worked for about so many ns of CPU
 * time or have handed out n payloads. */
void feed_run(struct feed *feed, uint64_t duration, uint64_t n);

#endif
