/* SPDX-License-Identifier: BSD-3-Clause */
/* From messages through shards to a flush. Expected values are worked by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "agg/merge.h"
#include "agg/record.h"
#include "dsd/decode.h"

#define N_SHARDS 2

struct rig {
	struct budget budget;
	struct context_limit limit;
	struct shard_conf shard_conf;
	struct merger_conf merger_conf;
	struct stats stats[N_SHARDS];
	struct shard *shard[N_SHARDS];
	struct merger *merger;
	struct decoder decoder;
	uint64_t epoch;
	int64_t start;
	struct flush *flush; /* of the last close */
};

static const struct dgram nobody;

static int
set_up(void **state)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	budget_init(&rig->budget, 64 << 20);
	rig->limit.max = 1000;
	rig->shard_conf = (struct shard_conf){
		.budget = &rig->budget,
		.limit = &rig->limit,
		.key = {.seed = 1, .hostname = SPAN_LITERAL("here"), .payload_max = 8192},
		.expiry = {320, 20, 20, 20, 20},
	};
	rig->merger_conf = (struct merger_conf){
		.histogram = {.max = true,
			.median = true,
			.avg = true,
			.count = true,
			.percentile = {95},
			.n_percentiles = 1},
		.zero_fill = true,
		.zero_fill_seconds = 300,
	};
	for (int i = 0; i < N_SHARDS; i++)
		rig->shard[i] = shard_new(&rig->shard_conf, &rig->stats[i]);
	rig->merger = merger_new(&rig->merger_conf, N_SHARDS, &rig->budget);
	rig->start = 1000;
	*state = rig;
	assert_int_equal(decoder_init(&rig->decoder, 8192), 0);
	rig->decoder.timestamps = true;
	return 0;
}

static int
tear_down(void **state)
{
	struct rig *rig = *state;

	flush_unref(rig->flush);
	merger_free(rig->merger);
	for (int i = 0; i < N_SHARDS; i++)
		shard_free(rig->shard[i]);
	decoder_done(&rig->decoder);
	assert_int_equal(rig->budget.used, 0);
	assert_int_equal(rig->limit.used, 0);
	free(rig);
	return 0;
}

static void
take_at(struct rig *rig, int shard, uint64_t time, const char *line)
{
	struct message message;

	assert_int_equal(decode_line(&rig->decoder, span_from_string(line), &message), STAT_NONE);
	record_message(rig->shard[shard], &message, &nobody, time);
}

static void
take(struct rig *rig, int shard, const char *line)
{
	take_at(rig, shard, 1, line);
}

/* Ends the bucket; the flush stays until the next close. */
static const struct flush *
close_bucket(struct rig *rig)
{
	struct bucket *bucket;

	flush_unref(rig->flush);
	rig->epoch++;
	for (uint32_t i = 0; i < N_SHARDS; i++) {
		assert_true(shard_swap(rig->shard[i], rig->epoch, 1));
		while ((bucket = spsc_pop(&rig->shard[i]->filled)) != NULL) {
			merger_add(rig->merger, i, bucket);
			assert_true(spsc_push(&rig->shard[i]->emptied, bucket));
		}
	}
	rig->flush = merger_finish(rig->merger, (struct bucket_time){rig->start, 10});
	rig->start += 10;
	return rig->flush;
}

static const struct point *
point_of(const struct flush *flush, const char *name, const char *suffix, const char *tags)
{
	const struct point *found = NULL;

	for (size_t i = 0; i < flush->n_points; i++) {
		const struct point *point = &flush->points[i];

		if (!span_equal(context_name(point->context), span_from_string(name)) ||
			!span_equal(point->suffix, span_from_string(suffix)) ||
			!span_equal(context_tags(point->context), span_from_string(tags)))
			continue;
		assert_null(found); /* a series has one point in a bucket */
		found = point;
	}
	return found;
}

static double
value_of(const struct flush *flush, const char *name, const char *suffix, const char *tags)
{
	const struct point *point = point_of(flush, name, suffix, tags);

	assert_non_null(point);
	return point->value;
}

static void
counters_add_over_lines_rates_and_shards(void **state)
{
	struct rig *rig = *state;
	const struct flush *flush;

	take(rig, 0, "hits:1:2:3|c");
	take(rig, 0, "hits:2|c|@0.5");
	take(rig, 1, "hits:6|c|@0.125");
	flush = close_bucket(rig);
	assert_true(value_of(flush, "hits", "", "") == 6 + 4 + 48);
	assert_int_equal(flush->n_points, 1);
	assert_int_equal(flush->points[0].kind, POINT_COUNT);
	assert_int_equal(flush->points[0].timestamp, 1000);
	assert_true(span_equal(context_host(flush->points[0].context), SPAN_LITERAL("here")));
}

