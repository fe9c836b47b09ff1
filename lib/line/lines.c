/* SPDX-License-Identifier: BSD-3-Clause */
#include "line/lines.h"

#include <errno.h>
#include <sys/random.h>

#include "dsd/number_short.h"

/* The shortest time that a slot stays valid, in which the cache may use it without asking. */
static uint64_t
slot_life(const struct shard_conf *conf)
{
	uint64_t life = UINT64_MAX;

	for (int type = 0; type < METRIC_TYPE_COUNT; type++)
		if (conf->expiry[type] < life)
			life = conf->expiry[type];
	return life;
}

int
lines_init(struct lines *lines, const struct lines_conf *conf, struct shard *shard,
	struct stats *stats, struct rejects *rejects)
{
	/* Where the sender's address is part of the context, a line alone does not name it. */
	bool has_cache = shard->conf->key.host_mode != KEY_HOST_SOURCE;

	memset(lines, 0, sizeof(*lines));
	lines->shard = shard;
	lines->stats = stats;
	lines->rejects = rejects;
	lines->clock = conf->clock;
	lines->passes = conf->passes != NULL ? conf->passes : line_passes_choose();
	if (decoder_init(&lines->decoder, shard->conf->key.payload_max) != 0)
		return -ENOMEM;
	lines->decoder.client_origin = conf->client_origin;
	lines->decoder.timestamps = conf->timestamps;
	if (getrandom(&lines->seed, sizeof(lines->seed), 0) != sizeof(lines->seed))
		return -EIO;
	lines->seed.tag |= 1;
	return line_cache_init(&lines->cache, has_cache ? conf->cache_size : 0,
		slot_life(shard->conf), shard->conf->budget);
}

void
lines_done(struct lines *lines)
{
	line_cache_done(&lines->cache);
	decoder_done(&lines->decoder);
}

bool
lines_sweep(struct lines *lines, uint64_t time)
{
	return line_cache_sweep(&lines->cache, line_tick(time));
}

/* A line without an end that may not be read: cut by the receive buffer, or against the rule. */
static enum counter
unfinished_line(const struct dgram *dgram)
{
	if (dgram->truncated)
		return STAT_lines_rejected_truncated;
	if (dgram->eol_required)
		return STAT_lines_rejected_unterminated;
	return STAT_NONE;
}

static void
reject(struct lines *lines, const struct dgram *dgram, struct span line, enum counter reason)
{
	stats_add(lines->stats, reason, 1);
	rejects_add(lines->rejects, reason, dgram->listener, clock_wall(lines->clock), line);
}

/* The full way of one line. Returns the slot in which a sample was kept, or SLOT_NONE; message is
 * what it was decoded to, where that worked. */
static uint32_t
take_line(struct lines *lines, const struct dgram *dgram, struct span line, bool is_terminated,
	struct message *message)
{
	static const enum counter kind_counter[] = {
		[MESSAGE_METRIC] = STAT_lines_metrics,
		[MESSAGE_EVENT] = STAT_lines_events,
		[MESSAGE_SERVICE_CHECK] = STAT_lines_service_checks,
	};
	enum counter reason = STAT_NONE;

	stats_add(lines->stats, STAT_lines_received, 1);
	stats_add(lines->stats, kind_counter[line_kind(line)], 1);
	if (!is_terminated)
		reason = unfinished_line(dgram);
	if (reason == STAT_NONE)
		reason = decode_line(&lines->decoder, line, message);
	if (reason != STAT_NONE) {
		reject(lines, dgram, line, reason);
		return SLOT_NONE;
	}
	return record_message(lines->shard, message, dgram, lines->burst->time);
}

void
lines_take_plainly(struct lines *lines, const struct burst *burst)
{
	struct message message;

	lines->burst = burst;
	for (uint32_t i = 0; i < burst->n; i++) {
		const struct dgram *dgram = &burst->dgram[i];
		struct span rest = dgram->payload, line;
		bool is_terminated;

		while (line_next(&rest, &line, &is_terminated))
			if (line.size != 0)
				take_line(lines, dgram, line, is_terminated, &message);
		stats_add(lines->stats, STAT_datagrams_delivered, 1);
	}
}

/* n known lines of one value, of which so many were kept. */
static void
count_known(struct stats *stats, uint32_t n, uint32_t n_kept)
{
	stats_add(stats, STAT_worker_lines_known, n);
	stats_add(stats, STAT_lines_received, n);
	stats_add(stats, STAT_lines_metrics, n);
	stats_add(stats, STAT_samples_received, n);
	stats_add(stats, STAT_lines_aggregated, n_kept);
	stats_add(stats, STAT_samples_aggregated, n_kept);
}

/* Whether the cache may know this line: what it comes to depends on nothing but its bytes. */
static bool
is_cacheable(const struct line_view *line, const struct message *message)
{
	return line->meta != 0 && message->kind == MESSAGE_METRIC && message->metric.timestamp == 0;
}

