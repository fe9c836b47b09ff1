/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One worker's share of the aggregation: its contexts in dense slots and the open bucket. Only the
 * worker touches it, but for the two queues of buckets and the open epoch.
 *
 * A sample belongs to the bucket that is open when its worker records it.
 */
#ifndef AGG_SHARD_H
#define AGG_SHARD_H

#include "agg/bucket.h"
#include "agg/context_table.h"
#include "base/spsc.h"
#include "dsd/burst.h"
#include "dsd/tags.h"
#include "stats/stats.h"

/* How many contexts all shards may hold; one that two workers see counts twice. */
struct context_limit {
	uint64_t max;
	_Atomic uint64_t used;
};

/* What stands in for a host that a message does not name. */
enum shard_host {
	SHARD_HOST_SELF,
	SHARD_HOST_SOURCE,
	SHARD_HOST_NONE,
};

/* Shared by all shards; outlives them. */
struct shard_conf {
	struct budget *budget; /* contexts and what buckets hold */
	struct context_limit *limit;
	uint64_t seed;
	const struct span *extra_tags; /* valid UTF-8, without ',' */
	uint32_t n_extra_tags;
	enum shard_host host_mode;
	struct span hostname;
	size_t payload_max;
	uint64_t expiry[METRIC_TYPE_COUNT]; /* ns without a sample after which a context goes */
};

struct shard {
	const struct shard_conf *conf;
	struct stats *stats; /* the worker's */
	struct context_table contexts;
	uint64_t *last_used; /* by slot: monotonic ns of the first sample in its last bucket */
	uint32_t last_used_max;
	uint32_t expiry_cursor;
	struct bucket *open;
	struct bucket *spare; /* an empty bucket that could not be used yet */
	struct tags tags;
	uint8_t *name_text, *host_text, *tags_text; /* scratch of the key */
	_Atomic uint64_t epoch; /* of the open bucket */
	struct spsc filled; /* worker to flush thread */
	struct spsc emptied; /* and back */
};

/* NULL without memory. */
struct shard *shard_new(const struct shard_conf *conf, struct stats *stats);

/* After the last bucket was collected. */
void shard_free(struct shard *shard);

/* Counts the message as aggregated, passed or dropped, with its samples. time: monotonic ns. */
void shard_record(struct shard *shard, const struct message *message, const struct dgram *from,
	uint64_t time);

/* Hands the open bucket over and opens that of the epoch. False when that is not possible now
 * (the flush thread is far behind, or no memory): nothing changes, try again. */
bool shard_swap(struct shard *shard, uint64_t epoch);

/* Looks at up to n slots and retires those without samples for too long. */
void shard_expire(struct shard *shard, uint64_t time, uint32_t n);

#endif
