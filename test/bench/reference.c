/* SPDX-License-Identifier: BSD-3-Clause */
#include "reference.h"

#include <stdlib.h>

#include "base/hash.h"
#include "measure.h"

#define SLOTS (1 << 17)
#define SERIES_MAX (SLOTS / 2)
#define KEYS_SIZE ((size_t)SERIES_MAX * 512)
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
	struct slot slots[SLOTS];
	struct series series[SERIES_MAX];
	struct parsed batch[BATCH];
	uint32_t n_series, n_batch;
	size_t keys_used;
	uint8_t keys[];
};

struct reference *
reference_new(void)
{
	struct reference *reference = calloc(1, sizeof(*reference) + KEYS_SIZE);

	if (reference == NULL)
		measure_fail("no memory for the reference");
	reference->n_series = 1;
	return reference;
}

void
reference_free(struct reference *reference)
{
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

	if (reference->n_series == SERIES_MAX || size > KEYS_SIZE - reference->keys_used)
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
		struct slot *slot = &reference->slots[i % SLOTS];
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

/* Slots were fetched when the lines were hashed; series are fetched a few lines ahead. */
static void
add_batch(struct reference *reference)
{
	for (uint32_t i = 0; i < reference->n_batch; i++) {
		if (i + AHEAD < reference->n_batch) {
			uint64_t hash = reference->batch[i + AHEAD].hash;

			__builtin_prefetch(
				&reference->series[reference->slots[hash % SLOTS].series]);
		}
		add_line(reference, &reference->batch[i]);
	}
	reference->n_batch = 0;
}

static inline void
take_line(struct reference *reference, struct span line)
{
	struct parsed *parsed = &reference->batch[reference->n_batch];

	if (!parse_line(line, parsed))
		return;
	parsed->hash = hash_span(parsed->name, 0) * UINT64_C(0x9e3779b97f4a7c15) ^
		hash_span(parsed->rest, 0);
	__builtin_prefetch(&reference->slots[parsed->hash % SLOTS]);
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
