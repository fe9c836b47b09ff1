/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Workers record, expire and swap while the flush thread merges and another thread reads flushes:
 * nothing is lost, and (under TSan) nothing is touched by two at once.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "agg/merge.h"
#include "agg/record.h"

#define N_WORKERS 3
#define N_LINES 60000
#define N_NAMES 500
#define NAMES_LAST 20000 /* lines; then others come in their place */

struct worker_side {
	struct shard *shard;
	struct stats stats;
	uint32_t number;
	_Atomic bool has_ended;
};

static _Atomic uint64_t epoch_wanted;

static void
record_line(struct worker_side *w, uint32_t i)
{
	static const struct dgram nobody;
	const double value = 1;
	char name[32], tag[32];
	struct message message = {.kind = MESSAGE_METRIC};

	/* Some names come for a while and never again, so that contexts end and slots are reused.
	 */
	snprintf(name, sizeof(name), "n.%u", i % N_NAMES + i / NAMES_LAST * 10000);
	snprintf(tag, sizeof(tag), "w:%u", i % 7);
	message.fields.tags = span_from_string(tag);
	message.metric = (struct metric){
		.name = span_from_string(name),
		.member = span_from_string(tag),
		.values = &value,
		.n_values = 1,
		.type = i % METRIC_TYPE_COUNT,
		.rate = 1,
		.weight = 1,
	};
	record_message(w->shard, &message, &nobody, i);
}

static void *
work(void *argument)
{
	struct worker_side *w = argument;

	for (uint32_t i = 0; i < N_LINES; i++) {
		uint64_t wanted = atomic_load(&epoch_wanted);

		/* A bucket begins in which the names before do not come: only these can end. */
		while (i % NAMES_LAST == 0 && wanted == atomic_load(&w->shard->epoch)) {
			sched_yield();
			wanted = atomic_load(&epoch_wanted);
		}
		record_line(w, i);
		if (wanted != atomic_load(&w->shard->epoch))
			shard_swap(w->shard, wanted, i);
		shard_expire(w->shard, i, 4);
	}
	atomic_store(&w->has_ended, true);
	return NULL;
}

/* Samples that a flush accounts for: counters by sum, distributions by count. */
static void
add_up(const struct flush *flush, double *counted, uint64_t *sketched)
{
	for (size_t i = 0; i < flush->n_points; i++) {
		const struct point *point = &flush->points[i];

		if (point->kind == POINT_SKETCH)
			*sketched += point->sketch->count;
		else if (point->kind == POINT_COUNT && point->suffix.size == 0)
			*counted += point->value;
	}
}

struct reader {
	struct spsc flushes;
	double counted;
	uint64_t sketched;
	_Atomic bool ends;
};

static void *
read_flushes(void *argument)
{
	struct reader *reader = argument;

	for (;;) {
		bool ends = atomic_load(&reader->ends);
		struct flush *flush = spsc_pop(&reader->flushes);

		if (flush != NULL) {
			add_up(flush, &reader->counted, &reader->sketched);
			flush_unref(flush);
		} else if (ends) {
			return NULL;
		} else {
			sched_yield();
		}
	}
}

static void
collect(struct merger *merger, struct worker_side *w, uint64_t epoch)
{
	for (;;) {
		struct bucket *bucket = spsc_pop(&w->shard->filled);
		bool was_swapped = atomic_load(&w->shard->epoch) == epoch;

		if (bucket != NULL) {
			merger_add(merger, w->number, bucket);
			if (!spsc_push(&w->shard->emptied, bucket))
				bucket_free(bucket);
		} else if (was_swapped) {
			return;
		} else if (atomic_load(&w->has_ended)) {
			shard_swap(w->shard, epoch, N_LINES);
		} else {
			sched_yield();
		}
	}
}

static void
nothing_is_lost_between_worker_and_reader(void **state)
{
	struct budget budget;
	struct context_limit limit = {.max = 1000000};
	struct shard_conf conf = {
		.budget = &budget,
		.limit = &limit,
		.key = {.payload_max = 1024},
		.expiry = {3000, 3000, 3000, 3000, 3000},
	};
	const struct merger_conf merger_conf = {.histogram = {.count = true}};
	struct worker_side *w = calloc(N_WORKERS, sizeof(*w));
	struct reader *reader = aligned_alloc(64, sizeof(*reader));
	struct merger *merger;
	pthread_t thread[N_WORKERS], reader_thread;
	uint64_t epoch = 0;

	(void)state;
	memset(reader, 0, sizeof(*reader));
	budget_init(&budget, 1 << 30);
	merger = merger_new(&merger_conf, N_WORKERS, &budget);
	pthread_create(&reader_thread, NULL, read_flushes, reader);
	for (uint32_t i = 0; i < N_WORKERS; i++) {
		w[i].number = i;
		w[i].shard = shard_new(&conf, &w[i].stats);
		pthread_create(&thread[i], NULL, work, &w[i]);
	}
	for (bool is_last = false; !is_last;) {
		struct flush *flush;

		is_last = true;
		for (uint32_t i = 0; i < N_WORKERS; i++)
			is_last = is_last && atomic_load(&w[i].has_ended);
		atomic_store(&epoch_wanted, ++epoch);
		for (uint32_t i = 0; i < N_WORKERS; i++)
			collect(merger, &w[i], epoch);
		flush = merger_finish(merger, (struct bucket_time){(int64_t)epoch, 1});
		assert_int_equal(flush->n_no_memory, 0);
		while (!spsc_push(&reader->flushes, flush))
			sched_yield();
	}
	atomic_store(&reader->ends, true);
	pthread_join(reader_thread, NULL);
	for (uint32_t i = 0; i < N_WORKERS; i++) {
		pthread_join(thread[i], NULL);
		assert_int_equal(w[i].stats.counter[STAT_lines_aggregated], N_LINES);
		assert_true(w[i].stats.counter[STAT_worker_contexts_expired] > 0);
	}
	assert_true(reader->counted == N_WORKERS * N_LINES / METRIC_TYPE_COUNT);
	assert_int_equal(reader->sketched, N_WORKERS * N_LINES / METRIC_TYPE_COUNT);
	merger_free(merger);
	for (uint32_t i = 0; i < N_WORKERS; i++)
		shard_free(w[i].shard);
	assert_int_equal(budget.used, 0);
	free(reader);
	free(w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_lost_between_worker_and_reader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
