/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The worker's turns with inputs, a decoder and a clock that are the test's own: an input has so
 * many datagrams waiting, each with its number as payload; polling and decoding take so much time.
 */
#define input_open test_input_open
#define lines_take test_lines_take
#include "worker/worker.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "input/driver.h"

#define CHUNK ((size_t)256 << 10)
#define PAYLOAD 1000 /* bytes */
/* 12 bytes of header and no source: 1012 each, (262144 - 16 - 64) / 1012 = 258 in a chunk. */
#define PER_CHUNK 258

struct fake {
	struct input input;
	uint64_t n_waiting; /* datagrams */
	uint64_t next; /* number of the next one to be polled */
	uint64_t decoded; /* number of the next one to be decoded */
	uint64_t n_decoded;
	uint64_t poll_time, decode_time; /* ns for each datagram */
	uint32_t n_held; /* polled and not released */
	bool is_filling;
};

static struct fake fake[2];
static uint64_t now; /* ns */
static uint64_t polling, decoding; /* ns spent so far */
static uint8_t bytes[BURST_MAX][PAYLOAD + BURST_TAILROOM];

static int64_t
fake_wall(void *context)
{
	(void)context;
	return (int64_t)now;
}

static uint64_t
fake_monotonic(void *context)
{
	(void)context;
	return now;
}

static const struct clock fake_clock = {fake_wall, fake_monotonic, NULL};

static void
fake_poll(struct input *input, struct burst *burst)
{
	struct fake *f = container_of(input, struct fake, input);

	assert_int_equal(f->n_held, 0);
	burst->n = 0;
	while (burst->n < BURST_MAX && f->n_waiting != 0) {
		uint8_t *payload = bytes[burst->n];

		memcpy(payload, &f->next, sizeof(f->next));
		input_add(input, burst, span_of(payload, PAYLOAD));
		f->next++;
		f->n_waiting--;
	}
	f->n_held = burst->n;
	input->has_more = burst->n == BURST_MAX;
	now += burst->n * f->poll_time;
	polling += burst->n * f->poll_time;
	burst->time = now;
}

/* The memory is the next burst's from here on. */
static void
fake_release(struct input *input, struct burst *burst)
{
	struct fake *f = container_of(input, struct fake, input);

	assert_int_equal(burst->n, f->n_held);
	f->n_held = 0;
	memset(bytes, 0xff, sizeof(bytes));
}

static bool
fake_is_filling(struct input *input)
{
	return container_of(input, struct fake, input)->is_filling;
}

static void
fake_quiesce(struct input *input)
{
	(void)input;
}

static void
fake_close(struct input *input)
{
	(void)input;
}

static const struct input_ops fake_ops = {
	.name = "fake",
	.poll = fake_poll,
	.release = fake_release,
	.is_filling = fake_is_filling,
	.quiesce = fake_quiesce,
	.close = fake_close,
};

int
test_input_open(const struct input_spec *spec, struct stats *stats, struct input **ret_input,
	struct error *error)
{
	(void)error;
	input_init(&fake[spec->listener].input, &fake_ops, spec, stats);
	*ret_input = &fake[spec->listener].input;
	return 0;
}

/* Datagrams of an input come in the order in which it had them, none twice; some may be missing. */
void
test_lines_take(struct lines *lines, const struct burst *burst)
{
	for (uint16_t i = 0; i < burst->n; i++) {
		struct fake *f = &fake[burst->dgram[i].listener];
		uint64_t number;

		memcpy(&number, burst->dgram[i].payload.data, sizeof(number));
		assert_int_equal(burst->dgram[i].payload.size, PAYLOAD);
		assert_true(number >= f->decoded && number < f->next);
		f->decoded = number + 1;
		f->n_decoded++;
		now += f->decode_time;
		decoding += f->decode_time;
	}
	stats_add(lines->stats, STAT_datagrams_delivered, burst->n);
}

