/* SPDX-License-Identifier: BSD-3-Clause */
#include "sketch/ddsketch.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/compiler.h"

/* gamma = 1 + 1/64. */
#define GAMMA 1.015625
#define GAMMA_LN 0x1.fc0a8b0fc03e4p-7 /* log1p(1 / 64) */
#define BIAS 1338
#define KEY_MAX 32767 /* everything above gamma^(32766 - BIAS) */
#define SMALLEST 0x1.1147942601311p-30 /* gamma^(1 - BIAS): below it the key is 0 */

#define PENDING_MIN 16
#define PENDING_MAX 512
#define BINS_MIN 8

/* A window is bins in another form as long as the lowest keys need not collapse: 2048 keys and
 * 2047 full bins are fewer than 4096, whatever the counts are. */
#define WINDOW_COUNT_MAX \
	((uint64_t)(DDSKETCH_BINS_MAX - WINDOW_WIDTH_MAX - 1) * DDSKETCH_BIN_WIDTH_MAX)
#define WINDOW_BINS_MIN 64 /* weighted values: so many bins are worth a window */

/*
 * ln(magnitude) / ln(gamma), off by less than INDEX_ERROR: with m in [1, 2) and s = (m - c)/(m +
 * c), ln m = ln c + 2 (s + s^3/3 + s^5/5 + s^7/7 + ...). For c = sqrt(2) |s| is below 0.172, and
 * what is left out below 2 s^9/9 / (1 - s^2) < 3.1e-8, which is 2e-6 of an index.
 */
#define INDEX_ERROR 1e-5

static inline double
approximate_index(double magnitude)
{
	uint64_t bits, mantissa_bits;
	double m, s, square, series;

	memcpy(&bits, &magnitude, sizeof(bits));
	mantissa_bits = (bits & 0xfffffffffffff) | UINT64_C(1023) << 52;
	memcpy(&m, &mantissa_bits, sizeof(m));
	s = (m - M_SQRT2) / (m + M_SQRT2);
	square = s * s;
	series = s * (2 + square * (2.0 / 3 + square * (2.0 / 5 + square * (2.0 / 7))));
	return (((double)(bits >> 52) - 1022.5) * M_LN2 + series) * (1 / GAMMA_LN);
}

/* The index rounded half to even: from the approximation, unless that is too near to a half. */
static inline double
round_index(double magnitude)
{
	const double shift = 0x1.8p52; /* adding it leaves no bit for a fraction */
	double index = approximate_index(magnitude), rounded = (index + shift) - shift;

	if (fabs(index - rounded) < 0.5 - INDEX_ERROR)
		return rounded;
	return nearbyint(log(magnitude) / GAMMA_LN);
}

int16_t
ddsketch_key(double value)
{
	double magnitude = fabs(value), key;

	if (magnitude < SMALLEST)
		return 0;
	key = round_index(magnitude) + BIAS;
	if (key > KEY_MAX)
		key = KEY_MAX;
	if (key < 1)
		key = 1;
	return (int16_t)(value < 0 ? -key : key);
}

/* The lower edge of a key's values. */
static double
key_value(int16_t key)
{
	double magnitude;

	if (key == 0)
		return 0;
	magnitude = key == KEY_MAX || key == -KEY_MAX ? INFINITY
						      : pow(GAMMA, (key < 0 ? -key : key) - BIAS);
	return key < 0 ? -magnitude : magnitude;
}

/* The arithmetic, and its order, are the Agent's: avg moves by each value's share. */
static void
summarise(struct ddsketch *sketch, double value, uint64_t weight)
{
	if (sketch->count == 0) {
		sketch->min = sketch->max = sketch->avg = value;
		sketch->sum = (double)weight * value;
		sketch->count = weight;
		return;
	}
	if (value > sketch->max)
		sketch->max = value;
	if (value < sketch->min)
		sketch->min = value;
	sketch->count += weight;
	sketch->sum += (double)weight * value;
	sketch->avg += (value - sketch->avg) * (double)weight / (double)sketch->count;
}

