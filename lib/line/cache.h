/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines that were seen before, without their values: name, rest of the line and origin -> slot of
 * the shard and how to apply a value. Keys are compared byte for byte.
 *
 * Bounded in bytes. An entry that is not used for `life` is stale: it is never returned again, and
 * its memory is taken back by line_cache_sweep. So an entry never outlives its slot, as long as
 * slots live longer than that without a sample (agg/shard.h). When there is no room, new lines
 * stay outside; fresh entries are not pushed out. When half of the room is used, a line comes in
 * at its second sight only: those that come once (random tags, ids) leave the rest to others.
 */
#ifndef LINE_CACHE_H
#define LINE_CACHE_H

#include "base/span.h"
#include "dsd/message.h"
#include "line/buckets.h"
#include "mem/budget.h"

#define LINE_SEGMENT ((uint32_t)256 << 10) /* bytes */

/* What a line is looked up by. */
struct line_key {
	uint64_t meta;
	uint32_t tag, home;
	const uint8_t *name, *rest;
};

struct line_segment {
	uint32_t used; /* bytes; 0: its memory was given back */
};

struct line_cache {
	struct line_buckets buckets;
	uint32_t n_entries;
	uint8_t *memory; /* address space for n_segments; pages come as they are used */
	struct line_segment *segments;
	uint32_t n_segments, n_used, open_segment, sweep_segment;
	uint32_t sweep_tick;
	uint32_t life; /* ticks */
	uint16_t *seen; /* tags of lines at their first sight, in sets of four */
	uint32_t seen_next;
	struct budget *budget;
};

static inline struct line_entry *
line_entry(const struct line_cache *cache, uint32_t index)
{
	return line_entry_at(cache->memory, index);
}

static inline bool
line_is_fresh(const struct line_cache *cache, const struct line_entry *entry, uint32_t tick)
{
	return tick - entry->tick <= cache->life;
}

/* size: bytes of entries at most. slot_life: ns that a slot stays valid after its last sample; less
 * than a tick turns the cache off. 0 or -ENOMEM; line_cache_done is fine after both. */
int line_cache_init(struct line_cache *cache, size_t size, uint64_t slot_life,
	struct budget *budget);
void line_cache_done(struct line_cache *cache);

/* Remembers what a line came to: brings its entry up to date or, at its second sight, adds one
 * where there is room. Indexes of other entries stay valid. */
void line_cache_put(struct line_cache *cache, const struct line_key *key,
	const struct line_entry *values);

/* Takes one segment's stale entries out, once a tick each; false when all are done. Moves entries:
 * no index may be held. */
bool line_cache_sweep(struct line_cache *cache, uint32_t tick);

#endif
