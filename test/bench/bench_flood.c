/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contexts that were never seen before: how many a worker takes in (decode, canonical tags,
 * intern), and what is left of the rate of known lines when another sender floods it with them. A
 * new worker is made for each turn, so that every context of the flood is new in all turns.
 */
#include "assembly.h"
#include "feed.h"
#include "measure.h"
#include "replayed.h"

#define FLUSH_INTERVAL 10 /* s */
#define NEW_SERIES 500000
#define WARM_PASSES 3
/* A flood that takes about as much of the worker's time as the known lines do. */
#define FLOOD_BURST 6 /* payloads */

struct flood_side {
	struct assembly assembly;
	bool is_open;
	const struct load *hot_load, *flood_load;
	struct feed hot, flood;
};

static void
close_side(struct flood_side *side)
{
	if (!side->is_open)
		return;
	assembly_stop(&side->assembly);
	assembly_close(&side->assembly);
	side->is_open = false;
}

static void
open_side(struct flood_side *side)
{
	close_side(side);
	assembly_open(&side->assembly, 1, NULL, FLUSH_INTERVAL);
	side->is_open = true;
}

static void
prepare_reference(void *context)
{
	struct replayed *replayed = context;

	reference_free(replayed->reference);
	replayed->reference = reference_new(NEW_SERIES, true);
	replayed->n_payloads = 0;
}

static uint64_t
run_reference(void *context, uint64_t duration)
{
	struct replayed *replayed = context;

	return replayed_run(replayed, UINT32_MAX, replayed->load->n_payloads);
}

static void
prepare_new(void *context)
{
	struct flood_side *side = context;

	open_side(side);
	side->flood = (struct feed){.load = side->flood_load, .n_burst = BURST_MAX};
	feed_open(&side->flood, side->assembly.worker[0]);
}

/* Ends the program when a context was not new. */
static void
check_new(const struct flood_side *side, const struct load_part *sent, uint64_t n_series)
{
	struct stats stats;

	assembly_check(&side->assembly, side->flood_load->options->name, sent);
	assembly_stats(&side->assembly, &stats);
	if (stats.counter[STAT_worker_contexts_created] != n_series)
		measure_fail("contexts are missing");
}

static uint64_t
run_new(void *context, uint64_t duration)
{
	struct flood_side *side = context;
	const struct load_part *total = &side->flood_load->total;

	feed_run(&side->flood, UINT32_MAX, side->flood_load->n_payloads);
	check_new(side, total, total->n_lines);
	return total->n_lines;
}

static void
compare_new(const struct measure *measure, const struct load *load)
{
	struct replayed reference = {.load = load};
	struct flood_side side = {.flood_load = load};

	measure_compare(measure, load->options->name, "contexts", MEASURE_RATE,
		(const struct contestant[]){
			{"reference", prepare_reference, run_reference, &reference, NULL},
			{"worker", prepare_new, run_new, &side, NULL},
		},
		2);
	replayed_check(&reference);
	reference_free(reference.reference);
	close_side(&side);
}

static void
prepare_hot(void *context)
{
	struct flood_side *side = context;

	open_side(side);
	side->hot = (struct feed){.load = side->hot_load, .n_burst = BURST_MAX, .is_timed = true};
	feed_open(&side->hot, side->assembly.worker[0]);
	feed_run(&side->hot, UINT32_MAX, WARM_PASSES * (uint64_t)side->hot_load->n_payloads);
}

static void
prepare_both(void *context)
{
	struct flood_side *side = context;

	prepare_hot(side);
	side->flood = (struct feed){.load = side->flood_load,
		.n_burst = FLOOD_BURST,
		.until = UINT64_MAX};
	side->flood.n_end = side->flood_load->n_payloads;
	feed_open(&side->flood, side->assembly.worker[0]);
	side->flood.is_leader = true; /* without it there would be no flood */
}

static uint64_t
run_hot(void *context, uint64_t duration)
{
	struct flood_side *side = context;
	const struct load *load = side->hot_load;
	uint64_t before = side->hot.n_payloads;
	struct load_part sent, flood = {0};

	feed_run(&side->hot, duration, UINT64_MAX);
	sent = load_sent(load, side->hot.n_payloads);
	if (side->flood.n_payloads != 0)
		flood = load_sent(side->flood_load, side->flood.n_payloads);
	load_add(&sent, &flood);
	check_new(side, &sent, load->options->n_series + flood.n_lines);
	return load_sent(load, side->hot.n_payloads).n_lines - load_sent(load, before).n_lines;
}

static uint64_t
spent_on_hot(void *context)
{
	const struct flood_side *side = context;

	return side->hot.spent;
}

static void
compare_hot(const struct measure *measure, const struct load *hot, const struct load *flood)
{
	struct flood_side alone = {.hot_load = hot, .flood_load = flood};
	struct flood_side beside = {.hot_load = hot, .flood_load = flood};

	measure_compare(measure, hot->options->name, "lines", MEASURE_RATE,
		(const struct contestant[]){
			{"alone", prepare_hot, run_hot, &alone, spent_on_hot},
			{"beside a flood", prepare_both, run_hot, &beside, spent_on_hot},
		},
		2);
	close_side(&alone);
	close_side(&beside);
}

int
main(int argc, char **argv)
{
	struct load_options new_options = load_many("new contexts", NEW_SERIES, 1);
	const struct load_options hot_options = load_many("known lines", 10000, 4);
	struct measure measure;
	struct load flood, hot;

	new_options.prefix = "flood.";
	measure_init(&measure, 0.3, argc, argv);
	load_init(&flood, &new_options, measure.seed);
	load_init(&hot, &hot_options, measure.seed);
	if (measure_wants(&measure, new_options.name))
		compare_new(&measure, &flood);
	if (measure_wants(&measure, hot_options.name))
		compare_hot(&measure, &hot, &flood);
	load_done(&flood);
	load_done(&hot);
	return 0;
}
