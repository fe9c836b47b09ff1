/* SPDX-License-Identifier: BSD-3-Clause */
#include "agg/bucket.h"

#include <errno.h>
#include <stdlib.h>

#include "mem/list.h"
#include "mem/pages.h"

#define N_LIST_KEPT 4096 /* contexts come and go once: the list of a wave of them is not kept */

struct bucket *
bucket_new(struct budget *budget)
{
	struct bucket *bucket = calloc(1, sizeof(*bucket));

	if (bucket != NULL)
		arena_init(&bucket->arena, budget);
	return bucket;
}

/* Gives back what n slots do not need, where that is most of it. */
static void
trim(struct bucket *bucket, uint32_t n)
{
	pages_trim((void **)&bucket->touched, n, &bucket->touched_max, sizeof(bucket->touched[0]));
	pages_trim((void **)&bucket->values, n, &bucket->values_max, sizeof(bucket->values[0]));
}

void
bucket_free(struct bucket *bucket)
{
	if (bucket == NULL)
		return;
	arena_reset(&bucket->arena);
	trim(bucket, 0);
	free(bucket->created);
	free(bucket->retired);
	free(bucket);
}

int
bucket_reserve(struct bucket *bucket, uint32_t n)
{
	if (pages_reserve((void **)&bucket->touched, n, &bucket->touched_max,
		    sizeof(bucket->touched[0])) != 0)
		return -ENOMEM;
	return pages_reserve((void **)&bucket->values, n, &bucket->values_max,
		sizeof(bucket->values[0]));
}

int
bucket_add_created(struct bucket *b, uint32_t slot, struct context *context)
{
	if (list_reserve((void **)&b->created, b->n_created, &b->created_max,
		    sizeof(b->created[0])) != 0)
		return -ENOMEM;
	b->created[b->n_created++] = (struct bucket_created){slot, context};
	return 0;
}

int
bucket_add_retired(struct bucket *b, uint32_t slot)
{
	if (list_reserve((void **)&b->retired, b->n_retired, &b->retired_max, sizeof(uint32_t)) !=
		0)
		return -ENOMEM;
	b->retired[b->n_retired++] = slot;
	return 0;
}

int
bucket_add_point(struct bucket *bucket, struct context *context, int64_t timestamp, double value)
{
	struct bucket_point *item = arena_alloc(&bucket->arena, sizeof(*item));

	if (item == NULL)
		return -ENOMEM;
	*item = (struct bucket_point){
		.context = context,
		.kind = context->type == METRIC_COUNT ? POINT_COUNT : POINT_GAUGE,
		.timestamp = timestamp,
		.value = value,
	};
	if (bucket->points_last != NULL)
		bucket->points_last->next = item;
	else
		bucket->points = item;
	bucket->points_last = item;
	return 0;
}

static bool
is_kept(struct span text)
{
	return text.data != NULL;
}

int
bucket_add_event(struct bucket *bucket, const struct flush_event *event)
{
	struct bucket_event *item = arena_alloc(&bucket->arena, sizeof(*item));

	if (item == NULL || !is_kept(event->host) || !is_kept(event->tags) ||
		!is_kept(event->event.title) || !is_kept(event->event.text) ||
		!is_kept(event->event.aggregation_key) || !is_kept(event->event.source_type))
		return -ENOMEM;
	*item = (struct bucket_event){.event = *event};
	if (bucket->events_last != NULL)
		bucket->events_last->next = item;
	else
		bucket->events = item;
	bucket->events_last = item;
	return 0;
}

int
bucket_add_check(struct bucket *bucket, const struct flush_check *check)
{
	struct bucket_check *item = arena_alloc(&bucket->arena, sizeof(*item));

	if (item == NULL || !is_kept(check->host) || !is_kept(check->tags) ||
		!is_kept(check->check.name) || !is_kept(check->check.message))
		return -ENOMEM;
	*item = (struct bucket_check){.check = *check};
	if (bucket->checks_last != NULL)
		bucket->checks_last->next = item;
	else
		bucket->checks = item;
	bucket->checks_last = item;
	return 0;
}

void
bucket_clear(struct bucket *bucket, uint32_t n_slots)
{
	for (uint32_t i = 0; i < bucket->n_touched; i++)
		bucket->values[bucket->touched[i]] = (struct value){0};

	if (bucket->created_max > N_LIST_KEPT) {
		free(bucket->created);
		bucket->created = NULL;
		bucket->created_max = 0;
	}
	if (bucket->retired_max > N_LIST_KEPT) {
		free(bucket->retired);
		bucket->retired = NULL;
		bucket->retired_max = 0;
	}
	trim(bucket, n_slots);
	bucket->n_touched = bucket->n_created = bucket->n_retired = 0;
	bucket->points = bucket->points_last = NULL;
	bucket->events = bucket->events_last = NULL;
	bucket->checks = bucket->checks_last = NULL;
}
