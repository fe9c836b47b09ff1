/* SPDX-License-Identifier: BSD-3-Clause */
#include "agg/merge.h"

#include <assert.h>
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "agg/flush_build.h"
#include "mem/pages.h"

/* A context over all shards; by its slot in the merger's own table. */
struct series {
	struct value value; /* of this flush; n is 0 when untouched */
	uint32_t last_seen; /* start of the last bucket with samples, seconds, modulo 2^32 */
	uint32_t n_slots : 31; /* shard slots that stand for it */
	uint32_t is_ending : 1; /* in the list of those that may have none left */
};

struct slot_map {
	uint32_t *series_after; /* by shard slot: its series + 1, or 0 */
	size_t n_max; /* room */
};

struct merger {
	struct merger_conf conf;
	struct budget *budget;
	struct context_table contexts;
	struct series *series;
	uint32_t *touched, *ending; /* room for every series */
	size_t series_max, touched_max, ending_max; /* room */
	uint32_t n_touched, n_ending;
	struct flush_build *build; /* the flush that is being put together */
	uint64_t n_flushes;
	struct weighted_sample *samples; /* scratch of the histograms */
	size_t samples_max;
	char percentile_name[PERCENTILES_MAX][16];
	uint32_t n_shards;
	struct slot_map map[];
};

static_assert(SLOT_NONE + 1 == 0, "a map of zeros leads nowhere");

struct merger *
merger_new(const struct merger_conf *conf, uint32_t n_shards, struct budget *budget)
{
	struct merger *m = calloc(1, sizeof(*m) + n_shards * sizeof(m->map[0]));

	if (m == NULL)
		return NULL;
	m->conf = *conf;
	m->budget = budget;
	m->n_shards = n_shards;
	for (uint32_t i = 0; i < conf->histogram.n_percentiles; i++)
		snprintf(m->percentile_name[i], sizeof(m->percentile_name[i]), "%upercentile",
			conf->histogram.percentile[i]);
	m->build = flush_build_new(budget);
	if (m->build == NULL) {
		merger_free(m);
		return NULL;
	}
	return m;
}

/* Gives back what n series do not need, where that is most of it. */
static void
trim_series(struct merger *m, uint32_t n)
{
	pages_trim((void **)&m->touched, n, &m->touched_max, sizeof(m->touched[0]));
	pages_trim((void **)&m->ending, n, &m->ending_max, sizeof(m->ending[0]));
	pages_trim((void **)&m->series, n, &m->series_max, sizeof(m->series[0]));
}

void
merger_free(struct merger *m)
{
	if (m == NULL)
		return;
	if (m->build != NULL)
		flush_unref(&m->build->flush);
	context_table_done(&m->contexts, m->budget);
	for (uint32_t i = 0; i < m->n_shards; i++)
		pages_trim((void **)&m->map[i].series_after, 0, &m->map[i].n_max,
			sizeof(m->map[i].series_after[0]));
	trim_series(m, 0);
	free(m->samples);
	free(m);
}

uint32_t
merger_series(const struct merger *m)
{
	return m->contexts.n_linked;
}

/* SLOT_NONE where there is none, since there was no memory for it. */
static uint32_t
series_of(const struct slot_map *map, uint32_t slot)
{
	return slot < map->n_max ? map->series_after[slot] - 1 : SLOT_NONE;
}

static void
set_series(struct slot_map *map, uint32_t slot, uint32_t series)
{
	map->series_after[slot] = series + 1;
}

/* Room for series below n, and for all of them in the two lists. */
static int
reserve_series(struct merger *m, uint32_t n)
{
	if (pages_reserve((void **)&m->touched, n, &m->touched_max, sizeof(m->touched[0])) != 0 ||
		pages_reserve((void **)&m->ending, n, &m->ending_max, sizeof(m->ending[0])) != 0)
		return -ENOMEM;
	return pages_reserve((void **)&m->series, n, &m->series_max, sizeof(m->series[0]));
}

/* The series of a context that a shard has seen first. Takes over its reference. */
static uint32_t
adopt(struct merger *m, struct context *context)
{
	uint32_t series = context_table_find_equal(&m->contexts, context);

	if (series != SLOT_NONE) {
		context_unref(context, m->budget);
		return series;
	}
	if (reserve_series(m, m->contexts.n_slots + 1) != 0 ||
		context_table_insert(&m->contexts, context, &series) != 0) {
		context_unref(context, m->budget);
		return SLOT_NONE;
	}
	m->series[series] = (struct series){0};
	return series;
}