/* A worker with both inputs, on one account of so many chunks or on one each. */
struct bench {
	struct budget shared, contexts;
	struct context_limit limit;
	struct shard_conf shard;
	struct account account[2];
	struct chunk_pool pool;
	struct worker *worker;
};

static void
bench_init_on(struct bench *bench, size_t n_chunks, int n_accounts)
{
	struct input_spec spec[2] = {
		{.name = "a", .listener = 0, .account = &bench->account[0]},
		{.name = "b", .listener = 1, .account = &bench->account[n_accounts - 1]},
	};
	struct worker_conf conf = {
		.name = "test",
		.inputs = spec,
		.n_inputs = 2,
		.pool = &bench->pool,
		.shard = &bench->shard,
		.lines = {.clock = &fake_clock},
	};
	size_t size = n_chunks * CHUNK;
	struct error error;

	memset(fake, 0, sizeof(fake));
	memset(bench, 0, sizeof(*bench));
	now = NS_PER_S;
	polling = decoding = 0;
	budget_init(&bench->shared, 0);
	budget_init(&bench->contexts, 1 << 20);
	bench->limit.max = 1000;
	bench->shard = (struct shard_conf){
		.key = {.hostname = SPAN_LITERAL("h"), .payload_max = 64},
		.budget = &bench->contexts,
		.limit = &bench->limit,
	};
	for (int i = 0; i < 2; i++)
		account_init(&bench->account[i], &(struct account_conf){"test", size, size},
			&bench->shared);
	assert_int_equal(chunk_pool_init(&bench->pool, 2 * size, CHUNK, 0, false), 0);
	assert_int_equal(worker_new(&conf, &bench->worker, &error), 0);
	for (int i = 0; i < 2; i++)
		fake[i] =
			(struct fake){.input = fake[i].input, .poll_time = 10, .decode_time = 1000};
}

static void
bench_init(struct bench *bench, size_t n_chunks)
{
	bench_init_on(bench, n_chunks, 2);
}

static void
bench_done(struct bench *bench)
{
	worker_free(bench->worker);
	for (int i = 0; i < 2; i++)
		assert_int_equal(bench->account[i].used, 0);
	chunk_pool_done(&bench->pool);
}

static uint64_t
count(const struct bench *bench, enum counter stat)
{
	return bench->worker->stats.counter[stat];
}

/* The equation of the level, which has to hold after every turn. */
static void
expect_balance(const struct bench *bench)
{
	assert_int_equal(count(bench, STAT_datagrams_received),
		count(bench, STAT_datagrams_delivered) + count(bench, STAT_datagrams_queued) +
			count(bench, STAT_datagrams_dropped_memory_ceiling) +
			count(bench, STAT_datagrams_dropped_stopped));
}

/* Turns until nothing is left; returns how many that were. */
static uint32_t
run_dry(struct bench *bench)
{
	uint32_t n = 0;

	while (turn(bench->worker) != 0) {
		expect_balance(bench);
		assert_true(n++ < 1000000);
	}
	assert_int_equal(count(bench, STAT_datagrams_queued), 0);
	return n;
}

static void
without_pressure_nothing_is_copied(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench, 4);
	for (int i = 0; i < 100; i++) {
		fake[0].n_waiting = i % 2 != 0 ? 64 : 63; /* a full poll now and then */
		fake[1].n_waiting = 1;
		turn(bench.worker);
		expect_balance(&bench);
	}
	assert_int_equal(count(&bench, STAT_datagrams_delivered), 50 * 127 + 100);
	assert_int_equal(count(&bench, STAT_worker_spilled), 0);
	assert_int_equal(bench.account[0].peak, 0);
	bench_done(&bench);
}

