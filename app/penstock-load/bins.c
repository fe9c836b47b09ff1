/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstock-load/bins.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LN_GAMMA 0.015504186535965254 /* log1p(1.0 / 64) */
#define BIAS 1338
#define KEY_MAX 32767
#define CAPACITY_FIRST 8

int32_t
bins_key(double value)
{
	double key;

	if (value < 0)
		return -bins_key(-value);
	if (value < exp(LN_GAMMA * (1 - BIAS)))
		return 0;
	key = nearbyint(log(value) / LN_GAMMA) + BIAS;
	if (key < 1)
		return 1;
	return key > KEY_MAX ? KEY_MAX : (int32_t)key;
}

/* Index of the first bin whose key is not below. */
static uint32_t
lower_bound(const struct bins *bins, int32_t key)
{
	uint32_t first = 0, n = bins->n;

	while (n > 0) {
		uint32_t half = n / 2;

		if (bins->bin[first + half].key < key) {
			first += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return first;
}

int
bins_add(struct bins *bins, int32_t key, uint64_t weight)
{
	uint32_t at = lower_bound(bins, key);

	if (at < bins->n && bins->bin[at].key == key) {
		bins->bin[at].n += weight;
		return 0;
	}
	if (bins->n == bins->capacity) {
		uint32_t capacity = bins->capacity != 0 ? 2 * bins->capacity : CAPACITY_FIRST;
		struct bin *bin = realloc(bins->bin, capacity * sizeof(*bin));

		if (bin == NULL)
			return -ENOMEM;
		bins->bin = bin;
		bins->capacity = capacity;
	}
	memmove(&bins->bin[at + 1], &bins->bin[at], (bins->n - at) * sizeof(*bins->bin));
	bins->bin[at] = (struct bin){key, weight};
	bins->n++;
	return 0;
}

void
bins_done(struct bins *bins)
{
	free(bins->bin);
	*bins = (struct bins){0};
}