static void
add_created(struct merger *m, struct slot_map *map, const struct bucket *bucket)
{
	for (uint32_t i = 0; i < bucket->n_created; i++) {
		const struct bucket_created *created = &bucket->created[i];
		uint32_t series;

		if (pages_reserve((void **)&map->series_after, (size_t)created->slot + 1,
			    &map->n_max, sizeof(map->series_after[0])) != 0) {
			context_unref(created->context, m->budget);
			continue;
		}
		series = adopt(m, created->context);
		set_series(map, created->slot, series);
		if (series != SLOT_NONE)
			m->series[series].n_slots++;
	}
}

static int
combine_sketches(struct merger *m, struct value *sum, const struct value *v)
{
	struct arena *arena = &m->build->own;

	if (ddsketch_settle(v->sketch, arena) != 0)
		return -ENOMEM;
	return ddsketch_merge(sum->sketch, arena, v->sketch);
}

/* Adds another shard's value of the same series. 0 or -ENOMEM. */
static int
combine(struct merger *m, enum metric_type type, struct value *sum, const struct value *v)
{
	if (type == METRIC_GAUGE) {
		if (v->time > sum->time)
			*sum = *v;
		return 0;
	}
	sum->n += v->n;
	switch (type) {
	case METRIC_COUNT:
		sum->sum += v->sum;
		return 0;
	case METRIC_SET:
		return set_unite(sum->set, &m->build->own, v->set);
	case METRIC_HISTOGRAM:
		weighted_join(&sum->weighted, v->weighted);
		return 0;
	case METRIC_DISTRIBUTION:
		return combine_sketches(m, sum, v);
	case METRIC_GAUGE:
	case METRIC_TYPE_COUNT:
		break;
	}
	return -EINVAL;
}

static void
add_values(struct merger *m, const struct slot_map *map, const struct bucket *bucket)
{
	for (uint32_t i = 0; i < bucket->n_touched; i++) {
		uint32_t slot = bucket->touched[i];
		uint32_t at = series_of(map, slot);
		struct series *series;

		if (at == SLOT_NONE) {
			m->build->flush.n_no_memory++;
			continue;
		}
		series = &m->series[at];
		if (series->value.n == 0) {
			series->value = bucket->values[slot];
			m->touched[m->n_touched++] = at;
		} else if (combine(m, m->contexts.context[at]->type, &series->value,
				   &bucket->values[slot]) != 0) {
			m->build->flush.n_no_memory++;
		}
	}
}

static void
add_retired(struct merger *m, struct slot_map *map, const struct bucket *bucket)
{
	for (uint32_t i = 0; i < bucket->n_retired; i++) {
		uint32_t slot = bucket->retired[i];
		uint32_t at = series_of(map, slot);

		if (at == SLOT_NONE)
			continue;
		set_series(map, slot, SLOT_NONE);
		m->series[at].n_slots--;
		if (m->series[at].n_slots == 0 && !m->series[at].is_ending) {
			m->series[at].is_ending = true;
			m->ending[m->n_ending++] = at;
		}
	}
}

static void
add_passed(struct flush_build *build, const struct bucket *bucket)
{
	for (const struct bucket_point *p = bucket->points; p != NULL; p = p->next)
		flush_build_point(build,
			&(struct point){
				.context = p->context,
				.kind = p->kind,
				.is_timestamped = true,
				.timestamp = p->timestamp,
				.value = p->value,
			});
	for (const struct bucket_event *e = bucket->events; e != NULL; e = e->next)
		flush_build_event(build, &e->event);
	for (const struct bucket_check *c = bucket->checks; c != NULL; c = c->next)
		flush_build_check(build, &c->check);
}

void
merger_add(struct merger *m, uint32_t shard, struct bucket *bucket)
{
	struct slot_map *map = &m->map[shard];

	add_created(m, map, bucket);
	add_values(m, map, bucket);
	add_retired(m, map, bucket);
	add_passed(m->build, bucket);
	arena_move(&m->build->taken, &bucket->arena);
	bucket_clear(bucket, (uint32_t)map->n_max);
}

static void
add_gauge(struct merger *m, const struct context *context, const char *suffix, double value)
{
	flush_build_point(m->build,
		&(struct point){
			.context = context,
			.suffix = span_from_string(suffix),
			.kind = POINT_GAUGE,
			.value = value,
		});
}

static bool
reserve_samples(struct merger *m, size_t n)
{
	if (n <= m->samples_max)
		return true;
	free(m->samples);
	m->samples = malloc(n * sizeof(m->samples[0]));
	m->samples_max = m->samples != NULL ? n : 0;
	return m->samples != NULL;
}

