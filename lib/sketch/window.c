/* SPDX-License-Identifier: BSD-3-Clause */
#include "sketch/window.h"

#include <string.h>

#define WIDTH_MIN 128

struct window *
window_new(struct arena *arena, int32_t low, int32_t high)
{
	uint32_t needed = (uint32_t)(high - low) + 1, width = WIDTH_MIN;
	struct window *window;

	/* As much again as is needed, so that it is rarely widened. */
	while (width < WINDOW_WIDTH_MAX && width < 2 * needed)
		width *= 2;
	window = arena_alloc(arena, sizeof(*window) + width * sizeof(window->n[0]));
	if (window == NULL)
		return NULL;
	window->first = low - (int32_t)((width - needed) / 2);
	window->width = width;
	memset(window->n, 0, width * sizeof(window->n[0]));
	return window;
}

bool
window_span(const struct window *window, int32_t *ret_low, int32_t *ret_high)
{
	uint32_t low = 0, high = window->width;

	while (low < high && window->n[low] == 0)
		low++;
	if (low == high)
		return false;
	while (window->n[high - 1] == 0)
		high--;
	*ret_low = window->first + (int32_t)low;
	*ret_high = window->first + (int32_t)high - 1;
	return true;
}

struct window *
window_widen(const struct window *window, struct arena *arena, int32_t key)
{
	int32_t low, high, new_low, new_high;
	struct window *wider;

	if (!window_span(window, &low, &high))
		return window_new(arena, key, key);
	new_low = key < low ? key : low;
	new_high = key > high ? key : high;
	if (!window_fits(new_low, new_high))
		return NULL;
	wider = window_new(arena, new_low, new_high);
	if (wider == NULL)
		return NULL;
	memcpy(window_count(wider, low), &window->n[low - window->first],
		(size_t)(high - low + 1) * sizeof(window->n[0]));
	return wider;
}
