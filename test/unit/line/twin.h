/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plain way and the cached way side by side: both get the same bursts, then every counter and
 * every point of their flushes must be equal, bit for bit. Used by the unit test and the fuzzer.
 */
#ifndef TEST_LINE_TWIN_H
#define TEST_LINE_TWIN_H

#include <stdio.h>
#include <stdlib.h>

#include "agg/merge.h"
#include "line/lines.h"

#define TWIN_PAYLOAD_MAX 8192
#define TWIN_CHECK(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			abort(); \
		} \
	} while (0)

struct way {
	struct budget budget;
	struct context_limit limit;
	struct shard_conf conf;
	struct stats stats;
	struct rejects rejects;
	struct shard *shard;
	struct lines lines;
	struct merger *merger;
};

struct twin {
	struct way plain, cached;
	struct burst burst;
	uint8_t *memory; /* the burst's payloads, each with its tail */
	size_t used;
	uint64_t epoch;
};

static void
way_open(struct way *way, const struct line_passes *passes, size_t cache_size)
{
	const struct merger_conf merger_conf = {
		.histogram = {.max = true,
			.min = true,
			.median = true,
			.avg = true,
			.count = true,
			.sum = true,
			.percentile = {95},
			.n_percentiles = 1},
	};
	const struct lines_conf conf = {
		.client_origin = true,
		.timestamps = true,
		.cache_size = cache_size,
		.passes = passes,
		.clock = &clock_system,
	};

	memset(way, 0, sizeof(*way));
	budget_init(&way->budget, (size_t)256 << 20);
	way->limit.max = 1000000;
	way->conf = (struct shard_conf){
		.key = {.seed = 1, .hostname = SPAN_LITERAL("h"), .payload_max = TWIN_PAYLOAD_MAX},
		.budget = &way->budget,
		.limit = &way->limit,
	};
	for (int type = 0; type < METRIC_TYPE_COUNT; type++)
		way->conf.expiry[type] = 20 * (uint64_t)NS_PER_S;
	way->shard = shard_new(&way->conf, &way->stats);
	TWIN_CHECK(way->shard != NULL);
	TWIN_CHECK(lines_init(&way->lines, &conf, way->shard, &way->stats, &way->rejects) == 0);
	way->merger = merger_new(&merger_conf, 1, &way->budget);
}

static void
way_close(struct way *way)
{
	merger_free(way->merger);
	lines_done(&way->lines);
	shard_free(way->shard);
	TWIN_CHECK(way->budget.used == 0);
}

static struct twin *
twin_open(const struct line_passes *passes)
{
	struct twin *twin = calloc(1, sizeof(*twin));

	way_open(&twin->plain, NULL, 0);
	way_open(&twin->cached, passes, 16 << 20);
	twin->burst.n = 0;
	twin->burst.time = NS_PER_S;
	twin->memory = calloc(BURST_MAX, TWIN_PAYLOAD_MAX + BURST_TAILROOM);
	twin->used = 0;
	twin->epoch = 0;
	return twin;
}

static void
twin_close(struct twin *twin)
{
	way_close(&twin->plain);
	way_close(&twin->cached);
	free(twin->memory);
	free(twin);
}

/* Both ways take the burst; it is empty afterwards and a little time has passed. */
static void
twin_take(struct twin *twin, uint64_t passes_ns)
{
	lines_take_plainly(&twin->plain.lines, &twin->burst);
	lines_take(&twin->cached.lines, &twin->burst);
	for (int i = 0; i < 4; i++)
		lines_sweep(&twin->cached.lines, twin->burst.time);
	twin->burst.n = 0;
	twin->used = 0;
	twin->burst.time += passes_ns;
	shard_expire(twin->plain.shard, twin->burst.time, 64);
	shard_expire(twin->cached.shard, twin->burst.time, 64);
}