static void
latest_gauge_wins_across_shards_then_order(void **state)
{
	struct rig *rig = *state;
	const struct flush *flush;

	take_at(rig, 1, 20, "g:7|g");
	take_at(rig, 0, 10, "g:1|g");
	take_at(rig, 0, 10, "g:2|g");
	take_at(rig, 0, 10, "only:1:2:-4|g|@0.1");
	flush = close_bucket(rig);
	assert_true(value_of(flush, "g", "", "") == 7);
	assert_true(value_of(flush, "only", "", "") == -4);
	assert_int_equal(close_bucket(rig)->n_points, 0); /* a silent gauge is silent */
}

static void
sets_unite_exactly(void **state)
{
	struct rig *rig = *state;
	const struct flush *flush;

	take(rig, 0, "u:a:b:c|s");
	take(rig, 0, "u:a|s");
	take(rig, 1, "u:a|s");
	take(rig, 1, "u:NaN|s");
	flush = close_bucket(rig);
	assert_true(value_of(flush, "u", "", "") == 3);
	assert_int_equal(point_of(flush, "u", "", "")->kind, POINT_SET);
}

static void
histograms_and_timings_are_one_context(void **state)
{
	struct rig *rig = *state;
	const struct flush *flush;

	take(rig, 0, "t:30|ms|@0.5");
	take(rig, 1, "t:60|h|@0.2");
	flush = close_bucket(rig);
	assert_int_equal(flush->n_points, 5);
	assert_true(value_of(flush, "t", "count", "") == 7);
	assert_int_equal(point_of(flush, "t", "count", "")->kind, POINT_COUNT);
	assert_true(value_of(flush, "t", "avg", "") == 360.0 / 7);
	assert_true(value_of(flush, "t", "max", "") == 60);
	assert_true(value_of(flush, "t", "median", "") == 60);
	assert_true(value_of(flush, "t", "95percentile", "") == 60);
}

static void
distributions_merge_their_bins(void **state)
{
	struct rig *rig = *state;
	const struct ddsketch *sketch;

	take(rig, 0, "d:1|d");
	take(rig, 0, "d:1|d|@0.3"); /* weight trunc(3.33) = 3 */
	take(rig, 1, "d:100:-1:0|d");
	sketch = point_of(close_bucket(rig), "d", "", "")->sketch;
	assert_int_equal(sketch->count, 7);
	assert_true(sketch->sum == 4 + 100 - 1);
	assert_true(sketch->min == -1 && sketch->max == 100);
	assert_int_equal(sketch->n_bins, 4);
	assert_int_equal(sketch->bins[0].key, -1338);
	assert_int_equal(sketch->bins[1].key, 0);
	assert_int_equal(sketch->bins[2].key, 1338);
	assert_int_equal(sketch->bins[2].n, 4);
	assert_int_equal(sketch->bins[3].key, 1635);
}

static void
tag_order_and_duplicates_do_not_matter(void **state)
{
	struct rig *rig = *state;
	const struct flush *flush;

	take(rig, 0, "m:1|c|#a:1,b:2");
	take(rig, 0, "m:1|c|#b:2,a:1");
	take(rig, 1, "m:1|c|#b:2,,a:1,b:2,");
	flush = close_bucket(rig);
	assert_int_equal(flush->n_points, 1);
	assert_true(value_of(flush, "m", "", "a:1,b:2") == 3);
}

static void
type_and_host_are_part_of_the_identity(void **state)
{
	struct rig *rig = *state;
	const struct flush *flush;

	take(rig, 0, "m:1|c");
	take(rig, 0, "m:2|g");
	take(rig, 0, "m:4|c|#host:other");
	take(rig, 0, "m:8|c|#host:");
	flush = close_bucket(rig);
	assert_int_equal(flush->n_points, 4);
}

static void
silent_counters_are_zero_for_300_seconds(void **state)
{
	struct rig *rig = *state;
	int zeros = 0;

	take(rig, 0, "m:5|c");
	assert_true(value_of(close_bucket(rig), "m", "", "") == 5); /* bucket 1000 */
	/* lastSeen + 300 > bucket: 1010 to 1290 */
	for (int i = 0; i < 40; i++) {
		const struct flush *flush = close_bucket(rig);

		if (flush->n_points == 0)
			continue;
		assert_true(flush->points[0].value == 0);
		assert_int_equal(flush->points[0].kind, POINT_COUNT);
		zeros++;
	}
	assert_int_equal(zeros, 29);
}

