/* SPDX-License-Identifier: BSD-3-Clause */
#include "agg/record.h"

#include <errno.h>
#include <math.h>

/* A bin holds 65535, so a weight of 2^28 already fills a whole sketch of 4096 bins. */
#define WEIGHT_MAX 0x1p28

/* Bins of a sketch beyond which no weight is added. What overflows 4096 bins stays in front of
 * them, and each weighted sample moves all of it: without an end, a few datagrams would hold a
 * worker for minutes. */
#define WEIGHTED_BINS_MAX (2 * DDSKETCH_BINS_MAX)

/* The two counters of a reason: for a line of which nothing was kept, and for its samples. */
struct drop {
	enum counter line, sample;
};

static struct drop
drop_reason(int error)
{
	switch (error) {
	case -EDQUOT:
		return (struct drop){STAT_lines_dropped_context_limit,
			STAT_samples_dropped_context_limit};
	case -ERANGE:
		return (struct drop){STAT_lines_dropped_weight_limit,
			STAT_samples_dropped_weight_limit};
	default:
		return (struct drop){STAT_lines_dropped_memory_limit,
			STAT_samples_dropped_memory_limit};
	}
}

void
record_drop(struct shard *shard, int error, uint32_t n_samples)
{
	struct drop drop = drop_reason(error);

	stats_add(shard->stats, drop.line, 1);
	stats_add(shard->stats, drop.sample, n_samples);
}

/* Zeroed memory of the open bucket. */
static void *
new_state(struct shard *shard, size_t size)
{
	void *state = arena_alloc(&shard->open->arena, size);

	if (state != NULL)
		memset(state, 0, size);
	return state;
}

static bool
is_too_heavy(const struct ddsketch *sketch, double weight)
{
	return weight >= 2 && sketch->n_bins + weight / DDSKETCH_BIN_WIDTH_MAX > WEIGHTED_BINS_MAX;
}

static int
record_sketch(struct shard *shard, struct value *value, double sample, double weight)
{
	struct ddsketch *sketch;

	if (weight >= WEIGHT_MAX || (value->n != 0 && is_too_heavy(value->sketch, weight)))
		return -ERANGE;
	sketch = value->n != 0 ? value->sketch : new_state(shard, sizeof(*sketch));
	if (sketch == NULL ||
		ddsketch_insert(sketch, &shard->open->arena, sample, (uint64_t)weight) != 0)
		return -ENOMEM;
	value->sketch = sketch;
	return 0;
}

int
record_sample(struct shard *shard, uint32_t slot, enum metric_type type, double sample,
	double weight, uint64_t time)
{
	struct value *value = &shard->open->values[slot];
	int error = -EINVAL;

	switch (type) {
	case METRIC_COUNT:
		record_count(shard, slot, sample, weight, time);
		return 0;
	case METRIC_GAUGE:
		record_gauge(shard, slot, sample, time);
		return 0;
	case METRIC_HISTOGRAM:
		error = weighted_add(&value->weighted, &shard->open->arena, sample, weight);
		break;
	case METRIC_DISTRIBUTION:
		error = record_sketch(shard, value, sample, weight);
		break;
	case METRIC_SET:
	case METRIC_TYPE_COUNT:
		break;
	}
	if (error == 0 && value->n++ == 0)
		record_touch(shard, slot, time);
	return error;
}

static int
record_member(struct shard *shard, uint32_t slot, struct span member, uint64_t time)
{
	struct value *value = &shard->open->values[slot];
	struct set *set = value->n != 0 ? value->set : new_state(shard, sizeof(*set));

	if (set == NULL || set_add(set, &shard->open->arena, member, shard->conf->key.seed) != 0)
		return -ENOMEM;
	value->set = set;
	if (value->n++ == 0)
		record_touch(shard, slot, time);
	return 0;
}

/* Item i of the line's values; a set has one member and no values. */
static int
record_value(struct shard *shard, uint32_t slot, const struct metric *metric, uint32_t i,
	uint64_t time)
{
	if (metric->type == METRIC_SET)
		return record_member(shard, slot, metric->member, time);
	return record_sample(shard, slot, metric->type, metric->values[i], metric->weight, time);
}

