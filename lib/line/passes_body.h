/* SPDX-License-Identifier: BSD-3-Clause */
/* hot: no malloc, no syscall, no log, no lock */
/*
 * The passes, in terms of operations that the including file defines for its instruction set:
 *
 *   uint64_t block_newlines(const uint8_t *bytes)        one bit for each of 64 bytes
 *   uint32_t find_byte(const uint8_t *bytes, uint32_t size, uint8_t byte)      size when absent
 *   void find_fields(const uint8_t *bytes, uint32_t size, uint32_t *colon, uint32_t *pipe)
 *   uint64_t hash_line(const struct line_seed *seed, const struct line_view *line)
 *   bool key_equal(const struct line_entry *entry, const struct line_view *line)
 *   uint32_t bucket_matches(const struct line_bucket *bucket, uint32_t tag)    one bit a place
 */
#include <string.h>

#include "line/passes.h"

#define PREFETCH_LINES_MAX 8 /* cache lines of an entry that are fetched ahead */

/* Finds the newlines of the next part of the payload; its end counts as one. */
static inline void
search(struct line_split *s)
{
	uint32_t end =
		s->size - s->searched > LINE_SPLIT_SIZE ? s->searched + LINE_SPLIT_SIZE : s->size;
	uint32_t n = 0;

	for (uint32_t at = s->searched; at < end; at += 64) {
		uint64_t mask = block_newlines(s->bytes + at);

		if (end - at < 64)
			mask &= (UINT64_C(1) << (end - at)) - 1;
		/* Two are written whether they are there or not: most blocks hold one or two. */
		s->newline[n] = at + (uint32_t)__builtin_ctzll(mask | UINT64_C(1) << 63);
		s->newline[n + 1] =
			at + (uint32_t)__builtin_ctzll((mask & (mask - 1)) | UINT64_C(1) << 63);
		if (unlikely(__builtin_popcountll(mask) > 2)) {
			uint64_t left = mask;

			for (uint32_t i = n; left != 0; i++, left &= left - 1)
				s->newline[i] = at + (uint32_t)__builtin_ctzll(left);
		}
		n += (uint32_t)__builtin_popcountll(mask);
	}
	s->searched = end;
	if (end == s->size)
		s->newline[n++] = end;
	s->n = n;
	s->next = 0;
}

static inline void
cut_fields(struct line_view *line)
{
	uint32_t colon, pipe, rest_size;

	find_fields(line->at, line->size, &colon, &pipe);
	rest_size = line->size - pipe;
	line->meta = 0;
	line->value_size = 0;
	if (unlikely(colon >= line->size || pipe >= line->size || colon > LINE_NAME_MAX ||
		    rest_size > LINE_REST_MAX))
		return;
	line->meta = line_meta(0, colon, rest_size);
	line->value_size = pipe - colon - 1;
}

static uint32_t
pass_split(struct line_split *s, struct line_view *lines, uint32_t n_max)
{
	uint32_t n = 0;

	while (n < n_max) {
		struct line_view *line = &lines[n];
		uint32_t end;

		if (unlikely(s->next == s->n)) {
			if (s->searched == s->size)
				break;
			search(s);
			continue;
		}
		end = s->newline[s->next++];
		line->at = s->bytes + s->start;
		line->size = end - s->start;
		line->is_terminated = end != s->size;
		s->start = end + 1;
		if (line->size != 0 && unlikely(line->at[line->size - 1] == '\r'))
			line->size--;
		if (unlikely(line->size == 0))
			continue;
		cut_fields(line);
		n++;
	}
	return n;
}

static inline void
prefetch_entry(const struct line_entry *entry, uint64_t meta)
{
	const uint8_t *at = (const uint8_t *)entry;
	uint32_t size =
		line_name_size(meta) + line_rest_size(meta) + (uint32_t)sizeof(struct line_entry);

	if (size > PREFETCH_LINES_MAX * CACHE_LINE_SIZE)
		size = PREFETCH_LINES_MAX * CACHE_LINE_SIZE;
	for (uint32_t offset = 0; offset < size; offset += CACHE_LINE_SIZE)
		__builtin_prefetch(at + offset);
}

static void
pass_probe(const struct line_cache *cache, const struct line_seed *seed, struct line_view *lines,
	uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint64_t hash = hash_line(seed, &lines[i]);

		lines[i].tag = (uint32_t)(hash >> 32);
		lines[i].home = (uint32_t)hash;
		__builtin_prefetch(&cache->buckets[lines[i].home & cache->mask]);
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct line_bucket *bucket = &cache->buckets[lines[i].home & cache->mask];
		uint32_t found = bucket_matches(bucket, lines[i].tag);

		if (unlikely(found == 0)) {
			uint32_t other = line_other_home(lines[i].home, lines[i].tag);

			bucket = &cache->buckets[other & cache->mask];
			found = bucket_matches(bucket, lines[i].tag);
		}
		lines[i].entry = LINE_NONE;
		if (unlikely(found == 0))
			continue;
		lines[i].entry = bucket->entry[__builtin_ctz(found)];
		prefetch_entry(line_entry(cache, lines[i].entry), lines[i].meta);
	}
}

static inline bool
is_the_line(const struct line_entry *entry, const struct line_view *line)
{
	return entry->meta == line->meta && key_equal(entry, line);
}

/* Where the candidate is another line with the same tag: all places of both buckets. */
static uint32_t
find_among_all(const struct line_cache *cache, const struct line_view *line)
{
	uint32_t home[] = {line->home, line_other_home(line->home, line->tag)};

	for (uint32_t h = 0; h < ARRAY_LENGTH(home); h++) {
		const struct line_bucket *bucket = &cache->buckets[home[h] & cache->mask];
		uint32_t found = bucket_matches(bucket, line->tag);

		for (; found != 0; found &= found - 1) {
			uint32_t index = bucket->entry[__builtin_ctz(found)];

			if (is_the_line(line_entry(cache, index), line))
				return index;
		}
	}
	return LINE_NONE;
}

static void
pass_match(const struct line_cache *cache, const struct value *values, uint32_t tick,
	struct line_view *lines, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct line_view *line = &lines[i];
		struct line_entry *entry;

		if (unlikely(line->entry == LINE_NONE))
			continue;
		entry = line_entry(cache, line->entry);
		if (unlikely(!is_the_line(entry, line))) {
			line->entry = find_among_all(cache, line);
			if (line->entry == LINE_NONE)
				continue;
			entry = line_entry(cache, line->entry);
		}
		if (unlikely(!line_is_fresh(cache, entry, tick))) {
			line->entry = LINE_NONE;
			continue;
		}
		__builtin_prefetch(&values[entry->slot], 1);
	}
}
