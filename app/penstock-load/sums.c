/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstock-load/sums.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "penstock-load/bins.h"
#include "penstock-load/notice.h"
#include "penstock-load/sums_row.h"

#define SAMPLES_FIRST 4

/* One value of a histogram and how many samples it stands for. */
struct sample {
	int32_t value; /* eighths */
	uint32_t weight;
};

struct sum {
	bool is_seen;
	union {
		int64_t total; /* counter: eighths times weight */
		int32_t last; /* gauge: eighths */
		uint64_t *members; /* set: one bit for each member */
		struct {
			struct sample *sample;
			uint32_t n, capacity;
		} histogram; /* and timing */
		struct {
			struct bins bins;
			int64_t total; /* eighths times weight */
			int32_t min, max; /* eighths */
		} distribution;
	};
};

struct sums {
	const struct profile *profile;
	struct sums_row row;
	struct sum *sum; /* one for each context */
};

int
sums_open(const struct profile *profile, const char *host, FILE *file, struct sums **ret_sums)
{
	struct sums *sums = calloc(1, sizeof(*sums));

	if (sums == NULL)
		return -ENOMEM;
	sums->profile = profile;
	sums->sum = calloc(profile->options.n_contexts, sizeof(*sums->sum));
	if (sums->sum == NULL) {
		free(sums);
		return -ENOMEM;
	}
	sums_row_init(&sums->row, &profile->options.naming, host, file);
	*ret_sums = sums;
	return 0;
}

static int
add_members(struct sum *sum, const struct line *line)
{
	if (sum->members == NULL)
		sum->members = calloc(SET_MEMBERS / 64, sizeof(*sum->members));
	if (sum->members == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < line->n_values; i++)
		sum->members[line->values[i] / 64] |= UINT64_C(1) << line->values[i] % 64;
	return 0;
}

static int
add_samples(struct sum *sum, const struct line *line)
{
	uint32_t n = sum->histogram.n;

	if (n + line->n_values > sum->histogram.capacity) {
		uint32_t capacity = 2 * sum->histogram.capacity + SAMPLES_FIRST + line->n_values;
		struct sample *sample = realloc(sum->histogram.sample, capacity * sizeof(*sample));

		if (sample == NULL)
			return -ENOMEM;
		sum->histogram.sample = sample;
		sum->histogram.capacity = capacity;
	}
	for (uint32_t i = 0; i < line->n_values; i++)
		sum->histogram.sample[n + i] =
			(struct sample){line->values[i], rate_table[line->rate].weight};
	sum->histogram.n += line->n_values;
	return 0;
}

static int
add_to_distribution(struct sum *sum, const struct line *line)
{
	uint32_t weight = rate_table[line->rate].weight;

	for (uint32_t i = 0; i < line->n_values; i++) {
		int32_t value = line->values[i], key = bins_key((double)value / EIGHTHS);

		if (!sum->is_seen || value < sum->distribution.min)
			sum->distribution.min = value;
		if (!sum->is_seen || value > sum->distribution.max)
			sum->distribution.max = value;
		sum->is_seen = true;
		sum->distribution.total += (int64_t)value * weight;
		if (bins_add(&sum->distribution.bins, key, weight) != 0)
			return -ENOMEM;
	}
	return 0;
}

static int
add_metric(struct sums *sums, const struct line *line)
{
	struct sum *sum = &sums->sum[line->context];
	int result = 0;

	switch (line->type) {
	case SERIES_COUNTER:
		for (uint32_t i = 0; i < line->n_values; i++)
			sum->total += (int64_t)line->values[i] * rate_table[line->rate].weight;
		break;
	case SERIES_GAUGE:
		sum->last = line->values[line->n_values - 1];
		break;
	case SERIES_SET:
		result = add_members(sum, line);
		break;
	case SERIES_DISTRIBUTION:
		result = add_to_distribution(sum, line);
		break;
	default:
		result = add_samples(sum, line);
	}
	sum->is_seen = true;
	return result;
}

/* What is passed on unmerged is written at once. */
static void
write_timestamped(struct sums *sums, const struct line *line)
{
	struct sums_row *row = &sums->row;

	for (uint32_t i = 0; i < line->n_values; i++) {
		sums_row_begin_series(row, line->type == SERIES_COUNTER ? "count" : "gauge",
			line->context, line->type, "");
		sums_row_timestamp(row, line->timestamp);
		json_key_bool(&row->json, "timestamped", true);
		sums_row_value(row, (double)line->values[i] / EIGHTHS);
		sums_row_end(row);
	}
}

static void
write_event(struct sums *sums, const struct line *line)
{
	struct sums_row *row = &sums->row;
	struct notice notice;

	notice_of_event(sums->profile, line, &notice);
	sums_row_begin(row, "event");
	sums_row_timestamp(row, notice.timestamp);
	sums_row_host(row, notice.host);
	sums_row_tags(row, line->context);
	sums_row_text(row, "title", notice.title);
	sums_row_text(row, "text", notice.text);
	sums_row_text(row, "priority", notice.is_low ? "low" : "normal");
	sums_row_text(row, "alert_type", notice_alert_text[notice.alert]);
	sums_row_text(row, "source_type_name", NOTICE_SOURCE_TYPE);
	if (notice.key[0] != '\0')
		sums_row_text(row, "aggregation_key", notice.key);
	sums_row_end(row);
}

