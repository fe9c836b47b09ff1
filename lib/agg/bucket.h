/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What one worker gathered between two swaps. The worker fills it, hands it to the flush thread,
 * and gets it back empty: it belongs to one of them at a time, so nothing in it is locked.
 */
#ifndef AGG_BUCKET_H
#define AGG_BUCKET_H

#include "agg/context.h"
#include "agg/flush.h"
#include "agg/value.h"

struct bucket_created {
	uint32_t slot;
	struct context *context; /* one reference, for the flush thread */
};

/* Messages that are not merged: they leave with the bucket as they came. */
struct bucket_point {
	struct bucket_point *next;
	struct context *context; /* in the bucket's arena */
	enum point_kind kind;
	int64_t timestamp; /* seconds, the client's */
	double value;
};

struct bucket_event {
	struct bucket_event *next;
	struct flush_event event; /* timestamp 0: none was given */
};

struct bucket_check {
	struct bucket_check *next;
	struct flush_check check;
};

struct bucket {
	struct value *values; /* by slot; untouched ones are all zero */
	uint32_t *touched; /* slots with n > 0, in order of first touch; room for all */
	size_t values_max, touched_max; /* room */
	uint32_t n_touched;

	struct bucket_created *created; /* slots that are new since the bucket before */
	uint32_t n_created;
	uint32_t *retired; /* slots that end with this bucket */
	uint32_t n_retired;
	size_t created_max, retired_max;

	struct bucket_point *points, *points_last;
	struct bucket_event *events, *events_last;
	struct bucket_check *checks, *checks_last;

	struct arena arena; /* samples, members, sketches and texts */
};

struct bucket *bucket_new(struct budget *budget);
void bucket_free(struct bucket *bucket);

/* Room for the values of slots below n. 0 or -ENOMEM. */
int bucket_reserve(struct bucket *bucket, uint32_t n);

/* Appends; 0 or -ENOMEM. */
int bucket_add_created(struct bucket *bucket, uint32_t slot, struct context *context);
int bucket_add_retired(struct bucket *bucket, uint32_t slot);

/* What is passed on, in order of arrival. Contexts and texts must be in the bucket's arena; a text
 * whose data is NULL found no memory there, then nothing is added. 0 or -ENOMEM. */
int bucket_add_point(struct bucket *bucket, struct context *context, int64_t timestamp,
	double value);
int bucket_add_event(struct bucket *bucket, const struct flush_event *event);
int bucket_add_check(struct bucket *bucket, const struct flush_check *check);

/* Empties it for the next use: values of touched slots become zero, the arena must already be
 * reset or moved. Memory far beyond what n_slots need is given back. */
void bucket_clear(struct bucket *bucket, uint32_t n_slots);

#endif
