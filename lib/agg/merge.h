/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Joins the buckets of all shards into one flush. One thread. Each (shard, slot) gets its global
 * series once, when its context is first seen, by comparing keys exactly; from then on a merge is
 * an array look-up without hashing.
 */
#ifndef AGG_MERGE_H
#define AGG_MERGE_H

#include "agg/bucket.h"
#include "agg/bucket_clock.h"
#include "agg/context_table.h"

#define PERCENTILES_MAX 32

/* Which values of a histogram become series (histogram_aggregates, histogram_percentiles). */
struct histogram_conf {
	bool max, min, median, avg, count, sum;
	uint8_t percentile[PERCENTILES_MAX]; /* whole percents */
	uint32_t n_percentiles;
};

struct merger_conf {
	struct histogram_conf histogram;
	bool zero_fill;
	uint32_t zero_fill_seconds; /* a silent counter is written as 0 for so long */
};

struct merger;

/* budget is the one of the shards. NULL without memory. */
struct merger *merger_new(const struct merger_conf *conf, uint32_t n_shards, struct budget *budget);
void merger_free(struct merger *merger);

/* From the next merger_finish on. */
void merger_set_conf(struct merger *merger, const struct merger_conf *conf);

/* Takes all that the bucket holds; it comes out cleared, ready to go back to its shard. */
void merger_add(struct merger *merger, uint32_t shard, struct bucket *bucket);

/* What was added since the last call, as a flush with one reference. NULL only when there is no
 * memory for the flush itself: everything stays for the next call. */
struct flush *merger_finish(struct merger *merger, struct bucket_time time);

/* Series known now. */
uint32_t merger_series(const struct merger *merger);

#endif