static void
timestamped_values_pass_unmerged_and_unscaled(void **state)
{
	struct rig *rig = *state;
	const struct flush *flush;

	take(rig, 0, "a:5|c|@0.5|T1700000000");
	take(rig, 0, "a:5|c|@0.5|T1700000000");
	take(rig, 0, "a:6:nan|g|T1700000001");
	flush = close_bucket(rig);
	assert_int_equal(flush->n_points, 3);
	for (int i = 0; i < 3; i++)
		assert_true(flush->points[i].is_timestamped);
	assert_true(flush->points[0].value == 5);
	assert_int_equal(flush->points[0].timestamp, 1700000000);
	assert_int_equal(flush->points[2].kind, POINT_GAUGE);
	assert_int_equal(rig->stats[0].counter[STAT_lines_passed], 3);
	assert_int_equal(rig->stats[0].counter[STAT_samples_passed], 3);
	assert_int_equal(rig->stats[0].counter[STAT_samples_dropped_nan_or_inf], 1);
}

static void
events_and_checks_pass_with_host_and_tags(void **state)
{
	struct rig *rig = *state;
	const struct flush *flush;

	take(rig, 0, "_e{5,4}:title|a\\nb|p:low|t:error|#x,host:h9,a");
	take(rig, 1, "_sc|db.up|2|h:h1|#z:1|m:down");
	flush = close_bucket(rig);
	assert_int_equal(flush->n_events, 1);
	assert_true(span_equal(flush->events[0].event.text, SPAN_LITERAL("a\nb")));
	assert_true(span_equal(flush->events[0].host, SPAN_LITERAL("h9")));
	assert_true(span_equal(flush->events[0].tags, SPAN_LITERAL("a,x")));
	assert_int_equal(flush->events[0].event.timestamp, 1000);
	assert_int_equal(flush->n_checks, 1);
	assert_int_equal(flush->checks[0].check.status, 2);
	assert_true(span_equal(flush->checks[0].host, SPAN_LITERAL("h1")));
	assert_true(span_equal(flush->checks[0].check.message, SPAN_LITERAL("down")));
}

static void
nothing_that_is_not_finite_leaves(void **state)
{
	struct rig *rig = *state;
	const struct flush *flush;

	take(rig, 0, "over:1e308:1e308|c");
	take(rig, 0, "over.h:1.7e308:1.7e308|h");
	take(rig, 0, "over.d:1.7e308:1.7e308|d");
	take(rig, 0, "fine:1:nan:inf:2|c");
	flush = close_bucket(rig);
	assert_null(point_of(flush, "over", "", ""));
	assert_null(point_of(flush, "over.h", "avg", ""));
	assert_true(value_of(flush, "over.h", "max", "") == 1.7e308);
	assert_null(point_of(flush, "over.d", "", ""));
	assert_int_equal(flush->n_not_finite, 3);
	assert_true(value_of(flush, "fine", "", "") == 3);
	assert_int_equal(rig->stats[0].counter[STAT_samples_dropped_nan_or_inf], 2);
}

static void
new_contexts_beyond_the_limit_are_dropped_and_counted(void **state)
{
	struct rig *rig = *state;
	const struct flush *flush;

	rig->limit.max = 2;
	take(rig, 0, "a:1|c");
	take(rig, 0, "b:1|c");
	take(rig, 0, "c:1:2|c");
	take(rig, 0, "a:1|c"); /* existing ones go on */
	flush = close_bucket(rig);
	assert_int_equal(flush->n_points, 2);
	assert_true(value_of(flush, "a", "", "") == 2);
	assert_int_equal(rig->stats[0].counter[STAT_lines_dropped_context_limit], 1);
	assert_int_equal(rig->stats[0].counter[STAT_samples_dropped_context_limit], 2);
}

static void
memory_comes_back_after_expiry(void **state)
{
	struct rig *rig = *state;
	char line[64];

	rig->limit.max = 1000000;
	for (int i = 0; i < 20000; i++) {
		snprintf(line, sizeof(line), "flood.%d:1|g|#x:%d", i, i);
		take_at(rig, i % N_SHARDS, 1, line);
	}
	take_at(rig, 0, 30, "keep:1|g");
	assert_int_equal(close_bucket(rig)->n_points, 20001);
	for (int i = 0; i < N_SHARDS; i++)
		shard_expire(rig->shard[i], 31, 100000); /* 30 > 20: the flood; 1 < 20: not keep */
	close_bucket(rig);
	close_bucket(rig);
	assert_int_equal(rig->limit.used, 1);
	assert_int_equal(merger_series(rig->merger), 1);
	assert_true(rig->budget.used < 1024);
	assert_int_equal(rig->stats[0].counter[STAT_worker_contexts_expired] +
			rig->stats[1].counter[STAT_worker_contexts_expired],
		20000);
	take_at(rig, 1, 32, "flood.7:9|g|#x:7"); /* and it can come again */
	assert_true(value_of(close_bucket(rig), "flood.7", "", "x:7") == 9);
}

