/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From bursts of datagrams to samples in the shard. A line that was seen before is looked up
 * without its value and costs no parsing beyond the number; any other goes the full way: decode,
 * canonical context, slot, and from then on the cache knows it.
 *
 * lines_take_plainly is the full way for every line: the reference that lines_take is compared
 * with. Both leave the same contexts, values and counters.
 */
#ifndef LINE_LINES_H
#define LINE_LINES_H

#include "agg/record.h"
#include "base/clock.h"
#include "dsd/decode.h"
#include "line/passes.h"
#include "stats/rejects.h"

struct lines_conf {
	bool client_origin, timestamps; /* as in struct decoder */
	size_t cache_size; /* bytes of the line cache at most; 0 turns it off */
	const struct line_passes *passes; /* NULL: the best for this CPU */
	const struct clock *clock;
};

struct lines {
	struct shard *shard;
	struct stats *stats;
	struct rejects *rejects;
	const struct clock *clock;
	const struct line_passes *passes;
	struct decoder decoder;
	struct line_cache cache;
	struct line_seed seed;
	const struct burst *burst; /* that is being taken */
	struct line_split split;
	struct line_view batch[LINE_BATCH];
};

/* shard, stats and rejects are the worker's and outlive it. 0 or -ENOMEM; lines_done is fine after
 * both. */
int lines_init(struct lines *lines, const struct lines_conf *conf, struct shard *shard,
	struct stats *stats, struct rejects *rejects);
void lines_done(struct lines *lines);

/* Takes every line of the burst to its end, and counts it. Payloads have 64 readable bytes behind
 * them (dsd/burst.h). */
void lines_take(struct lines *lines, const struct burst *burst);
void lines_take_plainly(struct lines *lines, const struct burst *burst);

/* Between bursts: gives back what stale lines of the cache hold, a part in each call; false when
 * there is no more to do for now. time: monotonic ns. */
bool lines_sweep(struct lines *lines, uint64_t time);

#endif
