/* SPDX-License-Identifier: BSD-3-Clause */
/* hot: no malloc, no syscall, no log, no lock */
/*
 * The passes for AVX2. The hash is NH (Black and others, UMAC, 1999): 32-bit words plus secret
 * words, halves multiplied, products added; two different keys of one length collide with
 * probability 2^-32 whatever they are, and lengths are part of the sum.
 */
#include <immintrin.h>

#include "line/passes.h"

/* Bytes offset to offset + 31 of a piece of size bytes (64 at most): all ones where inside. */
static inline __m256i
inside(uint32_t size, int offset)
{
	const __m256i position = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
		15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);

	return _mm256_cmpgt_epi8(_mm256_set1_epi8((char)((int)size - offset)), position);
}

static inline __m256i
load(const void *at)
{
	return _mm256_loadu_si256(at);
}

static inline uint32_t
equal_bytes(__m256i bytes, char byte)
{
	return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(byte)));
}

static inline uint64_t
block_newlines(const uint8_t *bytes)
{
	return equal_bytes(load(bytes), '\n') | (uint64_t)equal_bytes(load(bytes + 32), '\n') << 32;
}

static inline uint32_t
find_byte(const uint8_t *bytes, uint32_t size, uint8_t byte)
{
	for (uint32_t at = 0; at < size; at += 32) {
		uint32_t mask = equal_bytes(load(bytes + at), (char)byte);

		if (mask != 0) {
			at += (uint32_t)__builtin_ctz(mask);
			return at < size ? at : size;
		}
	}
	return size;
}

/* One load answers both when name and value are short. A position beyond the line is none: the
 * caller compares with size. */
static inline void
find_fields(const uint8_t *bytes, uint32_t size, uint32_t *colon, uint32_t *pipe)
{
	__m256i first = load(bytes);
	uint32_t colons = equal_bytes(first, ':');
	/* Those above the lowest ':' only. */
	uint32_t pipes = equal_bytes(first, '|') & ~(colons ^ (colons - 1));

	if (likely(pipes != 0)) {
		*colon = (uint32_t)__builtin_ctz(colons);
		*pipe = (uint32_t)__builtin_ctz(pipes);
		return;
	}
	*colon = find_byte(bytes, size, ':');
	*pipe = size;
	if (*colon < size)
		*pipe = *colon + find_byte(bytes + *colon, size - *colon, '|');
}

static inline __m256i
nh(__m256i words, const uint32_t *seed)
{
	__m256i sum = _mm256_add_epi32(words, load(seed));

	return _mm256_mul_epu32(sum, _mm256_srli_epi64(sum, 32));
}

static __m256i
nh_long(const uint8_t *bytes, uint32_t size, const uint32_t *seed)
{
	__m256i sum = _mm256_setzero_si256();
	uint32_t at = 0;

	for (; at + 32 <= size; at += 32)
		sum = _mm256_add_epi64(sum, nh(load(bytes + at), seed + at / 4));
	if (at < size)
		sum = _mm256_add_epi64(sum,
			nh(_mm256_and_si256(load(bytes + at), inside(size - at, 0)),
				seed + at / 4));
	return sum;
}

static inline uint64_t
fold(__m256i sum)
{
	__m128i half = _mm_add_epi64(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));

	return (uint64_t)_mm_cvtsi128_si64(half) + (uint64_t)_mm_extract_epi64(half, 1);
}

static inline uint64_t
hash_line(const struct line_seed *seed, const struct line_view *line)
{
	uint32_t name_size = line_name_size(line->meta), rest_size = line_rest_size(line->meta);
	const uint8_t *name = line->at, *rest = line_rest(line);
	uint64_t meta = line->meta + seed->meta, x;
	__m256i sum;

	if (likely(name_size <= 32 && rest_size <= 64))
		sum = _mm256_add_epi64(
			nh(_mm256_and_si256(load(name), inside(name_size, 0)), seed->name),
			_mm256_add_epi64(
				nh(_mm256_and_si256(load(rest), inside(rest_size, 0)), seed->rest),
				nh(_mm256_and_si256(load(rest + 32), inside(rest_size, 32)),
					seed->rest + 8)));
	else
		sum = _mm256_add_epi64(nh_long(name, name_size, seed->name),
			nh_long(rest, rest_size, seed->rest));
	x = fold(sum) + (meta & UINT32_MAX) * (meta >> 32);
	return (x * seed->tag & ~(uint64_t)UINT32_MAX) | (uint32_t)_mm_crc32_u64(seed->home, x);
}

/* All zero where the first size bytes (64 at most) of both are equal. */
static inline __m256i
difference(const uint8_t *a, const uint8_t *b, uint32_t size, int offset)
{
	return _mm256_and_si256(_mm256_xor_si256(load(a + offset), load(b + offset)),
		inside(size, offset));
}

static bool
equal_long(const uint8_t *a, const uint8_t *b, uint32_t size)
{
	__m256i sum = _mm256_setzero_si256();
	uint32_t at = 0;

	for (; at + 32 <= size; at += 32)
		sum = _mm256_or_si256(sum, _mm256_xor_si256(load(a + at), load(b + at)));
	if (at < size)
		sum = _mm256_or_si256(sum, difference(a + at, b + at, size - at, 0));
	return _mm256_testz_si256(sum, sum);
}

static inline bool
key_equal(const struct line_entry *entry, const struct line_view *line)
{
	uint32_t name_size = line_name_size(line->meta), rest_size = line_rest_size(line->meta);
	const uint8_t *rest = line_rest(line), *key_rest = entry->key + name_size;
	__m256i sum;

	if (unlikely(name_size > 32 || rest_size > 64))
		return equal_long(entry->key, line->at, name_size) &&
			equal_long(key_rest, rest, rest_size);
	sum = _mm256_or_si256(difference(entry->key, line->at, name_size, 0),
		_mm256_or_si256(difference(key_rest, rest, rest_size, 0),
			difference(key_rest, rest, rest_size, 32)));
	return _mm256_testz_si256(sum, sum);
}

static inline uint32_t
bucket_matches(const struct line_bucket *bucket, uint32_t tag)
{
	__m256i same = _mm256_cmpeq_epi32(load(bucket->tag), _mm256_set1_epi32((int)tag));
	__m256i none = _mm256_cmpeq_epi32(load(bucket->entry), _mm256_setzero_si256());

	return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_andnot_si256(none, same)));
}

#include "line/passes_body.h"

const struct line_passes line_passes_avx2 = {"avx2", pass_split, pass_look_up};
