/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * More series than fit into the caches: lines in memory, a whole worker with its flush thread
 * against the reference loop, which fetches keys ahead here.
 */
#include "assembly.h"
#include "feed.h"
#include "measure.h"
#include "replayed.h"

#define ROUNDS 2 /* of the load: each has its own order */
#define WARM_PASSES 2 /* over the load, before the first turn */
#define FLUSH_INTERVAL 10 /* s */

struct worker_side {
	struct assembly assembly;
	struct feed feed;
};

static uint64_t
run_reference(void *context, uint64_t duration)
{
	return replayed_run(context, duration, UINT64_MAX);
}

static uint64_t
run_worker(void *context, uint64_t duration)
{
	struct worker_side *side = context;
	const struct load *load = side->feed.load;
	uint64_t before = side->feed.n_payloads;

	feed_run(&side->feed, duration, UINT64_MAX);
	return load_sent(load, side->feed.n_payloads).n_lines - load_sent(load, before).n_lines;
}

static void
check_worker(struct worker_side *side)
{
	const struct load *load = side->feed.load;
	struct load_part sent = load_sent(load, side->feed.n_payloads);

	assembly_stop(&side->assembly);
	assembly_check(&side->assembly, load->options->name, &sent);
	assembly_check_output(&side->assembly, load->options->name, load->options->n_series);
}

static void
compare(const struct measure *measure, const struct load_options *options)
{
	struct worker_side side = {.feed.n_burst = BURST_MAX};
	struct replayed reference = {.reference = reference_new(options->n_series, true)};
	struct load load;

	load_init(&load, options, measure->seed);
	reference.load = side.feed.load = &load;
	assembly_open(&side.assembly, 1, NULL, FLUSH_INTERVAL);
	feed_open(&side.feed, side.assembly.worker[0]);
	replayed_run(&reference, UINT32_MAX, WARM_PASSES * (uint64_t)load.n_payloads);
	feed_run(&side.feed, UINT32_MAX, WARM_PASSES * (uint64_t)load.n_payloads);
	measure_compare(measure, options->name, "lines", MEASURE_RATE,
		(const struct contestant[]){
			{"reference", NULL, run_reference, &reference, NULL},
			{"worker", NULL, run_worker, &side, NULL},
		},
		2);
	replayed_check(&reference);
	check_worker(&side);
	assembly_close(&side.assembly);
	reference_free(reference.reference);
	load_done(&load);
}

int
main(int argc, char **argv)
{
	const struct load_options loads[] = {
		load_many("10k contexts", 10000, 4 * ROUNDS),
		load_many("100k contexts", 100000, ROUNDS),
		load_many("1M contexts", 1000000, ROUNDS),
	};
	struct measure measure;

	measure_init(&measure, 0.5, argc, argv);
	for (unsigned i = 0; i < ARRAY_LENGTH(loads); i++)
		if (measure_wants(&measure, loads[i].name))
			compare(&measure, &loads[i]);
	return 0;
}