static void
summarise_other(struct ddsketch *sketch, const struct ddsketch *other)
{
	if (other->count == 0)
		return;
	if (sketch->count == 0) {
		sketch->min = other->min;
		sketch->max = other->max;
		sketch->sum = other->sum;
		sketch->avg = other->avg;
		sketch->count = other->count;
		return;
	}
	if (other->max > sketch->max)
		sketch->max = other->max;
	if (other->min < sketch->min)
		sketch->min = other->min;
	sketch->count += other->count;
	sketch->sum += other->sum;
	sketch->avg += (other->avg - sketch->avg) * (double)other->count / (double)sketch->count;
}

/* Room for n bins; what is there stays. The old array is abandoned to the arena. */
static int
reserve_bins(struct ddsketch *sketch, struct arena *arena, uint64_t n)
{
	uint64_t capacity = sketch->bins_capacity != 0 ? sketch->bins_capacity : BINS_MIN;
	struct ddsketch_bin *bins;

	if (n <= sketch->bins_capacity)
		return 0;
	while (capacity < n)
		capacity *= 2;
	if (capacity > UINT32_MAX)
		return -ENOMEM;
	bins = arena_alloc(arena, capacity * sizeof(*bins));
	if (bins == NULL)
		return -ENOMEM;
	if (sketch->n_bins != 0)
		memcpy(bins, sketch->bins, sketch->n_bins * sizeof(*bins));
	sketch->bins = bins;
	sketch->bins_capacity = (uint32_t)capacity;
	return 0;
}

static uint64_t
bins_needed(uint64_t n)
{
	return n / DDSKETCH_BIN_WIDTH_MAX + (n % DDSKETCH_BIN_WIDTH_MAX != 0);
}

/* n under one key: the remainder first, then full bins. Returns how many bins were written. */
static uint64_t
write_bins(struct ddsketch_bin *out, int16_t key, uint64_t n)
{
	uint64_t n_bins = bins_needed(n), remainder = n % DDSKETCH_BIN_WIDTH_MAX;

	for (uint64_t i = 0; i < n_bins; i++)
		out[i] = (struct ddsketch_bin){key, DDSKETCH_BIN_WIDTH_MAX};
	if (remainder != 0)
		out[0].n = (uint16_t)remainder;
	return n_bins;
}

/*
 * Keeps the highest 4096 bins: the counts of the others go into the lowest one kept. As the Agent
 * does it, what does not fit there stays in front, in full bins under the keys where they filled
 * up, and is not counted against the limit.
 */
static void
trim(struct ddsketch *sketch)
{
	struct ddsketch_bin *bins = sketch->bins;
	uint32_t n_removed, n_overflow = 0, moved = 0, room;

	if (sketch->n_bins <= DDSKETCH_BINS_MAX)
		return;
	n_removed = sketch->n_bins - DDSKETCH_BINS_MAX;
	for (uint32_t i = 0; i < n_removed; i++) {
		moved += bins[i].n;
		if (moved > DDSKETCH_BIN_WIDTH_MAX) {
			/* Never ahead of the read: the first bin alone cannot exceed the width. */
			bins[n_overflow++] =
				(struct ddsketch_bin){bins[i].key, DDSKETCH_BIN_WIDTH_MAX};
			moved -= DDSKETCH_BIN_WIDTH_MAX;
		}
	}
	room = DDSKETCH_BIN_WIDTH_MAX - bins[n_removed].n;
	if (moved > room) {
		bins[n_removed].n = DDSKETCH_BIN_WIDTH_MAX;
		bins[n_overflow++] =
			(struct ddsketch_bin){bins[n_removed].key, (uint16_t)(moved - room)};
	} else {
		bins[n_removed].n = (uint16_t)(bins[n_removed].n + moved);
	}
	memmove(bins + n_overflow, bins + n_removed, DDSKETCH_BINS_MAX * sizeof(*bins));
	sketch->n_bins = DDSKETCH_BINS_MAX + n_overflow;
}

