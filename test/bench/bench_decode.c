/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From payload to bucket, without an input: the decoder alone, then with tags and aggregation,
 * each against the reference loop. The bucket is emptied between turns.
 */
#include <stdlib.h>

#include "agg/merge.h"
#include "agg/record.h"
#include "balance.h"
#include "base/clock.h"
#include "dsd/decode.h"
#include "load.h"
#include "measure.h"
#include "reference.h"

#define BURST 32 /* payloads that an input hands over at a time */
#define REFERENCE_SERIES (4 * LOAD_SERIES) /* to it, another order of tags is another series */

struct subject {
	const struct load *load;
	uint64_t n_passes; /* over the load, in all turns */

	struct reference *reference;

	struct decoder decoder;
	uint64_t n_decoded; /* lines */
	double sum; /* of what was decoded, or of the counters that were flushed */

	struct stats stats;
	struct budget budget;
	struct context_limit limit;
	struct shard_conf conf;
	struct shard *shard;
	struct merger *merger;
	uint64_t epoch;
	uint64_t n_series; /* in the last flush */
};

/* Whole passes until the time is over. Returns the lines. */
static uint64_t
repeat(struct subject *subject, uint64_t duration, void (*pass)(struct subject *subject))
{
	uint64_t until = measure_now() + duration, n_passes = subject->n_passes;

	do {
		pass(subject);
		subject->n_passes++;
	} while (measure_now() < until);
	return (subject->n_passes - n_passes) * subject->load->total.n_lines;
}

static void
pass_reference(struct subject *subject)
{
	const struct load *load = subject->load;

	for (uint32_t i = 0; i < load->n_payloads; i += BURST) {
		uint32_t left = load->n_payloads - i;

		reference_take(subject->reference, &load->payloads[i], left < BURST ? left : BURST);
	}
}

static uint64_t
run_reference(void *context, uint64_t duration)
{
	return repeat(context, duration, pass_reference);
}

static void
pass_decode(struct subject *subject)
{
	for (uint32_t i = 0; i < subject->load->n_payloads; i++) {
		struct span rest = subject->load->payloads[i], line;
		struct message message;
		bool is_terminated;

		while (line_next(&rest, &line, &is_terminated)) {
			if (decode_line(&subject->decoder, line, &message) != STAT_NONE)
				continue;
			subject->n_decoded++;
			if (message.metric.type == METRIC_SET)
				continue;
			for (uint32_t k = 0; k < message.metric.n_values; k++)
				subject->sum += message.metric.values[k];
		}
	}
}

static uint64_t
run_decode(void *context, uint64_t duration)
{
	return repeat(context, duration, pass_decode);
}

static void
pass_record(struct subject *subject)
{
	uint64_t time = clock_monotonic(&clock_system);

	for (uint32_t i = 0; i < subject->load->n_payloads; i++) {
		struct dgram from = {.payload = subject->load->payloads[i]};
		struct span rest = from.payload, line;
		struct message message;
		bool is_terminated;

		while (line_next(&rest, &line, &is_terminated)) {
			enum counter reason = decode_line(&subject->decoder, line, &message);

			stats_add(&subject->stats, STAT_lines_received, 1);
			if (reason == STAT_NONE)
				record_message(subject->shard, &message, &from, time);
			else
				stats_add(&subject->stats, reason, 1);
		}
	}
}

static uint64_t
run_record(void *context, uint64_t duration)
{
	return repeat(context, duration, pass_record);
}

/* What the flush thread does with a bucket. */
static void
empty_bucket(void *context)
{
	struct subject *subject = context;
	struct bucket *bucket;
	struct flush *flush;

	if (!shard_swap(subject->shard, ++subject->epoch, clock_monotonic(&clock_system)))
		measure_fail("no memory for a bucket");
	while ((bucket = spsc_pop(&subject->shard->filled)) != NULL) {
		merger_add(subject->merger, 0, bucket);
		spsc_push(&subject->shard->emptied, bucket);
	}
	flush = merger_finish(subject->merger, (struct bucket_time){.start = 1, .interval = 10});
	if (flush == NULL)
		measure_fail("no memory for a flush");
	subject->n_series = flush->n_points;
	for (size_t i = 0; i < flush->n_points; i++)
		if (flush->points[i].kind == POINT_COUNT)
			subject->sum += flush->points[i].value;
	flush_unref(flush);
}

