/* SPDX-License-Identifier: BSD-3-Clause */
#include "intake.h"

#include "balance.h"
#include "base/clock.h"
#include "measure.h"

#define OUTPUT_TIMEOUT 60000 /* ms */

static void
open_worker(struct intake *intake, struct port *port)
{
	const struct worker_conf conf = {.name = "worker",
		.inputs = &intake->input,
		.n_inputs = port != NULL,
		.shard = &intake->shard,
		/* The share of the memory that penstockd gives it. */
		.lines = {.timestamps = true,
			.cache_size = INTAKE_MEMORY / 4,
			.clock = &clock_system}};
	struct error error;

	intake->input = (struct input_spec){.driver = "dpdk", .name = "port", .port = port};
	if (worker_new(&conf, &intake->worker[intake->n_workers], &error) != 0)
		measure_fail("%s", error.text);
	intake->n_workers++;
}

static void
open_flusher(struct intake *intake, uint32_t interval)
{
	const struct flusher_conf conf = {.interval = interval,
		.clock = &clock_system,
		.workers = intake->worker,
		.n_workers = intake->n_workers,
		.outputs = &intake->output,
		.n_outputs = 1,
		.budget = &intake->budget,
		.merger.histogram = {.max = true, .median = true, .avg = true, .count = true}};
	struct error error;

	if (output_open(&(struct output_spec){.type = "null", .name = "null"}, &intake->output,
		    &error) != 0)
		measure_fail("%s", error.text);
	if (flusher_start(&conf, &intake->flusher) != 0)
		measure_fail("no memory for the flush thread");
}

void
intake_open(struct intake *intake, uint32_t n_workers, struct port *port, uint32_t interval)
{
	*intake = (struct intake){.limit.max = UINT32_MAX};
	budget_init(&intake->budget, INTAKE_MEMORY);
	intake->shard = (struct shard_conf){.budget = &intake->budget,
		.limit = &intake->limit,
		.key = {.seed = 1, .hostname = SPAN_LITERAL("bench"), .payload_max = UINT16_MAX}};
	for (unsigned i = 0; i < METRIC_TYPE_COUNT; i++)
		intake->shard.expiry[i] = 300 * NS_PER_S;
	while (intake->n_workers < n_workers)
		open_worker(intake, port);
	open_flusher(intake, interval);
}

void
intake_stop(struct intake *intake)
{
	if (flusher_stop(intake->flusher, true) != 0)
		measure_fail("the last flush was forgotten");
	if (!output_drain(intake->output, OUTPUT_TIMEOUT))
		measure_fail("the null output hangs");
}

void
intake_close(struct intake *intake)
{
	for (uint32_t i = 0; i < intake->n_workers; i++)
		worker_free(intake->worker[i]);
	output_close(intake->output);
	flusher_free(intake->flusher);
}

void
intake_flush(struct intake *intake)
{
	if (flusher_cut(intake->flusher, OUTPUT_TIMEOUT) != 0)
		measure_fail("a flush takes too long");
}

void
intake_stats(const struct intake *intake, struct stats *ret_stats)
{
	*ret_stats = (struct stats){0};
	for (uint32_t i = 0; i < intake->n_workers; i++)
		for (enum counter c = STAT_NONE; c < STAT_COUNT; c++)
			ret_stats->counter[c] += intake->worker[i]->stats.counter[c];
}

void
intake_check(const struct intake *intake, const char *what, const struct load_part *sent)
{
	struct stats stats;

	intake_stats(intake, &stats);
	balance_check(&stats);
	if (stats.counter[STAT_lines_received] != sent->n_lines ||
		stats.counter[STAT_lines_aggregated] + stats.counter[STAT_lines_passed] !=
			sent->n_lines - sent->n_malformed ||
		stats.counter[STAT_samples_aggregated] + stats.counter[STAT_samples_passed] !=
			sent->n_samples)
		measure_fail("%s: lines are missing", what);
}

void
intake_check_output(const struct intake *intake, const char *what, uint64_t n_series)
{
	struct flusher_status status;
	struct output_counts counts;

	flusher_status(intake->flusher, &status);
	output_counts(intake->output, &counts);
	if (status.series != n_series || counts.delivered < n_series ||
		counts.delivered != counts.points)
		measure_fail("%s: series are missing", what);
}
