/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker whose one input, without a descriptor as a NIC's queue, is the test's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "base/thread.h"
#include "input/driver.h"
#include "worker/worker.h"

static const char line[64 + BURST_TAILROOM] = "a:1|c";
static _Atomic uint64_t arrived; /* monotonic ns of a datagram that waits; 0: none does */
static _Atomic uint64_t taken_after; /* ns; 0: not yet */

static uint64_t
now(void)
{
	return clock_monotonic(&clock_system);
}

static void
fake_poll(struct input *input, struct burst *burst)
{
	uint64_t since = atomic_exchange(&arrived, 0);

	burst->n = 0;
	burst->time = now();
	if (since == 0)
		return;
	input_add(input, burst, span_from_string(line));
	atomic_store(&taken_after, burst->time - since);
}

static void
fake_release(struct input *input, struct burst *burst)
{
	(void)input;
	(void)burst;
}

static void
fake_close(struct input *input)
{
	(void)input;
}

struct rig {
	struct budget budget;
	struct context_limit limit;
	struct shard_conf shard;
	struct input input;
	struct worker *worker;
	pthread_t thread;
	uint64_t began;
};

static void *
run(void *worker)
{
	worker_run(worker);
	return NULL;
}

static void
start(struct rig *rig, enum worker_idle idle)
{
	static const struct input_ops ops = {.name = "fake",
		.poll = fake_poll,
		.release = fake_release,
		.close = fake_close};
	struct worker_conf conf = {
		.name = "test",
		.idle = idle,
		.shard = &rig->shard,
		.lines = {.clock = &clock_system, .cache_size = 1 << 20},
	};
	struct error error;

	*rig = (struct rig){.shard = {.budget = &rig->budget, .limit = &rig->limit}};
	budget_init(&rig->budget, 64 << 20);
	atomic_init(&rig->limit.max, 1000);
	assert_int_equal(worker_new(&conf, &rig->worker, &error), 0);
	input_init(&rig->input, &ops, &(struct input_spec){.name = "fake"}, &rig->worker->stats);
	rig->worker->input[0] = &rig->input;
	rig->worker->n_inputs = 1;
	rig->worker->must_poll = true;
	atomic_store(&arrived, 0);
	rig->began = now();
	assert_int_equal(thread_start(&rig->thread, "test", run, rig->worker), 0);
}

static void
sleep_ms(long ms)
{
	nanosleep(&(struct timespec){.tv_nsec = ms * NS_PER_MS}, NULL);
}

/* Returns after how long it was taken, ns. */
static uint64_t
send_one(void)
{
	atomic_store(&taken_after, 0);
	atomic_store(&arrived, now());
	while (atomic_load(&taken_after) == 0)
		sleep_ms(1);
	return atomic_load(&taken_after);
}

/* Ends the thread; ns that it ran at most. */
static uint64_t
stop(struct rig *rig)
{
	worker_drain(rig->worker, (uint64_t)NS_PER_S);
	pthread_join(rig->thread, NULL);
	return now() - rig->began;
}

static uint64_t
sum_of(const uint64_t *values, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	return sum;
}

static void
stages_add_up_to_the_wall_time(void **state)
{
	static const enum worker_idle idle[] = {WORKER_IDLE_POLL, WORKER_IDLE_PAUSE,
		WORKER_IDLE_SLEEP};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(idle); i++) {
		static struct rig rig;
		static struct stats stats;
		uint64_t ran, turns, sum;

		start(&rig, idle[i]);
		for (int n = 0; n < 20; n++) {
			send_one();
			sleep_ms(2);
		}
		ran = stop(&rig);
		stats = (struct stats){0};
		stats_collect(&rig.worker->published, &stats);
		sum = sum_of(stats.stage, STAGE_COUNT);
		/* The thread's start and end are on the wall and in no stage. */
		assert_in_range(sum, ran / 2, ran);
		for (size_t stage = 0; stage < STAGE_COUNT; stage++)
			assert_in_range(stats.stage[stage], 1, sum);
		/* 20 datagrams in more than 40 ms: nearly all of it is idle or housekeeping. */
		assert_in_range(stats.stage[STAGE_POLL] + stats.stage[STAGE_DECODE], 2, sum / 2);
		/* Every poll but the first ones, until the clock's rate is known. */
		turns = stats.counter[STAT_worker_turns];
		assert_in_range(sum_of(stats.gap, STAGE_GAPS), turns - turns / 2, turns - 1);
		assert_in_range(stats.gaps, sum / 2, sum + sum / 8);
		assert_true(atomic_load(&rig.worker->stages.gap_max) <= ran);
		worker_finish(rig.worker, 1);
		worker_free(rig.worker);
	}
}

static int
compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* 256 empty turns, then naps that grow to 1 ms, and the kernel's 50 us of slack. The median, since
 * what else runs on the machine may hold the worker up. */
static void
the_first_datagram_after_idling_waits_two_ms_at_most(void **state)
{
	static struct rig rig;
	uint64_t taken[15];

	(void)state;
	start(&rig, WORKER_IDLE_SLEEP);
	for (size_t i = 0; i < ARRAY_LENGTH(taken); i++) {
		sleep_ms(100);
		taken[i] = send_one();
	}
	stop(&rig);
	/* It sleeps indeed: idling 1.5 s at a nap of 1 ms takes some thousand turns, not millions.
	 */
	assert_in_range(rig.worker->stats.counter[STAT_worker_turns], 100, 100000);
	qsort(taken, ARRAY_LENGTH(taken), sizeof(taken[0]), compare);
	assert_in_range(taken[ARRAY_LENGTH(taken) / 2], 0, 2 * NS_PER_MS);
	worker_finish(rig.worker, 1);
	worker_free(rig.worker);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stages_add_up_to_the_wall_time),
		cmocka_unit_test(the_first_datagram_after_idling_waits_two_ms_at_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
