/* SPDX-License-Identifier: BSD-3-Clause */
#include "assembly.h"

#include "balance.h"
#include "base/clock.h"
#include "measure.h"

#define OUTPUT_TIMEOUT 60000 /* ms */

static void
open_worker(struct assembly *assembly, struct port *port)
{
	const struct worker_conf conf = {.name = "worker",
		.inputs = &assembly->input,
		.n_inputs = port != NULL,
		.shard = &assembly->shard,
		/* The share of the memory that penstockd gives it. */
		.lines = {.timestamps = true,
			.cache_size = ASSEMBLY_MEMORY / 4,
			.clock = &clock_system}};
	struct error error;

	assembly->input = (struct input_spec){.driver = "dpdk", .name = "port", .port = port};
	if (worker_new(&conf, &assembly->worker[assembly->n_workers], &error) != 0)
		measure_fail("%s", error.text);
	assembly->n_workers++;
}

static void
open_flusher(struct assembly *assembly, uint32_t interval)
{
	const struct flusher_conf conf = {.interval = interval,
		.clock = &clock_system,
		.workers = assembly->worker,
		.n_workers = assembly->n_workers,
		.outputs = &assembly->output,
		.n_outputs = 1,
		.budget = &assembly->budget,
		.merger.histogram = {.max = true, .median = true, .avg = true, .count = true}};
	struct error error;

	if (output_open(&(struct output_spec){.type = "null", .name = "null"}, &assembly->output,
		    &error) != 0)
		measure_fail("%s", error.text);
	if (flusher_start(&conf, &assembly->flusher) != 0)
		measure_fail("no memory for the flush thread");
}

void
assembly_open(struct assembly *assembly, uint32_t n_workers, struct port *port, uint32_t interval)
{
	*assembly = (struct assembly){.limit.max = UINT32_MAX};
	budget_init(&assembly->budget, ASSEMBLY_MEMORY);
	assembly->shard = (struct shard_conf){.budget = &assembly->budget,
		.limit = &assembly->limit,
		.key = {.seed = 1, .hostname = SPAN_LITERAL("bench"), .payload_max = UINT16_MAX}};
	for (unsigned i = 0; i < METRIC_TYPE_COUNT; i++)
		assembly->shard.expiry[i] = 300 * NS_PER_S;
	while (assembly->n_workers < n_workers)
		open_worker(assembly, port);
	open_flusher(assembly, interval);
}

void
assembly_stop(struct assembly *assembly)
{
	if (flusher_stop(assembly->flusher, true) != 0)
		measure_fail("the last flush was forgotten");
	if (!output_drain(assembly->output, OUTPUT_TIMEOUT))
		measure_fail("the null output hangs");
}

void
assembly_close(struct assembly *assembly)
{
	for (uint32_t i = 0; i < assembly->n_workers; i++)
		worker_free(assembly->worker[i]);
	output_close(assembly->output);
	flusher_free(assembly->flusher);
}

void
assembly_flush(struct assembly *assembly)
{
	if (flusher_cut(assembly->flusher, OUTPUT_TIMEOUT) != 0)
		measure_fail("a flush takes too long");
}

void
assembly_stats(const struct assembly *assembly, struct stats *ret_stats)
{
	*ret_stats = (struct stats){0};
	for (uint32_t i = 0; i < assembly->n_workers; i++)
		for (enum counter c = STAT_NONE; c < STAT_COUNT; c++)
			ret_stats->counter[c] += assembly->worker[i]->stats.counter[c];
}

void
assembly_check(const struct assembly *assembly, const char *what, const struct load_part *sent)
{
	struct stats stats;

	assembly_stats(assembly, &stats);
	balance_check(&stats);
	if (stats.counter[STAT_lines_received] != sent->n_lines ||
		stats.counter[STAT_lines_aggregated] + stats.counter[STAT_lines_passed] !=
			sent->n_lines - sent->n_malformed ||
		stats.counter[STAT_samples_aggregated] + stats.counter[STAT_samples_passed] !=
			sent->n_samples)
		measure_fail("%s: lines are missing", what);
}

void
assembly_check_output(const struct assembly *assembly, const char *what, uint64_t n_series)
{
	struct flusher_status status;
	struct output_counts counts;

	flusher_status(assembly->flusher, &status);
	output_counts(assembly->output, &counts);
	if (status.series != n_series || counts.delivered < n_series ||
		counts.delivered != counts.points)
		measure_fail("%s: series are missing", what);
}
