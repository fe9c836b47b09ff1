/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines with a timestamp of their own, which are passed on as they are: a whole worker, its flush
 * thread and the null output. No line comes twice: each turn has timestamps of its own. The
 * reference loop looks such lines up like all others, so each is a series of its own to it.
 */
#include "assembly.h"
#include "feed.h"
#include "measure.h"
#include "replayed.h"

#define FLUSH_INTERVAL 1 /* s: a turn's points fit into memory */
#define SERIES 10000
#define ROUNDS 50
#define FIRST_TIMESTAMP 1700000000

struct stamped_side {
	struct assembly assembly;
	struct feed feed;
	struct replayed reference;
	struct load_options options;
	struct load load;
	uint64_t seed;
	struct load_part sent; /* in all turns */
};

/* Later timestamps than in any turn before. */
static void
make_load(struct stamped_side *side)
{
	load_done(&side->load);
	side->options = load_many("timestamps", SERIES, ROUNDS);
	side->options.first_timestamp = FIRST_TIMESTAMP + (int64_t)(side->seed * ROUNDS);
	load_init(&side->load, &side->options, side->seed++);
}

static void
prepare_reference(void *context)
{
	struct stamped_side *side = context;

	make_load(side);
	reference_free(side->reference.reference);
	side->reference = (struct replayed){.load = &side->load,
		.reference = reference_new(SERIES * ROUNDS, true)};
}

static uint64_t
run_reference(void *context, uint64_t duration)
{
	struct stamped_side *side = context;

	return replayed_run(&side->reference, UINT32_MAX, side->load.n_payloads);
}

static void
prepare_worker(void *context)
{
	struct stamped_side *side = context;

	make_load(side);
	side->feed.load = &side->load;
	side->feed.n_payloads = 0;
}

static uint64_t
run_worker(void *context, uint64_t duration)
{
	struct stamped_side *side = context;

	feed_run(&side->feed, UINT32_MAX, side->load.n_payloads);
	load_add(&side->sent, &side->load.total);
	return side->load.total.n_lines;
}

static void
check_worker(struct stamped_side *side)
{
	struct output_counts counts;
	struct stats stats;

	assembly_stop(&side->assembly);
	assembly_check(&side->assembly, side->options.name, &side->sent);
	assembly_stats(&side->assembly, &stats);
	output_counts(side->assembly.output, &counts);
	if (stats.counter[STAT_lines_passed] != side->sent.n_lines ||
		counts.delivered != side->sent.n_lines)
		measure_fail("points are missing");
}

int
main(int argc, char **argv)
{
	struct stamped_side reference = {0}, worker = {.feed.n_burst = BURST_MAX};
	struct measure measure;

	measure_init(&measure, 1, argc, argv);
	reference.seed = worker.seed = measure.seed % 100000; /* timestamps of ten digits */
	assembly_open(&worker.assembly, 1, NULL, FLUSH_INTERVAL);
	feed_open(&worker.feed, worker.assembly.worker[0]);
	measure_compare(&measure, "timestamps", "lines", MEASURE_RATE,
		(const struct contestant[]){
			{"reference", prepare_reference, run_reference, &reference, NULL},
			{"worker", prepare_worker, run_worker, &worker, NULL},
		},
		2);
	check_worker(&worker);
	assembly_close(&worker.assembly);
	reference_free(reference.reference.reference);
	load_done(&reference.load);
	load_done(&worker.load);
	return 0;
}