/* Adds a datagram to the burst, which is taken when it is full. */
static void
twin_add(struct twin *twin, struct span payload, struct dgram like)
{
	uint8_t *copy = twin->memory + twin->used;

	if (payload.size > TWIN_PAYLOAD_MAX)
		payload.size = TWIN_PAYLOAD_MAX;
	if (payload.size != 0)
		memcpy(copy, payload.data, payload.size);
	/* What lies behind a payload must not matter. */
	memset(copy + payload.size, "\n:|#7"[payload.size % 5], BURST_TAILROOM);
	twin->used += payload.size + BURST_TAILROOM;
	like.payload = span_of(copy, payload.size);
	twin->burst.dgram[twin->burst.n++] = like;
	if (twin->burst.n == BURST_MAX)
		twin_take(twin, NS_PER_MS);
}

static struct flush *
way_flush(struct way *way, uint64_t epoch, uint64_t time)
{
	struct bucket *bucket;

	TWIN_CHECK(shard_swap(way->shard, epoch, time));
	while ((bucket = spsc_pop(&way->shard->filled)) != NULL) {
		merger_add(way->merger, 0, bucket);
		TWIN_CHECK(spsc_push(&way->shard->emptied, bucket));
	}
	return merger_finish(way->merger, (struct bucket_time){1000, 10});
}

static int
compare_points(const void *a, const void *b)
{
	const struct point *x = a, *y = b;
	const struct span part_x[] = {context_name(x->context), context_host(x->context),
		context_tags(x->context), x->suffix};
	const struct span part_y[] = {context_name(y->context), context_host(y->context),
		context_tags(y->context), y->suffix};

	for (size_t i = 0; i < 4; i++) {
		int order = span_compare(part_x[i], part_y[i]);

		if (order != 0)
			return order;
	}
	if (x->context->type != y->context->type)
		return x->context->type - y->context->type;
	/* Timestamped points are not merged; their order among equals is the order of the lines,
	 * and the flush keeps it: the address tells. */
	return x < y ? -1 : x > y;
}

static void
compare_sketches(const struct ddsketch *a, const struct ddsketch *b)
{
	TWIN_CHECK(a->count == b->count && a->n_bins == b->n_bins);
	TWIN_CHECK(memcmp(a->bins, b->bins, a->n_bins * sizeof(a->bins[0])) == 0);
	TWIN_CHECK(memcmp(&a->min, &b->min, 4 * sizeof(double)) == 0);
}

static void
compare_flushes(struct flush *a, struct flush *b)
{
	TWIN_CHECK(a->n_points == b->n_points && a->n_events == b->n_events);
	TWIN_CHECK(a->n_checks == b->n_checks && a->n_not_finite == b->n_not_finite);
	if (a->n_points == 0)
		return;
	qsort((struct point *)a->points, a->n_points, sizeof(a->points[0]), compare_points);
	qsort((struct point *)b->points, b->n_points, sizeof(b->points[0]), compare_points);
	for (size_t i = 0; i < a->n_points; i++) {
		const struct point *x = &a->points[i], *y = &b->points[i];

		TWIN_CHECK(context_equal(x->context, y->context));
		TWIN_CHECK(span_equal(x->suffix, y->suffix) && x->kind == y->kind);
		TWIN_CHECK(x->timestamp == y->timestamp);
		if (x->kind == POINT_SKETCH)
			compare_sketches(x->sketch, y->sketch);
		else
			TWIN_CHECK(memcmp(&x->value, &y->value, sizeof(double)) == 0);
	}
}

/* Ends the bucket of both and compares all that there is. */
static void
twin_compare(struct twin *twin)
{
	struct flush *a, *b;

	if (twin->burst.n != 0)
		twin_take(twin, NS_PER_MS);
	twin->epoch++;
	a = way_flush(&twin->plain, twin->epoch, twin->burst.time);
	b = way_flush(&twin->cached, twin->epoch, twin->burst.time);
	compare_flushes(a, b);
	flush_unref(a);
	flush_unref(b);
	for (enum counter i = STAT_NONE; i < STAT_COUNT; i++)
		TWIN_CHECK(i == STAT_worker_lines_known ||
			twin->plain.stats.counter[i] == twin->cached.stats.counter[i]);
	TWIN_CHECK(twin->plain.rejects.written == twin->cached.rejects.written);
}

#endif
