/* SPDX-License-Identifier: BSD-3-Clause */
#include "reference.h"

#include <stdlib.h>

#include "base/hash.h"
#include "measure.h"

#define KEY_MAX 512 /* bytes, on average */
#define BATCH 1024 /* lines between hash and look-up, at most */
#define AHEAD 8 /* lines by which a series is fetched early */

struct slot {
	uint64_t hash;
	uint32_t series; /* 0: free */
};

struct series {
	double sum;
	uint64_t n;
	uint32_t key, name_size, rest_size; /* name and rest follow each other in keys */
};

struct parsed {
	struct span name, rest; /* rest: what follows the type */
	double value;
	uint64_t hash;
};

struct reference {
	struct slot *slots; /* at least twice as many as series */
	uint64_t mask; /* number of slots - 1 */
	struct series *series; /* the first is never used */
	uint8_t *keys;
	size_t keys_used, keys_size;
	uint32_t n_series, n_series_max, n_batch;
	bool fetches_keys;
	struct parsed batch[BATCH];
};

struct reference *
reference_new(uint32_t n_series_max, bool fetches_keys)
{
	struct reference *reference = calloc(1, sizeof(*reference));
	size_t n_slots = 1;

	while (n_slots < 2 * (size_t)n_series_max)
		n_slots *= 2;
	if (reference == NULL)
		measure_fail("no memory for the reference");
	*reference = (struct reference){
		.slots = calloc(n_slots, sizeof(struct slot)),
		.mask = n_slots - 1,
		.series = calloc(n_series_max + 1, sizeof(struct series)),
		.keys = calloc(n_series_max, KEY_MAX),
		.keys_size = (size_t)n_series_max * KEY_MAX,
		.n_series = 1,
		.n_series_max = n_series_max,
		.fetches_keys = fetches_keys,
	};
	if (reference->slots == NULL || reference->series == NULL || reference->keys == NULL)
		measure_fail("no memory for the reference");
	return reference;
}

void
reference_free(struct reference *reference)
{
	if (reference == NULL)
		return;
	free(reference->slots);
	free(reference->series);
	free(reference->keys);
	free(reference);
}

static inline bool
is_digit(uint8_t byte)
{
	return (uint8_t)(byte - '0') < 10;
}

static inline const uint8_t *
read_number(const uint8_t *at, const uint8_t *end, double *ret_value)
{
	bool is_negative = at < end && *at == '-';
	uint64_t whole = 0, fraction = 0, scale = 1;
	double value;

	for (at += is_negative; at < end && is_digit(*at); at++)
		whole = whole * 10 + (*at - '0');
	value = (double)whole;
	if (at < end && *at == '.') {
		for (at++; at < end && is_digit(*at); at++, scale *= 10)
			fraction = fraction * 10 + (*at - '0');
		value += (double)fraction / (double)scale;
	}
	*ret_value = is_negative ? -value : value;
	return at;
}

/* False when it is no metric. */
static inline bool
parse_line(struct span line, struct parsed *parsed)
{
	const uint8_t *end = line.data + line.size, *at = memchr(line.data, ':', line.size);
	double value;

	if (at == NULL)
		return false;
	parsed->name = span_of(line.data, (size_t)(at - line.data));
	parsed->value = 0;
	do {
		at = read_number(at + 1, end, &value);
		parsed->value += value;
		while (at < end && *at != ':' && *at != '|')
			at++;
	} while (at < end && *at == ':');
	if (end - at < 2)
		return false;
	at += 2; /* "|c", and one letter more for "|ms" */
	at += at < end && *at != '|';
	parsed->rest = span_of(at, (size_t)(end - at));
	return true;
}

static void
add_series(struct reference *reference, struct slot *slot, const struct parsed *parsed)
{
	struct series *series = &reference->series[reference->n_series];
	uint8_t *key = reference->keys + reference->keys_used;
	size_t size = parsed->name.size + parsed->rest.size;

	if (reference->n_series > reference->n_series_max ||
		size > reference->keys_size - reference->keys_used)
		measure_fail("too many series for the reference");
	memcpy(key, parsed->name.data, parsed->name.size);
	memcpy(key + parsed->name.size, parsed->rest.data, parsed->rest.size);
	*series = (struct series){
		.sum = parsed->value,
		.n = 1,
		.key = (uint32_t)reference->keys_used,
		.name_size = (uint32_t)parsed->name.size,
		.rest_size = (uint32_t)parsed->rest.size,
	};
	*slot = (struct slot){parsed->hash, reference->n_series++};
	reference->keys_used += size;
}

static inline void
add_line(struct reference *reference, const struct parsed *parsed)
{
	for (uint64_t i = parsed->hash;; i++) {
		struct slot *slot = &reference->slots[i & reference->mask];
		struct series *series = &reference->series[slot->series];
		const uint8_t *key = reference->keys + series->key;

		if (slot->series == 0) {
			add_series(reference, slot, parsed);
			return;
		}
		if (slot->hash == parsed->hash && series->name_size == parsed->name.size &&
			series->rest_size == parsed->rest.size &&
			memcmp(key, parsed->name.data, parsed->name.size) == 0 &&
			memcmp(key + parsed->name.size, parsed->rest.data, parsed->rest.size) ==
				0) {
			series->sum += parsed->value;
			series->n++;
			return;
		}
	}
}

static inline const struct series *
guess(const struct reference *reference, uint32_t i)
{
	uint64_t hash = reference->batch[i].hash;

	return &reference->series[reference->slots[hash & reference->mask].series];
}

/* Slots were fetched when the lines were hashed; series are fetched a few lines ahead, and keys
 * after them. */
static inline void
add_lines(struct reference *reference, bool fetches_keys)
{
	uint32_t n = reference->n_batch, ahead = fetches_keys ? 2 * AHEAD : AHEAD;

	for (uint32_t i = 0; i < n; i++) {
		if (i + ahead < n)
			__builtin_prefetch(guess(reference, i + ahead));
		if (fetches_keys && i + AHEAD < n)
			__builtin_prefetch(reference->keys + guess(reference, i + AHEAD)->key);
		add_line(reference, &reference->batch[i]);
	}
	reference->n_batch = 0;
}

static void
add_batch(struct reference *reference)
{
	if (reference->fetches_keys)
		add_lines(reference, true);
	else
		add_lines(reference, false);
}

static inline void
take_line(struct reference *reference, struct span line)
{
	struct parsed *parsed = &reference->batch[reference->n_batch];

	if (!parse_line(line, parsed))
		return;
	parsed->hash = hash_span(parsed->name, 0) * UINT64_C(0x9e3779b97f4a7c15) ^
		hash_span(parsed->rest, 0);
	__builtin_prefetch(&reference->slots[parsed->hash & reference->mask]);
	if (++reference->n_batch == BATCH)
		add_batch(reference);
}

void
reference_take(struct reference *reference, const struct span *payloads, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct span rest = payloads[i];

		while (rest.size != 0) {
			size_t size = span_find(rest, '\n');

			take_line(reference, span_of(rest.data, size));
			rest = span_from(rest, size < rest.size ? size + 1 : size);
		}
	}
	add_batch(reference);
}

uint32_t
reference_total(const struct reference *reference, uint64_t *ret_lines, double *ret_sum)
{
	*ret_lines = 0;
	*ret_sum = 0;
	for (uint32_t i = 1; i < reference->n_series; i++) {
		*ret_lines += reference->series[i].n;
		*ret_sum += reference->series[i].sum;
	}
	return reference->n_series - 1;
}
