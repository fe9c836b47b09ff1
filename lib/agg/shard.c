/* SPDX-License-Identifier: BSD-3-Clause */
#include "agg/shard.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "dsd/text.h"

/* What a slot takes in tables and arrays beside the context itself: charged to the budget. */
#define SLOT_COST \
	(sizeof(struct context *) + 1 + 4 * sizeof(struct context_place) + sizeof(uint64_t) + \
		2 * (sizeof(struct value) + sizeof(uint32_t)))

/* A bin holds 65535, so a weight of 2^28 already fills a whole sketch of 4096 bins. */
#define WEIGHT_MAX 0x1p28

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

static void
drop_line(struct shard *shard, const struct metric *metric, int error)
{
	struct drop drop = drop_reason(error);

	stats_add(shard->stats, drop.line, 1);
	stats_add(shard->stats, drop.sample, metric->n_values);
}

struct shard *
shard_new(const struct shard_conf *conf, struct stats *stats)
{
	struct shard *shard = calloc(1, sizeof(*shard));
	size_t extra_size = 0;

	if (shard == NULL)
		return NULL;
	shard->conf = conf;
	shard->stats = stats;
	for (uint32_t i = 0; i < conf->n_extra_tags; i++)
		extra_size += conf->extra_tags[i].size + 1;
	shard->open = bucket_new(conf->budget);
	/* Text that is not UTF-8 becomes at most three times as long. */
	shard->name_text = malloc(3 * conf->payload_max);
	shard->host_text = malloc(3 * conf->payload_max + INET6_ADDRSTRLEN);
	shard->tags_text = malloc(4 * conf->payload_max + extra_size);
	if (shard->open == NULL || shard->name_text == NULL || shard->host_text == NULL ||
		shard->tags_text == NULL ||
		tags_init(&shard->tags, conf->payload_max, conf->n_extra_tags) != 0) {
		shard_free(shard);
		return NULL;
	}
	return shard;
}

static void
drop_bucket(struct shard *shard, struct bucket *bucket)
{
	if (bucket == NULL)
		return;
	for (uint32_t i = 0; i < bucket->n_created; i++)
		context_unref(bucket->created[i].context, shard->conf->budget);
	bucket_free(bucket);
}

void
shard_free(struct shard *shard)
{
	struct bucket *bucket;

	if (shard == NULL)
		return;
	while ((bucket = spsc_pop(&shard->filled)) != NULL)
		drop_bucket(shard, bucket);
	while ((bucket = spsc_pop(&shard->emptied)) != NULL)
		bucket_free(bucket);
	drop_bucket(shard, shard->open);
	bucket_free(shard->spare);
	atomic_fetch_sub(&shard->conf->limit->used, shard->contexts.n_linked);
	budget_give(shard->conf->budget, shard->contexts.n_linked * SLOT_COST);
	context_table_done(&shard->contexts, shard->conf->budget);
	tags_done(&shard->tags);
	free(shard->last_used);
	free(shard->name_text);
	free(shard->host_text);
	free(shard->tags_text);
	free(shard);
}

/* The text itself when it is UTF-8, else repaired in out (3 * text.size bytes). */
static struct span
valid_text(struct span text, uint8_t *out)
{
	if (utf8_is_valid(text))
		return text;
	return span_of(out, utf8_repair(text, out));
}

static struct span
default_host(struct shard *shard, const struct dgram *from)
{
	char *text = (char *)shard->host_text;

	switch (shard->conf->host_mode) {
	case SHARD_HOST_SELF:
		return shard->conf->hostname;
	case SHARD_HOST_SOURCE:
		if (from->source_size == 0)
			break;
		if (inet_ntop(from->source_size == 4 ? AF_INET : AF_INET6, from->source, text,
			    INET6_ADDRSTRLEN) == NULL)
			break;
		return span_from_string(text);
	case SHARD_HOST_NONE:
		break;
	}
	return (struct span){0};
}

static struct span
message_host(struct shard *shard, bool has_host, struct span host, const struct dgram *from)
{
	if (has_host)
		return valid_text(host, shard->host_text);
	if (shard->tags.has_host)
		return valid_text(shard->tags.host, shard->host_text);
	return default_host(shard, from);
}