static void
build_histogram(struct merger *m, const struct context *context, const struct weighted_piece *list)
{
	const struct histogram_conf *conf = &m->conf.histogram;
	struct weighted_summary summary;
	size_t n = weighted_count(list);

	if (!reserve_samples(m, n)) {
		m->build->flush.n_no_memory++;
		return;
	}
	weighted_copy(list, m->samples);
	weighted_summarise(m->samples, n, &summary);
	if (conf->max)
		add_gauge(m, context, "max", summary.max);
	if (conf->min)
		add_gauge(m, context, "min", summary.min);
	if (conf->median)
		add_gauge(m, context, "median", summary.median);
	if (conf->avg)
		add_gauge(m, context, "avg", summary.avg);
	if (conf->sum)
		add_gauge(m, context, "sum", summary.sum);
	if (conf->count)
		flush_build_point(m->build,
			&(struct point){
				.context = context,
				.suffix = SPAN_LITERAL("count"),
				.kind = POINT_COUNT,
				.value = summary.count,
			});
	for (uint32_t i = 0; i < conf->n_percentiles; i++)
		add_gauge(m, context, m->percentile_name[i],
			weighted_percentile(m->samples, n, summary.count, conf->percentile[i]));
}

static void
build_series(struct merger *m, const struct context *context, const struct value *value)
{
	struct point point = {.context = context};

	switch ((enum metric_type)context->type) {
	case METRIC_COUNT:
		point.kind = POINT_COUNT;
		point.value = value->sum;
		break;
	case METRIC_GAUGE:
		point.kind = POINT_GAUGE;
		point.value = value->last;
		break;
	case METRIC_SET:
		point.kind = POINT_SET;
		point.value = value->set->n;
		break;
	case METRIC_HISTOGRAM:
		build_histogram(m, context, value->weighted);
		return;
	case METRIC_DISTRIBUTION:
		if (ddsketch_settle(value->sketch, &m->build->own) != 0) {
			m->build->flush.n_no_memory++;
			return;
		}
		point.kind = POINT_SKETCH;
		point.sketch = value->sketch;
		break;
	case METRIC_TYPE_COUNT:
		return;
	}
	flush_build_point(m->build, &point);
}

/* Not in this bucket, but not long ago. */
static bool
is_due(const struct series *series, uint32_t start, uint64_t within)
{
	return series->last_seen != start && start - series->last_seen < within;
}

static void
fill_zeros(struct merger *m, int64_t start)
{
	for (uint32_t i = 0; i < m->contexts.n_slots; i++) {
		const struct context *context = m->contexts.context[i];

		if (context == NULL || context->type != METRIC_COUNT ||
			!is_due(&m->series[i], (uint32_t)start, m->conf.zero_fill_seconds))
			continue;
		flush_build_point(m->build,
			&(struct point){.context = context, .kind = POINT_COUNT});
	}
}

/* Forgets series that no shard knows any more. */
static void
end_series(struct merger *m)
{
	for (uint32_t i = 0; i < m->n_ending; i++) {
		uint32_t at = m->ending[i];

		m->series[at].is_ending = false;
		if (m->series[at].n_slots != 0)
			continue; /* seen again meanwhile */
		context_unref(context_table_unlink(&m->contexts, at), m->budget);
		context_table_release(&m->contexts, at);
	}
	context_table_shrink(&m->contexts);
	if (m->n_ending >= 4096)
		malloc_trim(0); /* many small pieces of memory have become free */
	m->n_ending = 0;
	trim_series(m, m->contexts.n_slots);
}

void
merger_set_conf(struct merger *m, const struct merger_conf *conf)
{
	m->conf = *conf;
}

struct flush *
merger_finish(struct merger *m, struct bucket_time time)
{
	struct flush_build *next = flush_build_new(m->budget);
	struct flush *flush;

	if (next == NULL)
		return NULL;
	for (uint32_t i = 0; i < m->n_touched; i++) {
		uint32_t at = m->touched[i];

		build_series(m, m->contexts.context[at], &m->series[at].value);
		m->series[at].value = (struct value){0};
		m->series[at].last_seen = (uint32_t)time.start;
	}
	m->n_touched = 0;
	if (m->conf.zero_fill)
		fill_zeros(m, time.start);
	end_series(m);
	flush = flush_build_finish(m->build, ++m->n_flushes, time);
	m->build = next;
	return flush;
}
