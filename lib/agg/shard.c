/* SPDX-License-Identifier: BSD-3-Clause */
#include "agg/shard.h"

#include <errno.h>
#include <stdlib.h>

#include "mem/pages.h"

/* What a slot takes in tables and arrays beside the context itself: charged to the budget. */
#define SLOT_COST \
	(sizeof(struct context *) + 1 + sizeof(struct context_link) + sizeof(uint32_t) + \
		sizeof(uint64_t) + 2 * (sizeof(struct value) + sizeof(uint32_t)))

struct shard *
shard_new(const struct shard_conf *conf, struct stats *stats)
{
	struct shard *shard = calloc(1, sizeof(*shard));

	if (shard == NULL)
		return NULL;
	shard->conf = conf;
	shard->stats = stats;
	shard->open = bucket_new(conf->budget);
	if (key_init(&shard->key, &conf->key) != 0 || shard->open == NULL) {
		shard_free(shard);
		return NULL;
	}
	return shard;
}

static void
drop_bucket(struct shard *shard, struct bucket *bucket)
{
	if (bucket == NULL)
		return;
	for (uint32_t i = 0; i < bucket->n_created; i++)
		context_unref(bucket->created[i].context, shard->conf->budget);
	bucket_free(bucket);
}

void
shard_free(struct shard *shard)
{
	struct bucket *bucket;

	if (shard == NULL)
		return;
	while ((bucket = spsc_pop(&shard->filled)) != NULL)
		drop_bucket(shard, bucket);
	while ((bucket = spsc_pop(&shard->emptied)) != NULL)
		bucket_free(bucket);
	drop_bucket(shard, shard->open);
	bucket_free(shard->spare);
	atomic_fetch_sub(&shard->conf->limit->used, shard->contexts.n_linked);
	budget_give(shard->conf->budget, shard->contexts.n_linked * SLOT_COST);
	context_table_done(&shard->contexts, shard->conf->budget);
	key_done(&shard->key);
	pages_trim((void **)&shard->last_used, 0, &shard->last_used_max,
		sizeof(shard->last_used[0]));
	free(shard);
}

/* Puts a new context into a slot and tells the flush thread. Takes over two references. */
static int
place_context(struct shard *shard, struct context *context, uint32_t *ret_slot)
{
	uint32_t slot;

	if (context_table_insert(&shard->contexts, context, &slot) != 0)
		return -ENOMEM;
	if (pages_reserve((void **)&shard->last_used, (size_t)slot + 1, &shard->last_used_max,
		    sizeof(shard->last_used[0])) != 0 ||
		bucket_reserve(shard->open, slot + 1) != 0 ||
		bucket_add_created(shard->open, slot, context) != 0) {
		context_table_unlink(&shard->contexts, slot);
		context_table_release(&shard->contexts, slot);
		return -ENOMEM;
	}
	shard->last_used[slot] = 0; /* until a sample is kept */
	*ret_slot = slot;
	return 0;
}

/* The first sight of a context. 0, -EDQUOT at the context limit, -ENOMEM at that of memory. */
static int
create_context(struct shard *shard, const struct context_key *key, uint32_t *ret_slot)
{
	const struct shard_conf *conf = shard->conf;
	struct context *context = NULL;

	if (atomic_fetch_add_explicit(&conf->limit->used, 1, memory_order_relaxed) >=
		atomic_load_explicit(&conf->limit->max, memory_order_relaxed)) {
		atomic_fetch_sub_explicit(&conf->limit->used, 1, memory_order_relaxed);
		return -EDQUOT;
	}
	if (budget_take(conf->budget, SLOT_COST)) {
		context = context_new(key, conf->budget);
		if (context != NULL) {
			context_ref(context);
			if (place_context(shard, context, ret_slot) == 0) {
				stats_add(shard->stats, STAT_worker_contexts_created, 1);
				return 0;
			}
			context_unref(context, conf->budget);
			context_unref(context, conf->budget);
		}
		budget_give(conf->budget, SLOT_COST);
	}
	atomic_fetch_sub_explicit(&conf->limit->used, 1, memory_order_relaxed);
	return -ENOMEM;
}

int
shard_slot(struct shard *shard, const struct context_key *key, uint32_t *ret_slot)
{
	uint32_t slot = context_table_find(&shard->contexts, key);

	if (slot == SLOT_NONE)
		return create_context(shard, key, ret_slot);
	*ret_slot = slot;
	return 0;
}

/* How long a bucket was open bounds how long after its first sample a context had its last. */
static void
note_duration(struct shard *shard, uint64_t time)
{
	if (shard->opened != 0 && time > shard->opened && time - shard->opened > shard->longest)
		shard->longest = time - shard->opened;
	shard->opened = time;
}

bool
shard_swap(struct shard *shard, uint64_t epoch, uint64_t time)
{
	struct bucket *full = shard->open, *next = shard->spare;

	if (spsc_is_full(&shard->filled))
		return false;
	if (next == NULL)
		next = spsc_pop(&shard->emptied);
	if (next == NULL)
		next = bucket_new(shard->conf->budget);
	shard->spare = next;
	if (next == NULL || bucket_reserve(next, shard->contexts.n_slots) != 0)
		return false;

	for (uint32_t i = 0; i < full->n_retired; i++)
		context_table_release(&shard->contexts, full->retired[i]);
	context_table_shrink(&shard->contexts);
	pages_trim((void **)&shard->last_used, shard->contexts.n_slots, &shard->last_used_max,
		sizeof(shard->last_used[0]));
	shard->spare = NULL;
	shard->open = next;
	note_duration(shard, time);
	spsc_push(&shard->filled, full);
	atomic_store_explicit(&shard->epoch, epoch, memory_order_release);
	return true;
}

static void
retire(struct shard *shard, uint32_t slot)
{
	if (bucket_add_retired(shard->open, slot) != 0)
		return; /* it stays; the next round tries again */
	context_unref(context_table_unlink(&shard->contexts, slot), shard->conf->budget);
	budget_give(shard->conf->budget, SLOT_COST);
	atomic_fetch_sub_explicit(&shard->conf->limit->used, 1, memory_order_relaxed);
	stats_add(shard->stats, STAT_worker_contexts_expired, 1);
}

void
shard_expire(struct shard *shard, uint64_t time, uint32_t n)
{
	for (; n > 0; n--) {
		uint32_t slot = shard->expiry_cursor++;
		const struct context *context;

		if (slot >= shard->contexts.n_slots) {
			shard->expiry_cursor = 0;
			return;
		}
		context = shard->contexts.context[slot];
		if (context == NULL || shard->open->values[slot].n != 0)
			continue;
		if (time > shard->last_used[slot] &&
			time - shard->last_used[slot] >
				shard->conf->expiry[context->type] + shard->longest)
			retire(shard, slot);
	}
}