/*
 * Merges two ascending lists. Bins of one key are paired in order and their sum is written anew, so
 * the result has at least as many bins as each of them. out may be the array that holds a, if a
 * stands at its very end and the result fits: writing then never overtakes reading. Counts only
 * when out is NULL.
 */
static uint64_t
merge_bins(const struct ddsketch_bin *a, uint32_t n_a, const struct ddsketch_bin *b, uint32_t n_b,
	struct ddsketch_bin *out)
{
	struct ddsketch_bin scratch[2];
	uint32_t at_a = 0, at_b = 0;
	uint64_t n = 0;

	while (at_a < n_a || at_b < n_b) {
		struct ddsketch_bin *to = out != NULL ? out + n : scratch;
		bool has_a = at_b == n_b || (at_a < n_a && a[at_a].key <= b[at_b].key);
		bool has_b = at_a == n_a || (at_b < n_b && b[at_b].key <= a[at_a].key);
		uint32_t sum = 0;
		int16_t key = has_a ? a[at_a].key : b[at_b].key;

		if (has_a)
			sum += a[at_a++].n;
		if (has_b)
			sum += b[at_b++].n;
		n += write_bins(to, key, sum);
	}
	return n;
}

/* Adds n_more ascending bins of another array. */
static int
add_bins(struct ddsketch *sketch, struct arena *arena, const struct ddsketch_bin *more,
	uint32_t n_more)
{
	bool is_self = more == sketch->bins;
	uint64_t n_merged = merge_bins(sketch->bins, sketch->n_bins, more, n_more, NULL);
	struct ddsketch_bin *tail;

	if (n_merged == 0)
		return 0;
	if (reserve_bins(sketch, arena, n_merged) != 0)
		return -ENOMEM;
	tail = sketch->bins + sketch->bins_capacity - sketch->n_bins;
	if (sketch->n_bins != 0)
		memmove(tail, sketch->bins, sketch->n_bins * sizeof(*tail));
	if (is_self)
		more = tail;
	merge_bins(tail, sketch->n_bins, more, n_more, sketch->bins);
	sketch->n_bins = (uint32_t)n_merged;
	trim(sketch);
	return 0;
}

/* One pass of a radix sort by eight bits; the sign bit is flipped so that negatives come first. */
static void
sort_pass(const int16_t *from, int16_t *to, uint32_t n, unsigned shift)
{
	uint16_t start[256] = {0}, sum = 0;

	for (uint32_t i = 0; i < n; i++)
		start[(((uint16_t)from[i] ^ 0x8000u) >> shift) & 0xff]++;
	for (unsigned i = 0; i < 256; i++) {
		uint16_t count = start[i];

		start[i] = sum;
		sum = (uint16_t)(sum + count);
	}
	for (uint32_t i = 0; i < n; i++)
		to[start[(((uint16_t)from[i] ^ 0x8000u) >> shift) & 0xff]++] = from[i];
}

static int
settle_pending(struct ddsketch *sketch, struct arena *arena)
{
	struct ddsketch_bin runs[PENDING_MAX];
	int16_t half_sorted[PENDING_MAX];
	uint32_t n_runs = 0;

	if (sketch->n_pending == 0)
		return 0;
	sort_pass(sketch->pending, half_sorted, sketch->n_pending, 0);
	sort_pass(half_sorted, sketch->pending, sketch->n_pending, 8);
	for (uint32_t i = 0; i < sketch->n_pending; i++) {
		if (n_runs == 0 || runs[n_runs - 1].key != sketch->pending[i])
			runs[n_runs++] = (struct ddsketch_bin){sketch->pending[i], 0};
		runs[n_runs - 1].n++;
	}
	if (add_bins(sketch, arena, runs, n_runs) != 0)
		return -ENOMEM;
	sketch->n_pending = 0;
	return 0;
}

