/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts of keys that lie close together, one word a key in a row: what a sketch with many values
 * adds to instead of sorting and merging lists.
 */
#ifndef SKETCH_WINDOW_H
#define SKETCH_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "mem/arena.h"

/* Keys side by side at most: values whose ratio is 6 * 10^13. */
#define WINDOW_WIDTH_MAX 2048

struct window {
	int32_t first; /* key of n[0] */
	uint32_t width;
	uint32_t n[];
};

/* Whether a window can hold keys low to high. */
static inline bool
window_fits(int32_t low, int32_t high)
{
	return high - low < WINDOW_WIDTH_MAX;
}

/* An empty window around keys that window_fits; NULL without memory. */
struct window *window_new(struct arena *arena, int32_t low, int32_t high);

/* The count of a key, or NULL when the key lies outside. */
static inline uint32_t *
window_count(struct window *window, int32_t key)
{
	uint32_t at = (uint32_t)(key - window->first);

	return at < window->width ? &window->n[at] : NULL;
}

/* The lowest and highest key with a count; false when there is none. */
bool window_span(const struct window *window, int32_t *ret_low, int32_t *ret_high);

/* A window that holds all counts and also the key. NULL: too far away, or no memory. */
struct window *window_widen(const struct window *window, struct arena *arena, int32_t key);

#endif
