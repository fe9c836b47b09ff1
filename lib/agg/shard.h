/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One worker's share of the aggregation: its contexts in dense slots and the open bucket. Only the
 * worker touches it, but for the two queues of buckets and the open epoch.
 *
 * A sample belongs to the bucket that is open when its worker records it (agg/record.h).
 */
#ifndef AGG_SHARD_H
#define AGG_SHARD_H

#include "agg/bucket.h"
#include "agg/context_table.h"
#include "agg/key.h"
#include "base/spsc.h"
#include "stats/stats.h"

/* How many contexts all shards may hold; one that two workers see counts twice. */
struct context_limit {
	_Atomic uint64_t max; /* may change at any time; contexts beyond it stay */
	_Atomic uint64_t used;
};

/* Shared by all shards; outlives them. */
struct shard_conf {
	struct key_conf key;
	struct budget *budget; /* contexts and what buckets hold */
	struct context_limit *limit;
	uint64_t expiry[METRIC_TYPE_COUNT]; /* ns without a sample after which a context goes */
};

struct shard {
	const struct shard_conf *conf;
	struct stats *stats; /* the worker's */
	struct key key;
	struct context_table contexts;
	uint64_t *last_used; /* by slot: monotonic ns of the first sample in its last bucket */
	size_t last_used_max; /* room */
	uint32_t expiry_cursor;
	struct bucket *open;
	struct bucket *spare; /* an empty bucket that could not be used yet */
	uint64_t opened; /* monotonic ns */
	uint64_t longest; /* ns that a bucket was open, at most */
	_Atomic uint64_t epoch; /* of the open bucket */
	struct spsc filled; /* worker to flush thread */
	struct spsc emptied; /* and back */
};

/* NULL without memory. */
struct shard *shard_new(const struct shard_conf *conf, struct stats *stats);

/* After the last bucket was collected. */
void shard_free(struct shard *shard);

/* The slot of the context, which is made when it is new. 0; -EDQUOT at the limit of contexts,
 * -ENOMEM at that of memory. */
int shard_slot(struct shard *shard, const struct context_key *key, uint32_t *ret_slot);

/* Hands the open bucket over and opens that of the epoch; time: monotonic ns. False when that is
 * not possible now (the flush thread is far behind, or no memory): nothing changes, try again. */
bool shard_swap(struct shard *shard, uint64_t epoch, uint64_t time);

/*
 * Looks at up to n slots and retires those without samples for too long. A slot is never retired
 * earlier than expiry after its last sample, measured on the clock of the samples' time: who
 * remembers a slot for less than that may use it without asking.
 */
void shard_expire(struct shard *shard, uint64_t time, uint32_t n);

#endif