static void
remember(struct lines *lines, const struct line_view *line, const struct metric *metric,
	uint32_t slot)
{
	const struct line_key key = {
		.meta = line->meta,
		.tag = line->tag,
		.home = line->home,
		.name = line->at,
		.rest = line_rest(line),
	};
	const struct line_entry values = {
		.slot = slot,
		.type = metric->type,
		.tick = line_tick(lines->burst->time),
		.weight = metric->weight,
	};

	line_cache_put(&lines->cache, &key, &values);
}

/* A line that the cache does not know. */
static void
take_unknown(struct lines *lines, struct line_view *line)
{
	const struct dgram *dgram = &lines->burst->dgram[line->dgram];
	struct message message;
	uint32_t slot;

	slot = take_line(lines, dgram, span_of(line->at, line->size), line->is_terminated,
		&message);
	if (slot < LINE_SLOTS_MAX && is_cacheable(line, &message))
		remember(lines, line, &message.metric, slot);
}

/* Values joined by ':' that are all short numbers: the usual packed line, without a full parse. */
static bool
read_short_values(struct lines *lines, struct span rest, struct metric *metric)
{
	uint32_t n = 0;

	while (rest.size != 0) {
		size_t end = span_find(rest, ':');

		if (end != 0 && !number_short(rest.data, end, &lines->decoder.values[n++]))
			return false;
		rest = span_from(rest, end < rest.size ? end + 1 : end);
	}
	metric->values = lines->decoder.values;
	metric->n_values = n;
	return n != 0;
}

static enum counter
read_values(struct lines *lines, struct span value, struct metric *metric)
{
	if (metric->type != METRIC_SET && read_short_values(lines, value, metric))
		return STAT_NONE;
	return decode_values(&lines->decoder, value, metric);
}

/* A known line whose value is not a short number: several values, an exponent, a set's member. */
static void
take_values(struct lines *lines, const struct line_view *line, const struct line_entry *entry)
{
	struct span value = span_of(line_value(line), line->value_size);
	struct metric metric = {.type = entry->type, .weight = entry->weight, .member = value};
	enum counter reason;

	stats_add(lines->stats, STAT_worker_lines_known, 1);
	stats_add(lines->stats, STAT_lines_received, 1);
	stats_add(lines->stats, STAT_lines_metrics, 1);
	reason = read_values(lines, value, &metric);
	if (reason != STAT_NONE) {
		reject(lines, &lines->burst->dgram[line->dgram], span_of(line->at, line->size),
			reason);
		return;
	}
	stats_add(lines->stats, STAT_samples_received, metric.n_values);
	record_metric(lines->shard, entry->slot, &metric, lines->burst->time);
}

/* Returns whether the line was a short number that was kept; all other cases are counted here. */
static inline bool
take_known(struct lines *lines, const struct line_view *line, struct line_entry *entry)
{
	uint64_t time = lines->burst->time;
	double sample;
	int error;

	if (unlikely(entry->tick != line_tick(time)))
		entry->tick = line_tick(time);
	if (unlikely(entry->type == METRIC_SET ||
		    !number_short(line_value(line), line->value_size, &sample))) {
		take_values(lines, line, entry);
		return false;
	}
	if (likely(entry->type == METRIC_COUNT)) {
		record_count(lines->shard, entry->slot, sample, entry->weight, time);
		return true;
	}
	error = record_sample(lines->shard, entry->slot, entry->type, sample, entry->weight, time);
	if (likely(error == 0))
		return true;
	count_known(lines->stats, 1, 0);
	record_drop(lines->shard, error, 1);
	return false;
}

/* What histograms and distributions gather lies behind their values. */
static void
fetch_states(const struct lines *lines, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct line_entry *entry = line_entry(&lines->cache, lines->batch[i].entry);

		if (line_has_state(entry))
			__builtin_prefetch(lines->shard->open->values[entry->slot].weighted, 1);
	}
}

static void
run_batch(struct lines *lines, uint32_t n)
{
	const struct line_cache *cache = &lines->cache;
	const struct line_search search = {
		.seed = &lines->seed,
		.values = lines->shard->open->values,
		.tick = line_tick(lines->burst->time),
	};
	struct line_view *batch = lines->batch;
	uint32_t n_kept = 0;

	if (lines->passes->look_up(cache, &search, batch, n) != 0)
		fetch_states(lines, n);
	for (uint32_t i = 0; i < n; i++) {
		if (likely(batch[i].entry != LINE_NONE))
			n_kept += take_known(lines, &batch[i], line_entry(cache, batch[i].entry));
		else
			take_unknown(lines, &batch[i]);
	}
	count_known(lines->stats, n_kept, n_kept);
}

void
lines_take(struct lines *lines, const struct burst *burst)
{
	struct line_split *split = &lines->split;
	uint32_t n;

	if (lines->cache.n_segments == 0) {
		lines_take_plainly(lines, burst);
		return;
	}
	lines->burst = burst;
	memset(split, 0, offsetof(struct line_split, newline));
	do {
		n = lines->passes->split(split, burst, lines->batch, LINE_BATCH);
		run_batch(lines, n);
	} while (n == LINE_BATCH);
	stats_add(lines->stats, STAT_datagrams_delivered, burst->n);
}