static int
close_window(struct ddsketch *sketch, struct arena *arena)
{
	const struct window *window = sketch->window;
	uint64_t n = 0;

	for (uint32_t i = 0; i < window->width; i++)
		n += bins_needed(window->n[i]);
	if (reserve_bins(sketch, arena, n) != 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < window->width; i++)
		sketch->n_bins += (uint32_t)write_bins(sketch->bins + sketch->n_bins,
			(int16_t)(window->first + (int32_t)i), window->n[i]);
	sketch->window = NULL;
	return 0;
}

int
ddsketch_settle(struct ddsketch *sketch, struct arena *arena)
{
	if (sketch->window != NULL)
		return close_window(sketch, arena);
	return settle_pending(sketch, arena);
}

/* The lowest and highest key of a sketch that has some, and no window. */
static void
find_span(const struct ddsketch *sketch, int32_t *ret_low, int32_t *ret_high)
{
	int32_t low = INT16_MAX, high = INT16_MIN;

	if (sketch->n_bins != 0) {
		low = sketch->bins[0].key;
		high = sketch->bins[sketch->n_bins - 1].key;
	}
	for (uint32_t i = 0; i < sketch->n_pending; i++) {
		low = sketch->pending[i] < low ? sketch->pending[i] : low;
		high = sketch->pending[i] > high ? sketch->pending[i] : high;
	}
	*ret_low = low;
	*ret_high = high;
}

/* Moves all counts into a window; when that cannot be, all stays as it is. */
static void
open_window(struct ddsketch *sketch, struct arena *arena)
{
	struct window *window;
	int32_t low, high;

	if (sketch->count > WINDOW_COUNT_MAX)
		return;
	find_span(sketch, &low, &high);
	if (!window_fits(low, high))
		return;
	window = window_new(arena, low, high);
	if (window == NULL)
		return;
	for (uint32_t i = 0; i < sketch->n_bins; i++)
		*window_count(window, sketch->bins[i].key) += sketch->bins[i].n;
	for (uint32_t i = 0; i < sketch->n_pending; i++)
		++*window_count(window, sketch->pending[i]);
	sketch->n_bins = sketch->n_pending = 0;
	sketch->window = window;
}

/* False when the window cannot take it. */
static inline bool
add_to_window(struct ddsketch *sketch, struct arena *arena, int16_t key, uint64_t n)
{
	uint32_t *count;
	struct window *wider;

	if (unlikely(n > WINDOW_COUNT_MAX || sketch->count > WINDOW_COUNT_MAX - n))
		return false;
	count = window_count(sketch->window, key);
	if (unlikely(count == NULL)) {
		wider = window_widen(sketch->window, arena, key);
		if (wider == NULL)
			return false;
		sketch->window = wider;
		count = window_count(wider, key);
	}
	*count += (uint32_t)n;
	return true;
}

static int
reserve_pending(struct ddsketch *sketch, struct arena *arena)
{
	uint32_t capacity =
		sketch->pending_capacity != 0 ? sketch->pending_capacity * 2 : PENDING_MIN;
	int16_t *pending;

	if (sketch->n_pending < sketch->pending_capacity)
		return 0;
	if (capacity > PENDING_MAX)
		return settle_pending(sketch, arena);
	pending = arena_alloc(arena, capacity * sizeof(*pending));
	if (pending == NULL)
		return -ENOMEM;
	if (sketch->n_pending != 0)
		memcpy(pending, sketch->pending, sketch->n_pending * sizeof(*pending));
	sketch->pending = pending;
	sketch->pending_capacity = capacity;
	return 0;
}