static void
write_check(struct sums *sums, const struct line *line)
{
	struct sums_row *row = &sums->row;
	char name[SERIES_NAME_MAX];
	struct notice notice;

	*notice_write_check_name(sums->profile, line, name) = '\0';
	notice_of_check(sums->profile, line, &notice);
	sums_row_begin(row, "service_check");
	sums_row_text(row, "name", name);
	sums_row_timestamp(row, notice.timestamp);
	sums_row_host(row, notice.host);
	sums_row_tags(row, line->context);
	json_key_uint(&row->json, "status", notice.status);
	sums_row_text(row, "message", notice.text);
	sums_row_end(row);
}

int
sums_add(struct sums *sums, const struct line *line)
{
	switch (line->kind) {
	case LINE_EVENT:
		write_event(sums, line);
		return 0;
	case LINE_CHECK:
		write_check(sums, line);
		return 0;
	case LINE_METRIC:
		if (line->timestamp == 0)
			return add_metric(sums, line);
		write_timestamped(sums, line);
		return 0;
	default:
		return 0;
	}
}

static void
write_simple(struct sums_row *row, uint32_t context, enum series_type type, const char *output_type,
	const char *suffix, double value)
{
	sums_row_begin_series(row, output_type, context, type, suffix);
	sums_row_value(row, value);
	sums_row_end(row);
}

static int
by_value(const void *a, const void *b)
{
	int32_t left = ((const struct sample *)a)->value, right = ((const struct sample *)b)->value;

	return (left > right) - (left < right);
}

/*
 * As the Agent: the first sorted value whose running weight > (percent * total - 1) / 100. In whole
 * numbers: 100 * running > percent * total - 1.
 */
static double
percentile(const struct sum *sum, uint64_t total, unsigned percent)
{
	uint64_t running = 0;
	uint32_t i = 0;

	do
		running += sum->histogram.sample[i].weight;
	while (100 * running + 1 <= percent * total && ++i < sum->histogram.n);
	return (double)sum->histogram.sample[i].value / EIGHTHS;
}

/* As the Agent: the first sorted value whose running weight > (total - 1) / 2. */
static double
median(const struct sum *sum, uint64_t total)
{
	uint64_t running = 0;
	uint32_t i = 0;

	do
		running += sum->histogram.sample[i].weight;
	while (2 * running + 1 <= total && ++i < sum->histogram.n);
	return (double)sum->histogram.sample[i].value / EIGHTHS;
}

static void
write_histogram(struct sums_row *row, uint32_t context, enum series_type type, struct sum *sum)
{
	struct sample *sample = sum->histogram.sample;
	uint32_t n = sum->histogram.n;
	uint64_t total = 0;
	int64_t weighted = 0;

	qsort(sample, n, sizeof(*sample), by_value);
	for (uint32_t i = 0; i < n; i++) {
		total += sample[i].weight;
		weighted += (int64_t)sample[i].value * sample[i].weight;
	}
	write_simple(row, context, type, "count", ".count", (double)total);
	write_simple(row, context, type, "gauge", ".avg",
		(double)weighted / EIGHTHS / (double)total);
	write_simple(row, context, type, "gauge", ".max", (double)sample[n - 1].value / EIGHTHS);
	write_simple(row, context, type, "gauge", ".median", median(sum, total));
	write_simple(row, context, type, "gauge", ".95percentile", percentile(sum, total, 95));
}

static void
write_distribution(struct sums_row *row, uint32_t context, const struct sum *sum)
{
	sums_row_begin_series(row, "distribution", context, SERIES_DISTRIBUTION, "");
	sums_row_sketch(row, &sum->distribution.bins, (double)sum->distribution.total / EIGHTHS,
		(double)sum->distribution.min / EIGHTHS, (double)sum->distribution.max / EIGHTHS);
	sums_row_end(row);
}

static double
members_count(const struct sum *sum)
{
	int n = 0;

	for (unsigned i = 0; i < SET_MEMBERS / 64; i++)
		n += __builtin_popcountll(sum->members[i]);
	return n;
}

static void
write_context(struct sums *sums, uint32_t context)
{
	enum series_type type = profile_type(sums->profile, context);
	struct sum *sum = &sums->sum[context];
	struct sums_row *row = &sums->row;

	switch (type) {
	case SERIES_COUNTER:
		write_simple(row, context, type, "count", "", (double)sum->total / EIGHTHS);
		break;
	case SERIES_GAUGE:
		write_simple(row, context, type, "gauge", "", (double)sum->last / EIGHTHS);
		break;
	case SERIES_SET:
		write_simple(row, context, type, "set", "", members_count(sum));
		break;
	case SERIES_DISTRIBUTION:
		write_distribution(row, context, sum);
		break;
	default:
		write_histogram(row, context, type, sum);
	}
}

int
sums_finish(struct sums *sums)
{
	for (uint32_t i = 0; i < sums->profile->options.n_contexts; i++)
		if (sums->sum[i].is_seen)
			write_context(sums, i);
	return sums_row_flush(&sums->row);
}

void
sums_close(struct sums *sums)
{
	if (sums == NULL)
		return;
	for (uint32_t i = 0; i < sums->profile->options.n_contexts; i++) {
		struct sum *sum = &sums->sum[i];

		switch (profile_type(sums->profile, i)) {
		case SERIES_SET:
			free(sum->members);
			break;
		case SERIES_DISTRIBUTION:
			bins_done(&sum->distribution.bins);
			break;
		case SERIES_TIMING:
		case SERIES_HISTOGRAM:
			free(sum->histogram.sample);
			break;
		default:
			break;
		}
	}
	sums_row_done(&sums->row);
	free(sums->sum);
	free(sums);
}