static struct span
joined_tags(struct shard *shard)
{
	uint8_t *at = shard->tags_text;

	for (uint32_t i = 0; i < shard->tags.n; i++) {
		struct span tag = shard->tags.tag[i];

		if (i != 0)
			*at++ = ',';
		memcpy(at, tag.data, tag.size);
		at += tag.size;
	}
	return span_of(shard->tags_text, (size_t)(at - shard->tags_text));
}

static void
read_tags(struct shard *shard, const struct message_fields *fields)
{
	tags_canonicalise(&shard->tags, fields->tags, fields->cardinality.size != 0,
		shard->conf->extra_tags, shard->conf->n_extra_tags);
}

static int
reserve_last_used(struct shard *shard, uint32_t n)
{
	uint32_t n_max = shard->last_used_max != 0 ? shard->last_used_max : 1024;
	uint64_t *last_used;

	if (n <= shard->last_used_max)
		return 0;
	while (n_max < n)
		n_max *= 2;
	last_used = realloc(shard->last_used, n_max * sizeof(last_used[0]));
	if (last_used == NULL)
		return -ENOMEM;
	shard->last_used = last_used;
	shard->last_used_max = n_max;
	return 0;
}

/* Puts a new context into a slot and tells the flush thread. Takes over two references. */
static int
place_context(struct shard *shard, struct context *context, uint32_t *ret_slot)
{
	uint32_t slot;

	if (context_table_insert(&shard->contexts, context, &slot) != 0)
		return -ENOMEM;
	if (reserve_last_used(shard, slot + 1) != 0 || bucket_reserve(shard->open, slot + 1) != 0 ||
		bucket_add_created(shard->open, slot, context) != 0) {
		context_table_unlink(&shard->contexts, slot);
		context_table_release(&shard->contexts, slot);
		return -ENOMEM;
	}
	shard->last_used[slot] = 0; /* until a sample is kept */
	*ret_slot = slot;
	return 0;
}

