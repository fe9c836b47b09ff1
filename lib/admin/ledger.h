/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where everything went, at one moment: the sum of all workers' counters and the counts of every
 * output. At each level what was received is the sum of the rest.
 */
#ifndef ADMIN_LEDGER_H
#define ADMIN_LEDGER_H

#include "output/output.h"
#include "stats/stats.h"
#include "wire/json.h"

#define LEDGER_OUTPUTS_MAX 16

struct ledger_output {
	char name[64];
	struct output_counts counts;
};

struct ledger {
	struct stats stats;
	uint64_t epoch; /* all counters were published in it or later */
	const char *listener[STATS_LISTENERS_MAX]; /* names; borrowed */
	size_t n_listeners;
	struct ledger_output output[LEDGER_OUTPUTS_MAX];
	size_t n_outputs;
};

/* Sum over all levels, the listeners and the outputs of |received - sum of where it went|. */
uint64_t ledger_difference(const struct ledger *ledger);

/* One object: "balanced", "difference", "epoch", then a member for each level, then "outputs". */
void ledger_write(const struct ledger *ledger, struct json *json);

#endif
