/* SPDX-License-Identifier: BSD-3-Clause */
/* The passes in plain C: what the vectors are compared against, and what runs without AVX2. */
#include "base/hash.h"
#include "line/passes.h"

static inline uint64_t
block_newlines(const uint8_t *bytes)
{
	uint64_t mask = 0;

	for (uint32_t i = 0; i < 64; i++)
		mask |= (uint64_t)(bytes[i] == '\n') << i;
	return mask;
}

static inline uint32_t
find_byte(const uint8_t *bytes, uint32_t size, uint8_t byte)
{
	return (uint32_t)span_find(span_of(bytes, size), byte);
}

static inline void
find_fields(const uint8_t *bytes, uint32_t size, uint32_t *colon, uint32_t *pipe)
{
	*colon = find_byte(bytes, size, ':');
	*pipe = size;
	if (*colon < size)
		*pipe = *colon + find_byte(bytes + *colon, size - *colon, '|');
}

static inline uint64_t
hash_line(const struct line_seed *seed, const struct line_view *line)
{
	struct span name = span_of(line->at, line_name_size(line->meta));
	struct span rest = span_of(line_rest(line), line_rest_size(line->meta));

	return hash_span(rest, hash_span(name, seed->meta ^ line->meta));
}

static inline bool
key_equal(const struct line_entry *entry, const struct line_view *line)
{
	uint32_t name_size = line_name_size(line->meta);

	return memcmp(entry->key, line->at, name_size) == 0 &&
		memcmp(entry->key + name_size, line_rest(line), line_rest_size(line->meta)) == 0;
}

static inline uint32_t
bucket_matches(const struct line_bucket *bucket, uint32_t tag)
{
	uint32_t mask = 0;

	for (uint32_t i = 0; i < LINE_PLACES; i++)
		mask |= (uint32_t)(bucket->tag[i] == tag && bucket->entry[i] != LINE_NONE) << i;
	return mask;
}

#include "line/passes_body.h"

const struct line_passes line_passes_plain = {"plain", pass_split, pass_look_up};

const struct line_passes *
line_passes_choose(void)
{
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi"))
		return &line_passes_avx2;
	return &line_passes_plain;
}