static void
under_pressure_the_input_is_emptied_first(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench, 4);
	fake[0].n_waiting = 900;
	for (int i = 0; i < 3; i++)
		turn(bench.worker);
	/* Two full polls decoded in place, then all the rest is taken in, and 64 are decoded. */
	assert_int_equal(fake[0].n_waiting, 0);
	assert_int_equal(count(&bench, STAT_datagrams_delivered), 3 * 64);
	assert_int_equal(count(&bench, STAT_datagrams_queued), 900 - 3 * 64);
	assert_int_equal(count(&bench, STAT_worker_spilled), 900 - 2 * 64);
	assert_int_equal(count(&bench, STAT_worker_spilled_bytes), (900 - 2 * 64) * PAYLOAD);
	/* What comes now goes behind. */
	fake[0].n_waiting = 10;
	turn(bench.worker);
	assert_int_equal(count(&bench, STAT_worker_spilled), 910 - 2 * 64);
	run_dry(&bench);
	assert_int_equal(fake[0].decoded, 910);
	/* And once the backlog is empty the next ones are decoded in place again. */
	fake[0].n_waiting = 64;
	turn(bench.worker);
	assert_int_equal(count(&bench, STAT_worker_spilled), 910 - 2 * 64);
	assert_int_equal(count(&bench, STAT_datagrams_delivered), 974);
	assert_int_equal(bench.account[0].used, 0);
	bench_done(&bench);
}

static void
one_turn_takes_in_only_so_much(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench, 100);
	fake[0].n_waiting = 100000;
	for (int i = 0; i < 3; i++)
		turn(bench.worker);
	/* 16 polls of 64 at most, or a MiB: both are 1024 and some of these. */
	assert_int_equal(count(&bench, STAT_worker_spilled), 1024);
	assert_int_equal(count(&bench, STAT_datagrams_delivered), 3 * 64);
	bench_done(&bench);
}

static void
a_ring_that_fills_up_is_emptied_at_once(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench, 4);
	fake[0].is_filling = true;
	fake[0].n_waiting = 200;
	turn(bench.worker);
	assert_int_equal(count(&bench, STAT_worker_spilled), 0);
	turn(bench.worker);
	assert_int_equal(count(&bench, STAT_worker_spilled), 200 - 64);
	bench_done(&bench);
}

static void
what_an_input_keeps_is_never_copied(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench, 4);
	fake[0].input.keeps_unread = true;
	intake_add(&bench.worker->intake, &fake[0].input, &bench.worker->source[0]);
	fake[0].n_waiting = 10000;
	assert_int_equal(run_dry(&bench), (10000 + 63) / 64);
	assert_int_equal(count(&bench, STAT_worker_spilled), 0);
	bench_done(&bench);
}

static void
one_account_does_not_wait_for_the_other(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench, 4);
	fake[0].n_waiting = 1000;
	for (int i = 0; i < 3; i++)
		turn(bench.worker);
	fake[1].n_waiting = 5;
	turn(bench.worker);
	assert_int_equal(fake[1].decoded, 5);
	assert_true(fake[0].decoded < 1000);
	bench_done(&bench);
}

static void
at_the_ceiling_the_ring_is_still_emptied(void **state)
{
	struct bench bench;
	uint64_t n_dropped;

	(void)state;
	bench_init(&bench, 2);
	for (int i = 0; i < 100; i++) { /* three times what is decoded in a turn */
		fake[0].n_waiting += 192;
		turn(bench.worker);
		expect_balance(&bench);
		if (i >= 2) /* two full polls, then it is under pressure */
			assert_int_equal(fake[0].n_waiting, 0);
		assert_true(count(&bench, STAT_datagrams_queued) <= 2 * PER_CHUNK);
	}
	assert_int_equal(count(&bench, STAT_datagrams_delivered), 100 * 64);
	n_dropped = count(&bench, STAT_datagrams_dropped_memory_ceiling);
	assert_in_range(n_dropped, 100 * 128 - 2 * PER_CHUNK, 100 * 128);
	assert_int_equal(bench.account[0].peak, 2 * CHUNK);
	/* Afterwards all is as before. */
	run_dry(&bench);
	assert_int_equal(bench.account[0].used, 0);
	fake[0].n_waiting = 10;
	turn(bench.worker);
	n_dropped = count(&bench, STAT_datagrams_dropped_memory_ceiling);
	assert_int_equal(count(&bench, STAT_datagrams_delivered), fake[0].next - n_dropped);
	bench_done(&bench);
}

