/* SPDX-License-Identifier: BSD-3-Clause */
#include "conf/nearest.h"

#include <string.h>

#define SIZE_MAX_NAME 64 /* longer names are not compared */

static char
folded(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c - 'A' + 'a');
	return c == '-' ? '_' : c;
}

static size_t
smallest(size_t a, size_t b, size_t c)
{
	size_t least = a < b ? a : b;

	return least < c ? least : c;
}

/* Optimal string alignment distance: Levenshtein's with swaps of neighbours. */
static size_t
edit_distance(const char *a, size_t a_size, const char *b, size_t b_size)
{
	size_t row[3][SIZE_MAX_NAME + 1];
	size_t *before = row[0], *last = row[1], *current = row[2];

	for (size_t j = 0; j <= b_size; j++)
		last[j] = j;
	for (size_t i = 1; i <= a_size; i++) {
		size_t *recycled = before;

		current[0] = i;
		for (size_t j = 1; j <= b_size; j++) {
			char x = folded(a[i - 1]), y = folded(b[j - 1]);

			current[j] =
				smallest(last[j] + 1, current[j - 1] + 1, last[j - 1] + (x != y));
			if (i > 1 && j > 1 && x == folded(b[j - 2]) && y == folded(a[i - 2]) &&
				before[j - 2] + 1 < current[j])
				current[j] = before[j - 2] + 1;
		}
		before = last;
		last = current;
		current = recycled;
	}
	return last[b_size];
}

void
nearest_offer(struct nearest *nearest, const char *candidate)
{
	size_t size = strlen(nearest->name), candidate_size = strlen(candidate), distance;

	if (size > SIZE_MAX_NAME || candidate_size > SIZE_MAX_NAME)
		return;
	distance = edit_distance(nearest->name, size, candidate, candidate_size);
	if (distance > (candidate_size + 2) / 3 || distance >= candidate_size)
		return;
	if (nearest->best != NULL && nearest->distance <= distance)
		return;
	nearest->best = candidate;
	nearest->distance = distance;
}