/* Index of the first bin whose key is not below key. */
static uint32_t
lower_bound(const struct ddsketch *sketch, int16_t key)
{
	uint32_t low = 0, high = sketch->n_bins;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (sketch->bins[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Adds a count to the first bin of its key, or a new one, in place. */
static int
add_count(struct ddsketch *sketch, struct arena *arena, int16_t key, uint64_t n)
{
	uint32_t at = lower_bound(sketch, key);
	bool has_bin = at < sketch->n_bins && sketch->bins[at].key == key;
	uint32_t behind = at + has_bin;
	uint64_t n_bins;

	if (bins_needed(n) > UINT32_MAX)
		return -ENOMEM;
	if (has_bin)
		n += sketch->bins[at].n;
	n_bins = bins_needed(n);
	if (reserve_bins(sketch, arena, sketch->n_bins - has_bin + n_bins) != 0)
		return -ENOMEM;
	memmove(sketch->bins + at + n_bins, sketch->bins + behind,
		(sketch->n_bins - behind) * sizeof(*sketch->bins));
	write_bins(sketch->bins + at, key, n);
	sketch->n_bins = (uint32_t)(sketch->n_bins - has_bin + n_bins);
	trim(sketch);
	return 0;
}

/* Keys of weight 1 wait in a list; others go to their bin after those, so that bins collapse in
 * the order of the Agent. */
static int
add_to_lists(struct ddsketch *sketch, struct arena *arena, int16_t key, uint64_t weight)
{
	if (weight != 1)
		return settle_pending(sketch, arena) != 0 ? -ENOMEM
							  : add_count(sketch, arena, key, weight);
	if (reserve_pending(sketch, arena) != 0)
		return -ENOMEM;
	sketch->pending[sketch->n_pending++] = key;
	return 0;
}

static bool
deserves_window(const struct ddsketch *sketch, uint64_t weight)
{
	return weight == 1 ? sketch->n_pending == PENDING_MAX : sketch->n_bins >= WINDOW_BINS_MIN;
}

static inline int
add_key(struct ddsketch *sketch, struct arena *arena, int16_t key, uint64_t weight)
{
	if (unlikely(sketch->window == NULL) && deserves_window(sketch, weight))
		open_window(sketch, arena);
	if (likely(sketch->window != NULL)) {
		if (likely(add_to_window(sketch, arena, key, weight)))
			return 0;
		if (close_window(sketch, arena) != 0)
			return -ENOMEM;
	}
	return add_to_lists(sketch, arena, key, weight);
}

int
ddsketch_insert(struct ddsketch *sketch, struct arena *arena, double value, uint64_t weight)
{
	assert(isfinite(value) && weight >= 1);
	if (add_key(sketch, arena, ddsketch_key(value), weight) != 0)
		return -ENOMEM;
	summarise(sketch, value, weight);
	return 0;
}

int
ddsketch_merge(struct ddsketch *sketch, struct arena *arena, const struct ddsketch *other)
{
	assert(other == sketch || (other->n_pending == 0 && other->window == NULL));
	if (ddsketch_settle(sketch, arena) != 0 ||
		add_bins(sketch, arena, other->bins, other->n_bins) != 0)
		return -ENOMEM;
	summarise_other(sketch, other);
	return 0;
}

double
ddsketch_quantile(const struct ddsketch *sketch, double q)
{
	double rank, seen = 0;

	if (sketch->count == 0)
		return 0;
	if (q <= 0)
		return sketch->min;
	if (q >= 1)
		return sketch->max;
	rank = nearbyint(q * (double)(sketch->count - 1));
	for (uint32_t i = 0; i < sketch->n_bins; i++) {
		const struct ddsketch_bin *bin = &sketch->bins[i];
		double low, edge, share;

		seen += bin->n;
		if (seen <= rank)
			continue;
		edge = key_value(bin->key);
		if (isinf(edge)) /* the keys at both ends stand for no number */
			return edge < 0 ? sketch->min : sketch->max;
		low = i == 0 ? sketch->min : edge;
		share = (seen - rank) / bin->n;
		return fmin(fmax(low * share + edge * GAMMA * (1 - share), sketch->min),
			sketch->max);
	}
	return sketch->max;
}
