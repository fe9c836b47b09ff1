/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Puts messages and samples into a shard's open bucket, and counts where each of them went.
 */
#ifndef AGG_RECORD_H
#define AGG_RECORD_H

#include "agg/shard.h"
#include "base/compiler.h"
#include "dsd/burst.h"

/* Takes the message to its end: aggregated, passed on or dropped, with its samples. time:
 * monotonic ns. Returns the slot in which a sample of it was kept, else SLOT_NONE. */
uint32_t record_message(struct shard *shard, const struct message *message,
	const struct dgram *from, uint64_t time);

/* Records what can be recorded of a metric without timestamp into a known slot. Counts the line
 * and its samples, but for samples.received. Returns whether a sample was kept. */
bool record_metric(struct shard *shard, uint32_t slot, const struct metric *metric, uint64_t time);

/* One finite sample of any type but a set. 0, or why it was not kept: -ENOMEM, -ERANGE. Counts
 * nothing. */
int record_sample(struct shard *shard, uint32_t slot, enum metric_type type, double sample,
	double weight, uint64_t time);

/* Counts a line of n samples, none of which was kept. */
void record_drop(struct shard *shard, int error, uint32_t n_samples);

/* The first sample of a slot in the open bucket. */
static inline void
record_touch(struct shard *shard, uint32_t slot, uint64_t time)
{
	struct bucket *bucket = shard->open;

	bucket->touched[bucket->n_touched++] = slot;
	shard->last_used[slot] = time;
	if (unlikely(shard->opened == 0))
		shard->opened = time;
}

static inline void
record_count(struct shard *shard, uint32_t slot, double sample, double weight, uint64_t time)
{
	struct value *value = &shard->open->values[slot];

	if (unlikely(value->n++ == 0))
		record_touch(shard, slot, time);
	value->sum += sample * weight;
}

static inline void
record_gauge(struct shard *shard, uint32_t slot, double sample, uint64_t time)
{
	struct value *value = &shard->open->values[slot];

	if (unlikely(value->time == 0))
		record_touch(shard, slot, time);
	value->last = sample;
	value->time = time;
}

#endif
