/* SPDX-License-Identifier: BSD-3-Clause */
#include "agg/weighted.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define PIECE_MIN 8
#define PIECE_MAX 512

int
weighted_add(struct weighted_piece **list, struct arena *arena, double value, double weight)
{
	struct weighted_piece *piece = *list;

	if (piece == NULL || piece->n == piece->n_max) {
		uint32_t n_max = PIECE_MIN;

		if (piece != NULL)
			n_max = piece->n_max < PIECE_MAX ? piece->n_max * 2 : PIECE_MAX;
		piece = arena_alloc(arena, sizeof(*piece) + n_max * sizeof(piece->sample[0]));
		if (piece == NULL)
			return -ENOMEM;
		*piece = (struct weighted_piece){.older = *list, .n_max = n_max};
		*list = piece;
	}
	piece->sample[piece->n++] = (struct weighted_sample){value, weight};
	return 0;
}

void
weighted_join(struct weighted_piece **list, struct weighted_piece *from)
{
	struct weighted_piece *oldest = from;

	if (from == NULL)
		return;
	while (oldest->older != NULL)
		oldest = oldest->older;
	oldest->older = *list;
	*list = from;
}

size_t
weighted_count(const struct weighted_piece *list)
{
	size_t n = 0;

	for (; list != NULL; list = list->older)
		n += list->n;
	return n;
}

void
weighted_copy(const struct weighted_piece *list, struct weighted_sample *out)
{
	for (; list != NULL; list = list->older) {
		memcpy(out, list->sample, list->n * sizeof(*out));
		out += list->n;
	}
}

static int
compare_values(const void *a, const void *b)
{
	double x = ((const struct weighted_sample *)a)->value;
	double y = ((const struct weighted_sample *)b)->value;

	return (x > y) - (x < y);
}

/* A sum whose rounding error is carried along (Neumaier). */
struct exact_sum {
	double sum, error;
};

static void
exact_add(struct exact_sum *s, double x)
{
	double next = s->sum + x;

	if (fabs(s->sum) >= fabs(x))
		s->error += (s->sum - next) + x;
	else
		s->error += (x - next) + s->sum;
	s->sum = next;
}

/* The first value at which the running weight exceeds limit. */
static double
value_at(const struct weighted_sample *samples, size_t n, double limit)
{
	double running = 0;

	for (size_t i = 0; i < n; i++) {
		running += samples[i].weight;
		if (running > limit)
			return samples[i].value;
	}
	return samples[n - 1].value;
}

void
weighted_summarise(struct weighted_sample *samples, size_t n, struct weighted_summary *ret_summary)
{
	struct exact_sum sum = {0}, count = {0};

	qsort(samples, n, sizeof(samples[0]), compare_values);
	for (size_t i = 0; i < n; i++) {
		exact_add(&sum, samples[i].value * samples[i].weight);
		exact_add(&count, samples[i].weight);
	}
	ret_summary->count = count.sum + count.error;
	/* An overflowed sum has no error term: keep the infinity, it is dropped by name later. */
	ret_summary->sum = isfinite(sum.sum) ? sum.sum + sum.error : sum.sum;
	ret_summary->avg = ret_summary->sum / ret_summary->count;
	ret_summary->min = samples[0].value;
	ret_summary->max = samples[n - 1].value;
	ret_summary->median = value_at(samples, n, (ret_summary->count - 1) / 2);
}

double
weighted_percentile(const struct weighted_sample *samples, size_t n, double count, unsigned percent)
{
	return value_at(samples, n, (percent * count - 1) / 100);
}
