/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One value into a series that is in cache: into a sketch alone, and as a worker records it for a
 * timer or a distribution that it knows.
 */
#include <stdlib.h>

#include "agg/merge.h"
#include "agg/record.h"
#include "base/clock.h"
#include "base/compiler.h"
#include "latencies.h"
#include "measure.h"
#include "sketch/ddsketch.h"

#define INSERTS_PER_BUCKET (16 * LATENCIES) /* then it starts anew, as buckets do */

struct sketch_side {
	const double *values;
	uint64_t n; /* inserted, in all turns */
	uint64_t counted; /* as the sketches say */
	struct arena arena;
	struct ddsketch sketch;
};

struct series_side {
	const double *values;
	enum metric_type type;
	uint64_t n, counted, spent;
	struct stats stats;
	struct budget budget;
	struct context_limit limit;
	struct shard_conf conf;
	struct shard *shard;
	struct merger *merger;
	uint64_t epoch;
	uint32_t slot;
};

static void
start_anew(struct sketch_side *side)
{
	if (ddsketch_settle(&side->sketch, &side->arena) != 0)
		measure_fail("no memory for the sketch");
	for (uint32_t i = 0; i < side->sketch.n_bins; i++)
		side->counted += side->sketch.bins[i].n;
	side->sketch = (struct ddsketch){0};
	arena_reset(&side->arena);
}

static uint64_t
run_insert(void *context, uint64_t duration)
{
	struct sketch_side *side = context;
	uint64_t until = measure_now() + duration, n = side->n;

	do {
		for (unsigned i = 0; i < LATENCIES; i++)
			if (ddsketch_insert(&side->sketch, &side->arena, side->values[i], 1) != 0)
				measure_fail("no memory for the sketch");
		side->n += LATENCIES;
		if (side->n % INSERTS_PER_BUCKET == 0)
			start_anew(side);
	} while (measure_now() < until);
	return side->n - n;
}

static void
compare_sketch(const struct measure *measure, struct latencies *reference)
{
	static struct sketch_side side;

	side.values = reference->values;
	arena_init(&side.arena, NULL);
	measure_compare(measure, "hot sketch", "insert", MEASURE_COST,
		(const struct contestant[]){
			{"log and count", NULL, latencies_run, reference, NULL},
			{"ddsketch_insert", NULL, run_insert, &side, NULL},
		},
		2);
	start_anew(&side);
	if (side.counted != side.n)
		measure_fail("not every value was counted");
}

static void
open_series(struct series_side *side)
{
	const struct merger_conf merger = {.histogram = {.max = true, .count = true}};
	struct context_key key = {.type = side->type, .name = SPAN_LITERAL("hot")};

	side->limit.max = UINT32_MAX;
	budget_init(&side->budget, (size_t)1 << 30);
	side->conf = (struct shard_conf){.budget = &side->budget,
		.limit = &side->limit,
		.key = {.seed = 1, .payload_max = 1024}};
	side->shard = shard_new(&side->conf, &side->stats);
	side->merger = merger_new(&merger, 1, &side->budget);
	context_key_hash(&key, side->conf.key.seed);
	if (side->shard == NULL || side->merger == NULL ||
		shard_slot(side->shard, &key, &side->slot) != 0)
		measure_fail("no memory for a series");
}

/* What the flush thread does with a bucket; the worker never waits for it. */
static void
empty_bucket(struct series_side *side)
{
	struct bucket *bucket;
	struct flush *flush;

	if (!shard_swap(side->shard, ++side->epoch, clock_monotonic(&clock_system)))
		measure_fail("no memory for a bucket");
	while ((bucket = spsc_pop(&side->shard->filled)) != NULL) {
		side->counted += bucket->values[side->slot].n;
		merger_add(side->merger, 0, bucket);
		spsc_push(&side->shard->emptied, bucket);
	}
	flush = merger_finish(side->merger, (struct bucket_time){.start = 1, .interval = 10});
	if (flush == NULL)
		measure_fail("no memory for a flush");
	flush_unref(flush);
}

static void
fill_bucket(struct series_side *side)
{
	for (unsigned k = 0; k < INSERTS_PER_BUCKET / LATENCIES; k++)
		for (unsigned i = 0; i < LATENCIES; i++)
			if (record_sample(side->shard, side->slot, side->type, side->values[i], 1,
				    1) != 0)
				measure_fail("no memory for a sample");
	side->n += INSERTS_PER_BUCKET;
}

static uint64_t
run_series(void *context, uint64_t duration)
{
	struct series_side *side = context;
	uint64_t n = side->n, start;

	side->spent = 0;
	do {
		start = measure_now();
		fill_bucket(side);
		side->spent += measure_now() - start;
		empty_bucket(side);
	} while (side->spent < duration / 4); /* emptying takes longer than filling */
	return side->n - n;
}

static uint64_t
spent_on_series(void *context)
{
	const struct series_side *side = context;

	return side->spent;
}

static void
compare_series(const struct measure *measure, struct latencies *reference, const char *what,
	enum metric_type type)
{
	struct series_side side = {.values = reference->values, .type = type};

	open_series(&side);
	measure_compare(measure, what, "insert", MEASURE_COST,
		(const struct contestant[]){
			{"log and count", NULL, latencies_run, reference, NULL},
			{"record_sample", NULL, run_series, &side, spent_on_series},
		},
		2);
	if (side.counted != side.n)
		measure_fail("%s: not every value was recorded", what);
	shard_free(side.shard);
	merger_free(side.merger);
}

int
main(int argc, char **argv)
{
	static struct latencies reference;
	struct measure measure;

	measure_init(&measure, 0.2, argc, argv);
	latencies_init(&reference, measure.seed);
	compare_sketch(&measure, &reference);
	compare_series(&measure, &reference, "hot timer", METRIC_HISTOGRAM);
	compare_series(&measure, &reference, "hot distribution", METRIC_DISTRIBUTION);
	latencies_check(&reference);
	return 0;
}