static void
open_subject(struct subject *subject, const struct load *load)
{
	const struct merger_conf merger = {.histogram = {.max = true, .count = true}};

	*subject = (struct subject){
		.load = load,
		.limit = {.max = UINT32_MAX},
		.conf.key = {.seed = 1, .payload_max = LOAD_PAYLOAD_MAX},
	};
	budget_init(&subject->budget, (size_t)2 << 30);
	subject->conf.budget = &subject->budget;
	subject->conf.limit = &subject->limit;
	subject->shard = shard_new(&subject->conf, &subject->stats);
	subject->merger = merger_new(&merger, 1, &subject->budget);
	if (decoder_init(&subject->decoder, LOAD_PAYLOAD_MAX) != 0 || subject->shard == NULL ||
		subject->merger == NULL)
		measure_fail("no memory for a shard");
	subject->decoder.timestamps = true;
	subject->reference = reference_new(REFERENCE_SERIES, false);
}

static void
close_subject(struct subject *subject)
{
	reference_free(subject->reference);
	shard_free(subject->shard);
	merger_free(subject->merger);
	decoder_done(&subject->decoder);
}

static struct load_part
worked_on(const struct subject *subject)
{
	return load_sent(subject->load, subject->n_passes * subject->load->n_payloads);
}

static void
check_reference(const struct subject *subject)
{
	struct load_part done = worked_on(subject);
	uint64_t n_lines;
	double sum;
	uint32_t n_series = reference_total(subject->reference, &n_lines, &sum);

	if (!load_is_plain(subject->load))
		return;
	if (n_series != subject->load->options->n_series || n_lines != done.n_lines ||
		sum != done.sum)
		measure_fail("%s: the reference did not do its work", subject->load->options->name);
}

static void
check_decode(const struct subject *subject)
{
	struct load_part done = worked_on(subject);

	if (subject->n_decoded != done.n_lines - done.n_malformed || subject->sum != done.sum)
		measure_fail("%s: not every line was decoded", subject->load->options->name);
}

static void
check_record(struct subject *subject)
{
	const uint64_t *counter = subject->stats.counter;
	struct load_part done = worked_on(subject);

	empty_bucket(subject);
	balance_check(&subject->stats);
	if (counter[STAT_lines_aggregated] != done.n_lines - done.n_malformed ||
		counter[STAT_samples_aggregated] != done.n_samples)
		measure_fail("%s: not every line was recorded", subject->load->options->name);
	if (!load_is_plain(subject->load))
		return;
	if (subject->n_series != subject->load->options->n_series || subject->sum != done.sum)
		measure_fail("%s: what came out is not what went in", subject->load->options->name);
}

static void
compare(const struct measure *measure, const struct load_options *options)
{
	struct subject reference, decode, record;
	struct load load;

	load_init(&load, options, measure->seed);
	open_subject(&reference, &load);
	open_subject(&decode, &load);
	open_subject(&record, &load);
	measure_compare(measure, options->name, "lines", MEASURE_RATE,
		(const struct contestant[]){
			{"reference", NULL, run_reference, &reference, NULL},
			{"decode", NULL, run_decode, &decode, NULL},
			{"decode and record", empty_bucket, run_record, &record, NULL},
		},
		3);
	check_reference(&reference);
	check_decode(&decode);
	check_record(&record);
	close_subject(&reference);
	close_subject(&decode);
	close_subject(&record);
	load_done(&load);
}

int
main(int argc, char **argv)
{
	struct measure measure;

	measure_init(&measure, 0.2, argc, argv);
	for (const struct load_options *options = load_table; options->name != NULL; options++)
		compare(&measure, options);
	return 0;
}
