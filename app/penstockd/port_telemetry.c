/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockd/port_telemetry.h"

#include <errno.h>
#include <stdio.h>

#include "dpdk/telemetry.h"

static void
put_counters(struct telemetry *answer, const struct stats *stats)
{
	for (enum counter stat = STAT_NONE + 1; stat < STAT_COUNT; stat++) {
		const struct stat_info *info = &stat_info[stat];
		char name[64];

		snprintf(name, sizeof(name), "%s%s%s", info->group != NULL ? info->group : "",
			info->group != NULL ? "." : "", info->name);
		telemetry_number(answer, info->level, name, stats->counter[stat]);
	}
}

static void
put_ledger(void *context, struct telemetry *answer)
{
	struct ledger ledger;

	daemon_ledger(context, &ledger);
	telemetry_number(answer, NULL, "difference", ledger_difference(&ledger));
	telemetry_number(answer, NULL, "epoch", ledger.epoch);
	put_counters(answer, &ledger.stats);
	for (size_t i = 0; i < ledger.n_outputs; i++) {
		const struct ledger_output *output = &ledger.output[i];
		char name[96];

		snprintf(name, sizeof(name), "%.60s.points", output->name);
		telemetry_number(answer, "outputs", name, output->counts.points);
		snprintf(name, sizeof(name), "%.60s.delivered", output->name);
		telemetry_number(answer, "outputs", name, output->counts.delivered);
	}
}

static int
put_worker(void *context, unsigned number, struct telemetry *answer)
{
	struct daemon *daemon = context;
	struct stats stats = {0};
	struct worker *worker;

	if (number >= daemon->n_workers)
		return -EINVAL;
	worker = daemon->worker[number];
	telemetry_text(answer, NULL, "name", worker->name);
	telemetry_number(answer, NULL, "cpu", daemon->plan->workers[number].cpu);
	telemetry_number(answer, NULL, "epoch", stats_collect(&worker->published, &stats));
	telemetry_number(answer, NULL, "contexts",
		stats.counter[STAT_worker_contexts_created] -
			stats.counter[STAT_worker_contexts_expired]);
	for (uint32_t i = 0; i < worker->n_inputs; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%u", i);
		telemetry_text(answer, "inputs", name, input_address(worker->input[i]));
	}
	for (int i = 0; i < STAGE_COUNT; i++)
		telemetry_number(answer, "stages_ns", stage_name[i], stats.stage[i]);
	put_counters(answer, &stats);
	return 0;
}

int
port_telemetry_open(struct daemon *daemon)
{
	const struct telemetry_source source = {
		.context = daemon,
		.ledger = put_ledger,
		.worker = put_worker,
	};

	return telemetry_open(&source);
}

void
port_telemetry_close(void)
{
	telemetry_close();
}