bool
record_metric(struct shard *shard, uint32_t slot, const struct metric *metric, uint64_t time)
{
	uint32_t kept = 0;
	int error = 0, last = 0;

	for (uint32_t i = 0; i < metric->n_values; i++) {
		if (metric->type != METRIC_SET && !isfinite(metric->values[i])) {
			stats_add(shard->stats, STAT_samples_dropped_nan_or_inf, 1);
			continue;
		}
		error = record_value(shard, slot, metric, i, time);
		if (error != 0) {
			stats_add(shard->stats, drop_reason(error).sample, 1);
			last = error;
			continue;
		}
		kept++;
	}
	if (kept == 0) {
		stats_add(shard->stats, drop_reason(last).line, 1);
		return false;
	}
	stats_add(shard->stats, STAT_samples_aggregated, kept);
	stats_add(shard->stats, STAT_lines_aggregated, 1);
	return true;
}

/* A metric with a client timestamp: unmerged, as sent (the rate is not applied). */
static void
pass_metric(struct shard *shard, const struct metric *metric, const struct context_key *key)
{
	struct context *context = context_new_in(&shard->open->arena, key);
	uint32_t kept = 0;

	if (context == NULL) {
		record_drop(shard, -ENOMEM, metric->n_values);
		return;
	}
	for (uint32_t i = 0; i < metric->n_values; i++) {
		if (!isfinite(metric->values[i]))
			stats_add(shard->stats, STAT_samples_dropped_nan_or_inf, 1);
		else if (bucket_add_point(shard->open, context, metric->timestamp,
				 metric->values[i]) != 0)
			stats_add(shard->stats, STAT_samples_dropped_memory_limit, 1);
		else
			kept++;
	}
	stats_add(shard->stats, STAT_samples_passed, kept);
	stats_add(shard->stats, kept != 0 ? STAT_lines_passed : STAT_lines_dropped_memory_limit, 1);
}

static uint32_t
take_metric(struct shard *shard, const struct message *message, const struct dgram *from,
	uint64_t time)
{
	const struct metric *metric = &message->metric;
	struct context_key key = key_of_metric(&shard->key, message, from);
	uint32_t slot;
	int error;

	stats_add(shard->stats, STAT_samples_received, metric->n_values);
	if (metric->timestamp != 0) {
		pass_metric(shard, metric, &key);
		return SLOT_NONE;
	}
	error = shard_slot(shard, &key, &slot);
	if (error != 0) {
		record_drop(shard, error, metric->n_values);
		return SLOT_NONE;
	}
	return record_metric(shard, slot, metric, time) ? slot : SLOT_NONE;
}

/* A copy in the bucket's arena; its data is NULL without memory. */
static struct span
keep(struct shard *shard, struct span text)
{
	return arena_copy(&shard->open->arena, text);
}

static void
count_passed(struct shard *shard, bool kept)
{
	stats_add(shard->stats, kept ? STAT_lines_passed : STAT_lines_dropped_memory_limit, 1);
}

static void
take_event(struct shard *shard, const struct message *message, const struct dgram *from)
{
	const struct event *event = &message->event;
	struct flush_event kept = {.event = *event};
	struct key *key = &shard->key;

	key_read_tags(key, &message->fields);
	kept.host = keep(shard, key_host(key, event->has_host, event->host, from));
	kept.tags = keep(shard, key_tags(key));
	kept.event.title = keep(shard, key_unescaped(key, event->title));
	kept.event.text = keep(shard, key_unescaped(key, event->text));
	kept.event.aggregation_key = keep(shard, key_text(key, event->aggregation_key));
	kept.event.source_type = keep(shard, key_text(key, event->source_type));
	count_passed(shard, bucket_add_event(shard->open, &kept) == 0);
}

static void
take_check(struct shard *shard, const struct message *message, const struct dgram *from)
{
	const struct service_check *check = &message->check;
	struct flush_check kept = {.check = *check};
	struct key *key = &shard->key;

	key_read_tags(key, &message->fields);
	kept.host = keep(shard, key_host(key, check->has_host, check->host, from));
	kept.tags = keep(shard, key_tags(key));
	kept.check.name = keep(shard, key_text(key, check->name));
	kept.check.message = keep(shard, key_text(key, check->message));
	count_passed(shard, bucket_add_check(shard->open, &kept) == 0);
}

uint32_t
record_message(struct shard *shard, const struct message *message, const struct dgram *from,
	uint64_t time)
{
	switch (message->kind) {
	case MESSAGE_METRIC:
		return take_metric(shard, message, from, time);
	case MESSAGE_EVENT:
		take_event(shard, message, from);
		break;
	case MESSAGE_SERVICE_CHECK:
		take_check(shard, message, from);
		break;
	}
	return SLOT_NONE;
}
