/* SPDX-License-Identifier: BSD-3-Clause */
/* A flush while it is put together; only agg/merge.c and tests include this. */
#ifndef AGG_FLUSH_BUILD_H
#define AGG_FLUSH_BUILD_H

#include "agg/bucket_clock.h"
#include "agg/flush.h"

struct flush_build {
	struct flush flush;
	_Atomic uint32_t refs;
	struct budget *budget; /* of the contexts */
	struct point *points;
	struct flush_event *events;
	struct flush_check *checks;
	size_t points_max, events_max, checks_max;
	struct arena taken; /* the buckets' samples and texts */
	struct arena own; /* what merging needed beyond that; no budget */
};

/* One reference; NULL without memory. */
struct flush_build *flush_build_new(struct budget *budget);

/* Takes a reference of the point's context unless the point is timestamped. A point whose value is
 * not finite, or for which there is no memory, is counted and left out. */
void flush_build_point(struct flush_build *build, const struct point *point);
void flush_build_event(struct flush_build *build, const struct flush_event *event);
void flush_build_check(struct flush_build *build, const struct flush_check *check);

/* Fixes the contents. */
struct flush *flush_build_finish(struct flush_build *build, uint64_t number,
	struct bucket_time time);

#endif
