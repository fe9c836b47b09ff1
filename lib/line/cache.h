/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines that were seen before, without their values: name, rest of the line and origin -> slot of
 * the shard and how to apply a value. Keys are compared byte for byte.
 *
 * Bounded in bytes. An entry that is not used for `life` is stale: it is never returned again, and
 * its memory is taken back by line_cache_sweep. So an entry never outlives its slot, as long as
 * slots live longer than that without a sample (agg/shard.h). When there is no room, new lines
 * stay outside; fresh entries are never pushed out. When half of the room is used, a line comes in
 * at its second sight only: those that come once (random tags, ids) leave the rest to others.
 *
 * 64-byte buckets of 8 places, two independent buckets for each line.
 */
#ifndef LINE_CACHE_H
#define LINE_CACHE_H

#include <assert.h>

#include "base/compiler.h"
#include "base/span.h"
#include "dsd/message.h"
#include "mem/budget.h"

#define LINE_NAME_MAX 512 /* longer ones are never cached */
#define LINE_REST_MAX 2048
#define LINE_UNIT CACHE_LINE_SIZE /* bytes; entries are multiples of it */
#define LINE_SEGMENT ((uint32_t)256 << 10) /* bytes */
#define LINE_NONE 0 /* no entry: the index of a place that never holds one */
#define LINE_PLACES 8
#define LINE_TICK_SHIFT 30 /* a tick is 2^30 ns, about a second */

struct line_bucket {
	uint32_t tag[LINE_PLACES];
	uint32_t entry[LINE_PLACES]; /* in units from the start of the memory; LINE_NONE: free */
} cache_aligned;

struct line_entry {
	uint64_t meta; /* line_meta */
	uint32_t slot : 28, type : 4; /* enum metric_type */
	uint32_t tick; /* of its last use */
	double weight; /* 1 / rate */
	uint32_t tag, home; /* of its hash */
	uint8_t key[]; /* name, then rest */
};

static_assert(sizeof(struct line_entry) == 32, "half a cache line, then the key");

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
	struct line_bucket *buckets;
	uint32_t mask; /* number of buckets - 1 */
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

static inline uint32_t
line_tick(uint64_t time)
{
	return (uint32_t)(time >> LINE_TICK_SHIFT);
}

/* The parts of a key that are compared as one word. */
static inline uint64_t
line_meta(uint32_t origin, uint32_t name_size, uint32_t rest_size)
{
	return (uint64_t)origin | (uint64_t)name_size << 32 | (uint64_t)rest_size << 48;
}

static inline uint32_t
line_name_size(uint64_t meta)
{
	return meta >> 32 & 0xffff;
}

static inline uint32_t
line_rest_size(uint64_t meta)
{
	return (uint32_t)(meta >> 48);
}

static inline struct line_entry *
line_entry(const struct line_cache *cache, uint32_t index)
{
	return (struct line_entry *)(cache->memory + (size_t)index * LINE_UNIT);
}

/* The other bucket of a line whose first is home. */
static inline uint32_t
line_other_home(uint32_t home, uint32_t tag)
{
	return home ^ (tag * UINT32_C(0x9e3779b1) >> 8 | 1);
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
 * no index may be held. Bounded by a segment, but for the table of buckets when it shrinks. */
bool line_cache_sweep(struct line_cache *cache, uint32_t tick);

#endif
