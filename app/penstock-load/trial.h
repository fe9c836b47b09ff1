/* SPDX-License-Identifier: BSD-3-Clause */
/* One trial of a search: datagrams at a constant rate, and what became of them. */
#ifndef PENSTOCK_LOAD_TRIAL_H
#define PENSTOCK_LOAD_TRIAL_H

#include "base/error.h"
#include "penstock-load/replay.h"
#include "penstock-load/search.h"
#include "penstock-load/sender.h"

struct trial_bench {
	const struct sender_driver *driver;
	void *sender; /* the driver's state, opened with keeps_pace */
	struct replay replay;
	uint32_t next; /* datagram of the replay */
	uint64_t next_number; /* over all trials */
	const char *ledger; /* admin socket of the receiver */
	const atomic_bool *stopping;
	struct error error; /* of the last trial that failed */
};

/* As search_trial; context is a struct trial_bench. Says on stderr how it went. -EINTR: stopped. */
int trial_run(void *context, double rate, double seconds, struct trial *ret_trial);

#endif