/* The first sight of a context. 0, -EDQUOT at the context limit, -ENOMEM at that of memory. */
static int
create_context(struct shard *shard, const struct context_key *key, uint32_t *ret_slot)
{
	const struct shard_conf *conf = shard->conf;
	struct context *context = NULL;

	if (atomic_fetch_add_explicit(&conf->limit->used, 1, memory_order_relaxed) >=
		conf->limit->max) {
		atomic_fetch_sub_explicit(&conf->limit->used, 1, memory_order_relaxed);
		return -EDQUOT;
	}
	if (budget_take(conf->budget, SLOT_COST)) {
		context = context_new(key, conf->budget);
		if (context != NULL) {
			context_ref(context);
			if (place_context(shard, context, ret_slot) == 0) {
				stats_add(shard->stats, STAT_worker_contexts_created, 1);
				return 0;
			}
			context_unref(context, conf->budget);
			context_unref(context, conf->budget);
		}
		budget_give(conf->budget, SLOT_COST);
	}
	atomic_fetch_sub_explicit(&conf->limit->used, 1, memory_order_relaxed);
	return -ENOMEM;
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

static int
record_member(struct shard *shard, struct value *value, struct span member)
{
	struct set *set = value->n != 0 ? value->set : new_state(shard, sizeof(*set));

	if (set == NULL || set_add(set, &shard->open->arena, member, shard->conf->seed) != 0)
		return -ENOMEM;
	value->set = set;
	return 0;
}

static int
record_weighted(struct shard *shard, struct value *value, double sample, double rate)
{
	struct weighted *list = value->n != 0 ? value->weighted : new_state(shard, sizeof(*list));

	if (list == NULL || weighted_add(list, &shard->open->arena, sample, 1 / rate) != 0)
		return -ENOMEM;
	value->weighted = list;
	return 0;
}

static int
record_sketch(struct shard *shard, struct value *value, double sample, double rate)
{
	struct ddsketch *sketch;

	if (1 / rate >= WEIGHT_MAX)
		return -ERANGE;
	sketch = value->n != 0 ? value->sketch : new_state(shard, sizeof(*sketch));
	if (sketch == NULL ||
		ddsketch_insert(sketch, &shard->open->arena, sample, (uint64_t)(1 / rate)) != 0)
		return -ENOMEM;
	value->sketch = sketch;
	return 0;
}

/* One finite sample, or a set's member. */
static int
record_sample(struct shard *shard, struct value *value, const struct metric *metric, double sample,
	uint64_t time)
{
	switch (metric->type) {
	case METRIC_COUNT:
		value->sum += sample * (1 / metric->rate);
		return 0;
	case METRIC_GAUGE:
		value->last = sample;
		value->time = time;
		return 0;
	case METRIC_SET:
		return record_member(shard, value, metric->member);
	case METRIC_HISTOGRAM:
		return record_weighted(shard, value, sample, metric->rate);
	case METRIC_DISTRIBUTION:
		return record_sketch(shard, value, sample, metric->rate);
	case METRIC_TYPE_COUNT:
		break;
	}
	return -EINVAL;
}

/* Records what can be recorded of the line into the slot. Returns how many samples were kept, or
 * why none was. */
static int
record_samples(struct shard *shard, uint32_t slot, const struct metric *metric, uint64_t time)
{
	struct value *value = &shard->open->values[slot];
	bool is_first = value->n == 0;
	int kept = 0, error = 0;

	for (uint32_t i = 0; i < metric->n_values; i++) {
		double sample = metric->type != METRIC_SET ? metric->values[i] : 0;

		if (!isfinite(sample)) {
			stats_add(shard->stats, STAT_samples_dropped_nan_or_inf, 1);
			continue;
		}
		error = record_sample(shard, value, metric, sample, time);
		if (error != 0) {
			stats_add(shard->stats, drop_reason(error).sample, 1);
			continue;
		}
		value->n++;
		kept++;
	}
	if (kept == 0)
		return error;
	if (!is_first)
		return kept;
	shard->last_used[slot] = time;
	if (bucket_add_touched(shard->open, slot) == 0)
		return kept;
	*value = (struct value){0};
	stats_add(shard->stats, STAT_samples_dropped_memory_limit, (uint64_t)kept);
	return -ENOMEM;
}

static void
aggregate(struct shard *shard, const struct metric *metric, const struct context_key *key,
	uint64_t time)
{
	uint32_t slot = context_table_find(&shard->contexts, key);
	int kept;

	if (slot == SLOT_NONE) {
		int error = create_context(shard, key, &slot);

		if (error != 0) {
			drop_line(shard, metric, error);
			return;
		}
	}
	kept = record_samples(shard, slot, metric, time);
	if (kept <= 0) {
		stats_add(shard->stats, drop_reason(kept).line, 1);
		return;
	}
	stats_add(shard->stats, STAT_samples_aggregated, (uint64_t)kept);
	stats_add(shard->stats, STAT_lines_aggregated, 1);
}

/* A metric with a client timestamp: unmerged, as sent (the rate is not applied). */
static void
pass_metric(struct shard *shard, const struct metric *metric, const struct context_key *key)
{
	struct context *context = context_new_in(&shard->open->arena, key);
	uint32_t kept = 0;

	if (context == NULL) {
		drop_line(shard, metric, -ENOMEM);
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

static void
record_metric(struct shard *shard, const struct message *message, const struct dgram *from,
	uint64_t time)
{
	const struct metric *metric = &message->metric;
	struct context_key key = {
		.type = metric->type,
		.is_timing = metric->is_timing,
		.name = valid_text(metric->name, shard->name_text),
	};

	stats_add(shard->stats, STAT_samples_received, metric->n_values);
	read_tags(shard, &message->fields);
	key.host = message_host(shard, false, (struct span){0}, from);
	key.tags = joined_tags(shard);
	if (metric->timestamp != 0) {
		pass_metric(shard, metric, &key);
		return;
	}
	context_key_hash(&key, shard->conf->seed);
	aggregate(shard, metric, &key, time);
}

/* A valid copy in the bucket's arena; its data is NULL without memory. */
static struct span
keep_text(struct shard *shard, struct span text)
{
	return arena_copy(&shard->open->arena, valid_text(text, shard->name_text));
}

static struct span
keep_unescaped(struct shard *shard, struct span text)
{
	return arena_copy(&shard->open->arena,
		span_of(shard->name_text, text_unescape(text, shard->name_text)));
}

static void
count_passed(struct shard *shard, bool kept)
{
	stats_add(shard->stats, kept ? STAT_lines_passed : STAT_lines_dropped_memory_limit, 1);
}

static void
record_event(struct shard *shard, const struct message *message, const struct dgram *from)
{
	const struct event *event = &message->event;
	struct flush_event kept = {.event = *event};

	read_tags(shard, &message->fields);
	kept.host = keep_text(shard, message_host(shard, event->has_host, event->host, from));
	kept.tags = keep_text(shard, joined_tags(shard));
	kept.event.title = keep_unescaped(shard, event->title);
	kept.event.text = keep_unescaped(shard, event->text);
	kept.event.aggregation_key = keep_text(shard, event->aggregation_key);
	kept.event.source_type = keep_text(shard, event->source_type);
	count_passed(shard, bucket_add_event(shard->open, &kept) == 0);
}

static void
record_check(struct shard *shard, const struct message *message, const struct dgram *from)
{
	const struct service_check *check = &message->check;
	struct flush_check kept = {.check = *check};

	read_tags(shard, &message->fields);
	kept.host = keep_text(shard, message_host(shard, check->has_host, check->host, from));
	kept.tags = keep_text(shard, joined_tags(shard));
	kept.check.name = keep_text(shard, check->name);
	kept.check.message = keep_text(shard, check->message);
	count_passed(shard, bucket_add_check(shard->open, &kept) == 0);
}

void
shard_record(struct shard *shard, const struct message *message, const struct dgram *from,
	uint64_t time)
{
	switch (message->kind) {
	case MESSAGE_METRIC:
		record_metric(shard, message, from, time);
		return;
	case MESSAGE_EVENT:
		record_event(shard, message, from);
		return;
	case MESSAGE_SERVICE_CHECK:
		record_check(shard, message, from);
		return;
	}
}

bool
shard_swap(struct shard *shard, uint64_t epoch)
{
	struct bucket *full = shard->open, *next = shard->spare;

	if (spsc_is_full(&shard->filled))
		return false;
	if (next == NULL)
		next = spsc_pop(&shard->emptied);
	if (next == NULL)
		next = bucket_new(shard->conf->budget);
	shard->spare = next;
	if (next == NULL || bucket_reserve(next, shard->contexts.n_slots) != 0)
		return false;

	for (uint32_t i = 0; i < full->n_retired; i++)
		context_table_release(&shard->contexts, full->retired[i]);
	if (full->n_retired != 0)
		context_table_shrink(&shard->contexts);
	shard->spare = NULL;
	shard->open = next;
	full->epoch = atomic_load_explicit(&shard->epoch, memory_order_relaxed);
	spsc_push(&shard->filled, full);
	atomic_store_explicit(&shard->epoch, epoch, memory_order_release);
	return true;
}

static void
retire(struct shard *shard, uint32_t slot)
{
	if (bucket_add_retired(shard->open, slot) != 0)
		return; /* it stays; the next round tries again */
	context_unref(context_table_unlink(&shard->contexts, slot), shard->conf->budget);
	budget_give(shard->conf->budget, SLOT_COST);
	atomic_fetch_sub_explicit(&shard->conf->limit->used, 1, memory_order_relaxed);
	stats_add(shard->stats, STAT_worker_contexts_expired, 1);
}

void
shard_expire(struct shard *shard, uint64_t time, uint32_t n)
{
	for (; n > 0; n--) {
		uint32_t slot = shard->expiry_cursor++;
		const struct context *context;

		if (slot >= shard->contexts.n_slots) {
			shard->expiry_cursor = 0;
			return;
		}
		context = shard->contexts.context[slot];
		if (context == NULL || shard->open->values[slot].n != 0)
			continue;
		if (time > shard->last_used[slot] &&
			time - shard->last_used[slot] > shard->conf->expiry[context->type])
			retire(shard, slot);
	}
}
