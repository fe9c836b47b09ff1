/* SPDX-License-Identifier: BSD-3-Clause */
#include "line/cache.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#define N_SEGMENTS_MAX (UINT32_MAX / (LINE_SEGMENT / LINE_UNIT)) /* an index has 32 bits */
#define N_SEEN 65536 /* a power of two */
#define SEEN_WAYS 4
#define PADDING 4096 /* vectors read beyond the last key */

static size_t
memory_size(const struct line_cache *cache)
{
	return (size_t)cache->n_segments * LINE_SEGMENT + PADDING;
}

int
line_cache_init(struct line_cache *cache, size_t size, uint64_t slot_life, struct budget *budget)
{
	uint64_t ticks = slot_life >> LINE_TICK_SHIFT;

	*cache = (struct line_cache){.budget = budget};
	if (ticks == 0)
		return 0; /* no segment: nothing is ever inserted */
	/* A last use somewhere in its tick, a look-up at the end of the last one that counts. */
	cache->life = ticks - 1 < 1000000 ? (uint32_t)ticks - 1 : 1000000;
	cache->n_segments = size / LINE_SEGMENT < N_SEGMENTS_MAX ? (uint32_t)(size / LINE_SEGMENT)
								 : N_SEGMENTS_MAX;
	cache->segments = calloc(cache->n_segments + 1, sizeof(cache->segments[0]));
	cache->seen = calloc(N_SEEN, sizeof(cache->seen[0]));
	cache->memory = mmap(NULL, memory_size(cache), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (cache->memory == MAP_FAILED)
		cache->memory = NULL;
	else /* fewer misses of the address translation; where it cannot be, nothing is lost */
		madvise(cache->memory, memory_size(cache), MADV_HUGEPAGE);
	if (cache->segments == NULL || cache->seen == NULL || cache->memory == NULL)
		return -ENOMEM;
	return line_buckets_init(&cache->buckets, cache->n_segments * (LINE_SEGMENT / LINE_UNIT),
		cache->memory);
}

void
line_cache_done(struct line_cache *cache)
{
	for (uint32_t i = 0; cache->segments != NULL && i < cache->n_segments; i++)
		if (cache->segments[i].used != 0)
			budget_give(cache->budget, LINE_SEGMENT);
	if (cache->memory != NULL)
		munmap(cache->memory, memory_size(cache));
	line_buckets_done(&cache->buckets);
	free(cache->segments);
	free(cache->seen);
	*cache = (struct line_cache){0};
}

/* True from the line's second sight on, unless too many others came between. */
static bool
is_seen_again(struct line_cache *cache, const struct line_key *key)
{
	uint16_t *seen = &cache->seen[key->home % (N_SEEN / SEEN_WAYS) * SEEN_WAYS];

	for (uint32_t i = 0; i < SEEN_WAYS; i++)
		if (seen[i] == (uint16_t)key->tag)
			return true;
	seen[cache->seen_next++ % SEEN_WAYS] = (uint16_t)key->tag;
	return false;
}

/* While half of the memory is free a line comes in at once; the other half is for those that come
 * again, so that a flood of lines that come once leaves room for them. */
static bool
is_admitted(struct line_cache *cache, const struct line_key *key)
{
	return cache->n_used < (cache->n_segments + 1) / 2 || is_seen_again(cache, key);
}

static uint32_t
entry_size(uint64_t meta)
{
	uint32_t size =
		(uint32_t)sizeof(struct line_entry) + line_name_size(meta) + line_rest_size(meta);

	return (size + LINE_UNIT - 1) / LINE_UNIT * LINE_UNIT;
}

/* Unit 0 of the first segment stays empty: LINE_NONE is no entry. */
static uint32_t
first_unit(uint32_t segment)
{
	return segment == 0 ? LINE_UNIT : 0;
}

/* The index of an entry at an offset of a segment. */
static uint32_t
index_at(uint32_t segment, uint32_t offset)
{
	return segment * (LINE_SEGMENT / LINE_UNIT) + offset / LINE_UNIT;
}

/* Room for an entry in a segment: its index, or LINE_NONE. */
static uint32_t
take_room(struct line_cache *cache, uint32_t at, uint32_t size)
{
	struct line_segment *segment = &cache->segments[at];
	uint32_t index;

	if (segment->used == 0) {
		if (!budget_take(cache->budget, LINE_SEGMENT))
			return LINE_NONE;
		segment->used = first_unit(at);
		cache->n_used++;
	}
	if (segment->used + size > LINE_SEGMENT)
		return LINE_NONE;
	index = index_at(at, segment->used);
	segment->used += size;
	return index;
}

static uint32_t
find_room(struct line_cache *cache, uint32_t size)
{
	for (uint32_t i = 0; i < cache->n_segments; i++) {
		uint32_t at = (cache->open_segment + i) % cache->n_segments;
		uint32_t index = take_room(cache, at, size);

		if (index != LINE_NONE) {
			cache->open_segment = at;
			return index;
		}
		if (cache->segments[at].used == 0)
			return LINE_NONE; /* the budget is used up */
	}
	return LINE_NONE;
}

static bool
is_of_key(const struct line_entry *entry, const struct line_key *key)
{
	uint32_t name_size = line_name_size(key->meta);

	return entry->meta == key->meta && memcmp(entry->key, key->name, name_size) == 0 &&
		memcmp(entry->key + name_size, key->rest, line_rest_size(key->meta)) == 0;
}

static struct line_entry *
find(const struct line_cache *cache, const struct line_key *key)
{
	uint32_t home[] = {key->home, line_other_home(key->home, key->tag)};

	for (uint32_t h = 0; h < ARRAY_LENGTH(home); h++) {
		const struct line_bucket *bucket = line_bucket(&cache->buckets, home[h]);

		for (uint32_t i = 0; i < LINE_PLACES; i++) {
			struct line_entry *entry = line_entry(cache, bucket->entry[i]);

			if (bucket->entry[i] != LINE_NONE && bucket->tag[i] == key->tag &&
				is_of_key(entry, key))
				return entry;
		}
	}
	return NULL;
}

static void
insert(struct line_cache *cache, const struct line_key *key, const struct line_entry *values)
{
	uint32_t name_size = line_name_size(key->meta), index;
	struct line_entry *entry;
	struct line_place place;

	line_buckets_grow(&cache->buckets, cache->n_entries);
	if (!line_buckets_make_room(&cache->buckets, key->home, key->tag, &place))
		return;
	index = find_room(cache, entry_size(key->meta));
	if (index == LINE_NONE)
		return;
	entry = line_entry(cache, index);
	*entry = *values;
	entry->meta = key->meta;
	entry->tag = key->tag;
	entry->home = key->home;
	memcpy(entry->key, key->name, name_size);
	memcpy(entry->key + name_size, key->rest, line_rest_size(key->meta));
	place.bucket->tag[place.at] = key->tag;
	place.bucket->entry[place.at] = index;
	cache->n_entries++;
}

void
line_cache_put(struct line_cache *cache, const struct line_key *key,
	const struct line_entry *values)
{
	struct line_entry *entry = find(cache, key);

	if (entry == NULL) {
		if (is_admitted(cache, key))
			insert(cache, key, values);
		return;
	}
	entry->slot = values->slot;
	entry->type = values->type;
	entry->tick = values->tick;
	entry->weight = values->weight;
}

/* Moves what is fresh to the segment's front. */
static void
compact(struct line_cache *cache, uint32_t at, uint32_t tick)
{
	uint32_t from = first_unit(at), to = from;

	while (from < cache->segments[at].used) {
		uint32_t index = index_at(at, from);
		struct line_entry *entry = line_entry(cache, index);
		uint32_t size = entry_size(entry->meta);
		struct line_place place;

		from += size;
		if (!line_buckets_find(&cache->buckets, entry, index, &place))
			continue;
		if (!line_is_fresh(cache, entry, tick)) {
			place.bucket->entry[place.at] = LINE_NONE;
			cache->n_entries--;
			continue;
		}
		index = index_at(at, to);
		place.bucket->entry[place.at] = index;
		if (from - size != to)
			memmove(line_entry(cache, index), entry, size);
		to += size;
	}
	cache->segments[at].used = to;
}

/* The next segment to sweep in this tick, or n_segments when all were. */
static uint32_t
next_segment(struct line_cache *cache, uint32_t tick)
{
	if (cache->sweep_tick == tick)
		return cache->n_segments;
	while (cache->sweep_segment < cache->n_segments) {
		uint32_t at = cache->sweep_segment++;

		if (cache->segments[at].used != 0)
			return at;
	}
	cache->sweep_segment = 0;
	cache->sweep_tick = tick;
	return cache->n_segments;
}

bool
line_cache_sweep(struct line_cache *cache, uint32_t tick)
{
	uint32_t at = next_segment(cache, tick);

	if (at == cache->n_segments)
		return line_buckets_shrink(&cache->buckets, &cache->n_entries);
	compact(cache, at, tick);
	if (cache->segments[at].used > first_unit(at))
		return true;
	madvise(cache->memory + (size_t)at * LINE_SEGMENT, LINE_SEGMENT, MADV_DONTNEED);
	cache->segments[at].used = 0;
	cache->n_used--;
	budget_give(cache->budget, LINE_SEGMENT);
	return true;
}