static void
budget_limits_bytes(void **state)
{
	struct rig *rig = *state;
	char line[600];
	uint64_t *counter = rig->stats[0].counter;
	uint64_t kept;

	rig->budget.limit = 100000;
	rig->limit.max = 1000000;
	for (int i = 0; i < 1000; i++) {
		snprintf(line, sizeof(line), "m.%d:1|c|#x:%0400d", i, i);
		take(rig, 0, line);
	}
	kept = counter[STAT_lines_aggregated];
	assert_true(kept > 100 && kept < 250); /* 100000 / (some 600 bytes each) */
	assert_int_equal(kept + counter[STAT_lines_dropped_memory_limit], 1000);
	assert_int_equal(close_bucket(rig)->n_points, kept);
}

static void
absurd_weights_are_dropped_by_name(void **state)
{
	struct rig *rig = *state;

	take(rig, 0, "d:1|d|@1e-300");
	assert_int_equal(rig->stats[0].counter[STAT_lines_dropped_weight_limit], 1);
	assert_int_equal(rig->stats[0].counter[STAT_samples_dropped_weight_limit], 1);
	assert_int_equal(close_bucket(rig)->n_points, 0);
}

/* 3.8e-9 is a weight of 263157894, which fills 4016 bins: two fit into twice 4096. */
static void
weights_stop_where_a_sketch_is_full(void **state)
{
	struct rig *rig = *state;
	const uint64_t *counter = rig->stats[0].counter;
	const struct flush *flush;

	take(rig, 0, "d:1:2:3:4:5|d|@0.0000000038");
	assert_int_equal(counter[STAT_samples_aggregated], 2);
	assert_int_equal(counter[STAT_samples_dropped_weight_limit], 3);
	take(rig, 0, "d:6|d|@0.0000000038");
	assert_int_equal(counter[STAT_lines_dropped_weight_limit], 1);
	take(rig, 0, "d:7|d|@0.5");
	take(rig, 0, "d:8|d");
	assert_int_equal(counter[STAT_samples_aggregated], 4);
	flush = close_bucket(rig);
	assert_int_equal(flush->n_points, 1);
	assert_int_equal(flush->points[0].sketch->count, 2 * 263157894 + 2 + 1);
}

static void
ill_formed_text_is_replaced_before_the_look_up(void **state)
{
	struct rig *rig = *state;
	const struct flush *flush;

	take(rig, 0, "n\xff:1|c|#t:\xc3(");
	take(rig, 0, "n\xfe:1|c|#t:\xc4("); /* becomes the same */
	flush = close_bucket(rig);
	assert_int_equal(flush->n_points, 1);
	assert_true(value_of(flush, "n\xef\xbf\xbd", "", "t:\xef\xbf\xbd(") == 2);
}

static void
extra_tags_are_on_everything(void **state)
{
	struct rig *rig = *state;
	const struct span extra[] = {SPAN_LITERAL("dc:1"), SPAN_LITERAL("a:0")};
	const struct flush *flush;

	shard_free(rig->shard[0]);
	rig->shard_conf.key.extra_tags = extra;
	rig->shard_conf.key.n_extra_tags = 2;
	rig->shard[0] = shard_new(&rig->shard_conf, &rig->stats[0]);
	take(rig, 0, "m:1|c|#b:1,dc:1");
	take(rig, 0, "_e{1,1}:a|b");
	flush = close_bucket(rig);
	assert_true(value_of(flush, "m", "", "a:0,b:1,dc:1") == 1);
	assert_true(span_equal(flush->events[0].tags, SPAN_LITERAL("a:0,dc:1")));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(counters_add_over_lines_rates_and_shards),
		TEST(latest_gauge_wins_across_shards_then_order),
		TEST(sets_unite_exactly),
		TEST(histograms_and_timings_are_one_context),
		TEST(distributions_merge_their_bins),
		TEST(tag_order_and_duplicates_do_not_matter),
		TEST(type_and_host_are_part_of_the_identity),
		TEST(silent_counters_are_zero_for_300_seconds),
		TEST(timestamped_values_pass_unmerged_and_unscaled),
		TEST(events_and_checks_pass_with_host_and_tags),
		TEST(nothing_that_is_not_finite_leaves),
		TEST(new_contexts_beyond_the_limit_are_dropped_and_counted),
		TEST(memory_comes_back_after_expiry),
		TEST(budget_limits_bytes),
		TEST(absurd_weights_are_dropped_by_name),
		TEST(weights_stop_where_a_sketch_is_full),
		TEST(ill_formed_text_is_replaced_before_the_look_up),
		TEST(extra_tags_are_on_everything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