/* By hand: where a poll costs as much as decoding, half of the time goes to each when nothing is
 * lost. Under overload polls that only drop may cost a tenth of the decoding, so of 21 parts 10 go
 * to decoding, 10 to polling what is decoded, 1 to dropping: 20/21 of the pace. Polls before the
 * ceiling was reached take a little more. */
static void
endless_overload_leaves_the_pace(void **state)
{
	struct bench bench;
	uint64_t pace;

	(void)state;
	bench_init(&bench, 32);
	fake[0].poll_time = fake[0].decode_time = 500;
	for (int i = 0; i < 20000; i++) {
		fake[0].n_waiting = 1000000;
		turn(bench.worker);
		expect_balance(&bench);
	}
	pace = decoding * 100 / (polling + decoding);
	assert_in_range(pace, 46, 50);
	assert_true(count(&bench, STAT_datagrams_dropped_memory_ceiling) > 0);
	bench_done(&bench);
}

/* Overload until the backlog was at its ceiling for more than a second. */
static void
flood(struct bench *bench)
{
	uint64_t until = now + 2 * NS_PER_S;

	while (now < until) {
		fake[0].n_waiting = 192;
		turn(bench->worker);
	}
	assert_true(bench->worker->source[0].is_flooded);
}

static void
a_flood_is_decoded_in_place(void **state)
{
	uint64_t n_spilled, n_delivered, n_dropped;
	struct bench bench;

	(void)state;
	bench_init(&bench, 8);
	flood(&bench);
	expect_balance(&bench);
	assert_int_equal(count(&bench, STAT_datagrams_queued), 0);
	n_spilled = count(&bench, STAT_worker_spilled);
	n_delivered = count(&bench, STAT_datagrams_delivered);
	n_dropped = count(&bench, STAT_datagrams_dropped_memory_ceiling);
	for (int i = 0; i < 10; i++) {
		fake[0].n_waiting = 192;
		turn(bench.worker);
		assert_int_equal(fake[0].n_waiting, 0); /* the ring does not stand still */
	}
	assert_int_equal(count(&bench, STAT_worker_spilled), n_spilled);
	assert_int_equal(count(&bench, STAT_datagrams_delivered), n_delivered + 10 * 64);
	assert_int_equal(count(&bench, STAT_datagrams_dropped_memory_ceiling),
		n_dropped + 10 * 128);
	/* The flood ends; the next burst has its backlog again. */
	fake[0].n_waiting = 10;
	turn(bench.worker);
	fake[0].n_waiting = 1000;
	run_dry(&bench);
	assert_int_equal(count(&bench, STAT_worker_spilled), n_spilled + 1000 - 128);
	assert_int_equal(count(&bench, STAT_datagrams_dropped_memory_ceiling),
		n_dropped + 10 * 128);
	bench_done(&bench);
}

/* The quiet one is polled first and finds nothing new most of the time. */
static void
a_flood_beside_it_costs_a_quiet_input_nothing(void **state)
{
	uint64_t before, until, n_spilled;
	struct bench bench;

	(void)state;
	bench_init_on(&bench, 8, 1);
	until = now + 3 * NS_PER_S;
	for (int i = 0; now < until; i++) {
		fake[0].n_waiting = i % 4 == 0;
		fake[1].n_waiting = 192;
		turn(bench.worker);
		expect_balance(&bench);
	}
	assert_true(bench.worker->source[1].is_flooded);
	assert_false(bench.worker->source[0].is_flooded);
	before = fake[0].next - fake[0].n_decoded; /* lost while all was full */
	n_spilled = count(&bench, STAT_worker_spilled);
	for (int i = 0; i < 1000; i++) {
		fake[0].n_waiting = i % 4 == 0;
		fake[1].n_waiting = 192;
		turn(bench.worker);
	}
	assert_true(bench.worker->source[1].is_flooded);
	assert_int_equal(fake[0].next - fake[0].n_decoded, before);
	assert_int_equal(count(&bench, STAT_worker_spilled), n_spilled);
	bench_done(&bench);
}

