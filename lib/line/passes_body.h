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

#define AHEAD 16 /* lines between two steps of the look-up */
#define PREFETCH_LINES_MAX 8 /* cache lines of an entry that are fetched ahead */

#define SHORT_PAYLOAD (2 * 64) /* bytes; up to here it is tried as a single line first */

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
cut_fields(struct line_view *line, uint32_t size, origin_id origin)
{
	uint32_t colon, pipe, rest_size;

	find_fields(line->at, size, &colon, &pipe);
	rest_size = size - pipe;
	line->meta = 0;
	line->value_size = 0;
	if (unlikely(colon >= size || pipe >= size || colon > LINE_NAME_MAX ||
		    rest_size > LINE_REST_MAX))
		return;
	line->meta = line_meta(origin, colon, rest_size);
	line->value_size = pipe - colon - 1;
}

/* The line from start to end, which is a newline or the payload's end. False when it is empty. */
static inline bool
cut_line(const struct line_split *s, uint32_t start, uint32_t end, struct line_view *line)
{
	uint32_t size = end - start;

	line->at = s->bytes + start;
	line->is_terminated = end != s->size;
	line->dgram = s->dgram;
	if (size != 0 && unlikely(line->at[size - 1] == '\r'))
		size--;
	line->size = size;
	if (unlikely(size == 0))
		return false;
	cut_fields(line, size, s->origin);
	if (unlikely(s->needs_end) && !line->is_terminated)
		line->meta = 0; /* it may not be read */
	return true;
}

static inline uint32_t
cut_lines(struct line_split *s, struct line_view *lines, uint32_t n_max)
{
	uint32_t n = 0, start = s->start, next = s->next, n_newlines = s->n;

	while (n < n_max && next < n_newlines) {
		uint32_t end = s->newline[next++];

		n += cut_line(s, start, end, &lines[n]);
		start = end + 1;
	}
	s->start = start;
	s->next = next;
	return n;
}

/* The first newline of a short payload, or its size. */
static inline uint32_t
first_newline(const uint8_t *bytes, uint32_t size)
{
	uint64_t mask = block_newlines(bytes);
	uint32_t at = 0;

	if (mask == 0 && size > 64) {
		mask = block_newlines(bytes + 64);
		at = 64;
	}
	if (mask != 0)
		at += (uint32_t)__builtin_ctzll(mask);
	return mask != 0 && at < size ? at : size;
}

/* Turns to the next payload; it is cut at once when it is a single line. */
static inline uint32_t
begin_payload(struct line_split *s, const struct dgram *dgram, struct line_view *line)
{
	s->bytes = dgram->payload.data;
	s->size = (uint32_t)dgram->payload.size;
	s->origin = dgram->origin;
	s->needs_end = dgram->truncated || dgram->eol_required;
	s->searched = s->start = s->n = s->next = 0;
	if (s->size <= SHORT_PAYLOAD) {
		uint32_t end = first_newline(s->bytes, s->size);

		if (end + 1 >= s->size) {
			s->searched = s->size;
			return cut_line(s, 0, end, line);
		}
	}
	return 0;
}

static uint32_t
pass_split(struct line_split *s, const struct burst *burst, struct line_view *lines, uint32_t n_max)
{
	uint32_t n = 0;

	while (n < n_max) {
		if (s->next < s->n) {
			n += cut_lines(s, &lines[n], n_max - n);
		} else if (s->searched < s->size) {
			search(s);
		} else {
			if (s->n_begun == burst->n)
				break;
			s->dgram = s->n_begun++;
			n += begin_payload(s, &burst->dgram[s->dgram], &lines[n]);
		}
	}
	return n;
}

static inline void
prefetch_entry(const struct line_entry *entry, uint64_t meta)
{
	const uint8_t *at = (const uint8_t *)entry;
	uint32_t size =
		line_name_size(meta) + line_rest_size(meta) + (uint32_t)sizeof(struct line_entry);

	/* Without a branch for the usual two. */
	__builtin_prefetch(at);
	__builtin_prefetch(at + CACHE_LINE_SIZE);
	if (likely(size <= 2 * CACHE_LINE_SIZE))
		return;
	if (size > PREFETCH_LINES_MAX * CACHE_LINE_SIZE)
		size = PREFETCH_LINES_MAX * CACHE_LINE_SIZE;
	for (uint32_t offset = 2 * CACHE_LINE_SIZE; offset < size; offset += CACHE_LINE_SIZE)
		__builtin_prefetch(at + offset);
}

static inline void
hash_and_fetch(const struct line_cache *cache, const struct line_seed *seed, struct line_view *line)
{
	uint64_t hash = hash_line(seed, line);

	line->tag = (uint32_t)(hash >> 32);
	line->home = (uint32_t)hash;
	__builtin_prefetch(line_bucket(&cache->buckets, line->home));
}

static inline void
find_candidate(const struct line_cache *cache, struct line_view *line)
{
	const struct line_bucket *bucket = line_bucket(&cache->buckets, line->home);
	uint32_t found = bucket_matches(bucket, line->tag);

	if (unlikely(found == 0)) {
		uint32_t other = line_other_home(line->home, line->tag);

		bucket = line_bucket(&cache->buckets, other);
		found = bucket_matches(bucket, line->tag);
	}
	line->entry = LINE_NONE;
	if (unlikely(found == 0))
		return;
	line->entry = bucket->entry[__builtin_ctz(found)];
	prefetch_entry(line_entry(cache, line->entry), line->meta);
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
		const struct line_bucket *bucket = line_bucket(&cache->buckets, home[h]);
		uint32_t found = bucket_matches(bucket, line->tag);

		for (; found != 0; found &= found - 1) {
			uint32_t index = bucket->entry[__builtin_ctz(found)];

			if (is_the_line(line_entry(cache, index), line))
				return index;
		}
	}
	return LINE_NONE;
}

/* Leaves the line its candidate only if that is fresh and the very line. Returns whether there is
 * more memory behind its value. */
static inline bool
confirm(const struct line_cache *cache, const struct value *values, uint32_t tick,
	struct line_view *line)
{
	struct line_entry *entry;

	if (unlikely(line->entry == LINE_NONE))
		return false;
	entry = line_entry(cache, line->entry);
	if (unlikely(!is_the_line(entry, line))) {
		line->entry = find_among_all(cache, line);
		if (line->entry == LINE_NONE)
			return false;
		entry = line_entry(cache, line->entry);
	}
	if (unlikely(!line_is_fresh(cache, entry, tick))) {
		line->entry = LINE_NONE;
		return false;
	}
	__builtin_prefetch(&values[entry->slot], 1);
	return line_has_state(entry);
}

/* A bucket is looked at some lines after it was asked for: hashing hides the wait. */
static uint32_t
pass_look_up(const struct line_cache *cache, const struct line_search *search,
	struct line_view *lines, uint32_t n)
{
	uint32_t ahead = n < AHEAD ? n : AHEAD, n_states = 0;

	for (uint32_t i = 0; i < ahead; i++)
		hash_and_fetch(cache, search->seed, &lines[i]);
	for (uint32_t i = ahead; i < n; i++) {
		hash_and_fetch(cache, search->seed, &lines[i]);
		find_candidate(cache, &lines[i - ahead]);
	}
	for (uint32_t i = n - ahead; i < n; i++)
		find_candidate(cache, &lines[i]);
	for (uint32_t i = 0; i < n; i++)
		n_states += confirm(cache, search->values, search->tick, &lines[i]);
	return n_states;
}
