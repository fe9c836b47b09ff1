/* SPDX-License-Identifier: BSD-3-Clause */
#include "agg/flush.h"

#include <math.h>
#include <stdlib.h>

#include "agg/flush_build.h"
#include "base/compiler.h"
#include "mem/list.h"

struct flush_build *
flush_build_new(struct budget *budget)
{
	struct flush_build *build = calloc(1, sizeof(*build));

	if (build == NULL)
		return NULL;
	atomic_init(&build->refs, 1);
	build->budget = budget;
	arena_init(&build->taken, budget);
	arena_init(&build->own, NULL);
	return build;
}

static bool
is_finite(const struct point *point)
{
	if (point->kind != POINT_SKETCH)
		return isfinite(point->value);
	return isfinite(point->sketch->sum) && isfinite(point->sketch->avg);
}

void
flush_build_point(struct flush_build *build, const struct point *point)
{
	struct flush *flush = &build->flush;

	if (!is_finite(point)) {
		flush->n_not_finite++;
		return;
	}
	if (list_reserve((void **)&build->points, flush->n_points, &build->points_max,
		    sizeof(*point)) != 0) {
		flush->n_no_memory++;
		return;
	}
	if (!point->is_timestamped)
		context_ref((struct context *)point->context);
	build->points[flush->n_points++] = *point;
}

void
flush_build_event(struct flush_build *build, const struct flush_event *event)
{
	struct flush *flush = &build->flush;

	if (list_reserve((void **)&build->events, flush->n_events, &build->events_max,
		    sizeof(*event)) != 0) {
		flush->n_no_memory++;
		return;
	}
	build->events[flush->n_events++] = *event;
}

void
flush_build_check(struct flush_build *build, const struct flush_check *check)
{
	struct flush *flush = &build->flush;

	if (list_reserve((void **)&build->checks, flush->n_checks, &build->checks_max,
		    sizeof(*check)) != 0) {
		flush->n_no_memory++;
		return;
	}
	build->checks[flush->n_checks++] = *check;
}

struct flush *
flush_build_finish(struct flush_build *build, uint64_t number, struct bucket_time time)
{
	struct flush *flush = &build->flush;

	flush->number = number;
	flush->start = time.start;
	flush->interval = time.interval;
	for (size_t i = 0; i < flush->n_points; i++)
		if (!build->points[i].is_timestamped)
			build->points[i].timestamp = time.start;
	for (size_t i = 0; i < flush->n_events; i++)
		if (build->events[i].event.timestamp == 0)
			build->events[i].event.timestamp = time.start;
	for (size_t i = 0; i < flush->n_checks; i++)
		if (build->checks[i].check.timestamp == 0)
			build->checks[i].check.timestamp = time.start;
	flush->points = build->points;
	flush->events = build->events;
	flush->checks = build->checks;
	return flush;
}

void
flush_ref(struct flush *flush)
{
	struct flush_build *build = container_of(flush, struct flush_build, flush);

	atomic_fetch_add_explicit(&build->refs, 1, memory_order_relaxed);
}

void
flush_unref(struct flush *flush)
{
	struct flush_build *build;

	if (flush == NULL)
		return;
	build = container_of(flush, struct flush_build, flush);
	if (atomic_fetch_sub_explicit(&build->refs, 1, memory_order_acq_rel) != 1)
		return;
	for (size_t i = 0; i < flush->n_points; i++)
		if (!build->points[i].is_timestamped)
			context_unref((struct context *)build->points[i].context, build->budget);
	free(build->points);
	free(build->events);
	free(build->checks);
	arena_reset(&build->taken);
	arena_reset(&build->own);
	free(build);
}