/* Another worker holds it all. */
static void
without_memory_all_is_decoded_in_place(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench, 2);
	assert_true(account_take(&bench.account[0], 2 * CHUNK));
	fake[0].n_waiting = 6400;
	run_dry(&bench);
	assert_int_equal(count(&bench, STAT_datagrams_delivered), 6400);
	assert_int_equal(count(&bench, STAT_worker_spilled), 0);
	account_give(&bench.account[0], 2 * CHUNK);
	bench_done(&bench);
}

static void
a_flood_that_ends_loses_nothing_more(void **state)
{
	struct bench bench;
	uint64_t n_dropped;

	(void)state;
	bench_init(&bench, 8);
	while (!bench.worker->intake.queue[0].is_closed) {
		fake[0].n_waiting = 192;
		turn(bench.worker);
	}
	assert_true(count(&bench, STAT_datagrams_queued) > 0);
	fake[0].n_waiting = 60; /* the turn that finds out */
	turn(bench.worker);
	n_dropped = count(&bench, STAT_datagrams_dropped_memory_ceiling);
	for (int i = 0; i < 1000; i++) {
		fake[0].n_waiting = 60;
		turn(bench.worker);
		expect_balance(&bench);
	}
	assert_int_equal(count(&bench, STAT_datagrams_dropped_memory_ceiling), n_dropped);
	run_dry(&bench);
	bench_done(&bench);
}

static void
what_cannot_be_decoded_before_the_stop_is_counted(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench, 8);
	fake[0].n_waiting = 1500;
	for (int i = 0; i < 4; i++)
		turn(bench.worker);
	assert_int_equal(count(&bench, STAT_datagrams_delivered), 4 * 64);
	/* A burst takes 64 us, so this is time for one or two. */
	worker_drain(bench.worker, 100000);
	worker_run(bench.worker);
	expect_balance(&bench);
	assert_int_equal(count(&bench, STAT_datagrams_queued), 0);
	assert_int_equal(count(&bench, STAT_datagrams_delivered), 6 * 64);
	assert_int_equal(count(&bench, STAT_datagrams_dropped_stopped), 1500 - 6 * 64);
	bench_done(&bench);
}

static void
a_drain_decodes_the_backlog(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench, 8);
	fake[0].n_waiting = 1500;
	for (int i = 0; i < 4; i++)
		turn(bench.worker);
	assert_true(count(&bench, STAT_datagrams_queued) > 1000);
	worker_drain(bench.worker, NS_PER_S);
	worker_run(bench.worker);
	assert_int_equal(count(&bench, STAT_datagrams_delivered), 1500);
	bench_done(&bench);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_pressure_nothing_is_copied),
		cmocka_unit_test(under_pressure_the_input_is_emptied_first),
		cmocka_unit_test(one_turn_takes_in_only_so_much),
		cmocka_unit_test(a_ring_that_fills_up_is_emptied_at_once),
		cmocka_unit_test(what_an_input_keeps_is_never_copied),
		cmocka_unit_test(one_account_does_not_wait_for_the_other),
		cmocka_unit_test(at_the_ceiling_the_ring_is_still_emptied),
		cmocka_unit_test(endless_overload_leaves_the_pace),
		cmocka_unit_test(a_flood_is_decoded_in_place),
		cmocka_unit_test(a_flood_beside_it_costs_a_quiet_input_nothing),
		cmocka_unit_test(without_memory_all_is_decoded_in_place),
		cmocka_unit_test(a_flood_that_ends_loses_nothing_more),
		cmocka_unit_test(what_cannot_be_decoded_before_the_stop_is_counted),
		cmocka_unit_test(a_drain_decodes_the_backlog),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
