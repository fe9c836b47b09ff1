/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "worker/backlog.h"

#define CHUNK ((size_t)128 << 10)
#define UDP_MAX 65507 /* 65535 - 20 - 8: the longest UDP payload over IPv4 (RFC 791, RFC 768) */

struct bench {
	struct budget shared;
	struct account account;
	struct chunk_pool pool;
	struct backlog backlog;
	uint8_t *bytes; /* of the payload with number n: n, n + 1, n + 2, … */
};

static void
bench_init(struct bench *bench, size_t n_chunks)
{
	budget_init(&bench->shared, 0);
	account_init(&bench->account,
		&(struct account_conf){"test", n_chunks * CHUNK, n_chunks * CHUNK}, &bench->shared);
	assert_int_equal(chunk_pool_init(&bench->pool, n_chunks * CHUNK, CHUNK, 0, false), 0);
	backlog_init(&bench->backlog, &bench->pool, &bench->account);
	bench->bytes = malloc(UDP_MAX + 256);
	assert_non_null(bench->bytes);
	for (size_t i = 0; i < UDP_MAX + 256; i++)
		bench->bytes[i] = (uint8_t)i;
}

static void
bench_done(struct bench *bench)
{
	assert_int_equal(bench->account.used, 0);
	assert_int_equal(bench->pool.n_used, 0);
	chunk_pool_done(&bench->pool);
	free(bench->bytes);
}

/* Sources of 0, 4 and 16 bytes in turn; all other fields vary too. */
static struct dgram
dgram_of(const struct bench *bench, uint32_t number, size_t size)
{
	static const uint8_t source_sizes[] = {0, 4, 16};
	uint8_t source_size = source_sizes[number % 3];

	return (struct dgram){
		.payload = span_of(bench->bytes + number % 256, size),
		.source = source_size != 0 ? bench->bytes + number % 200 : NULL,
		.source_size = source_size,
		.truncated = number % 2 != 0,
		.eol_required = number % 5 == 0,
		.listener = (uint16_t)(number % 32),
		.origin = number,
	};
}

static void
expect_same(const struct bench *bench, const struct dgram *got, uint32_t number, size_t size)
{
	struct dgram wanted = dgram_of(bench, number, size);

	assert_int_equal(got->origin, number);
	assert_true(span_equal(got->payload, wanted.payload));
	assert_int_equal(got->source_size, wanted.source_size);
	if (wanted.source_size != 0)
		assert_memory_equal(got->source, wanted.source, wanted.source_size);
	else
		assert_null(got->source);
	assert_int_equal(got->truncated, wanted.truncated);
	assert_int_equal(got->eol_required, wanted.eol_required);
	assert_int_equal(got->listener, wanted.listener);
}

/* Sizes that end a chunk everywhere: 0, short, long and the longest, in an order that repeats only
 * after 1009. */
static size_t
size_of(uint32_t number)
{
	static const size_t sizes[] = {0, 1, 100, 1400, 8192, 65507, 3, 64, 4097, 33000};

	return number % 1009 < 1000 ? sizes[(number * 7 + number / 10) % 10] : number % 1009;
}

static void
check_tailroom(const struct bench *bench, const struct dgram *dgram)
{
	const uint8_t *end = dgram->payload.data + dgram->payload.size + BURST_TAILROOM;
	size_t first = (size_t)(dgram->payload.data - bench->pool.plain) / CHUNK;

	assert_true(end <= bench->pool.plain + (first + 1) * CHUNK);
}

/* Takes one burst out and compares it; returns how many datagrams it had. */
static uint32_t
take(struct bench *bench, uint32_t first)
{
	struct burst burst;
	size_t bytes = 0;

	backlog_take(&bench->backlog, &burst);
	for (uint32_t i = 0; i < burst.n; i++) {
		expect_same(bench, &burst.dgram[i], first + i, size_of(first + i));
		check_tailroom(bench, &burst.dgram[i]);
		bytes += burst.dgram[i].payload.size;
	}
	assert_true(burst.n <= 1 || bytes <= 64 << 10);
	backlog_release(&bench->backlog, &burst);
	return burst.n;
}

static void
what_went_in_comes_out_in_order(void **state)
{
	uint32_t n_in = 0, n_out = 0;
	struct bench bench;

	(void)state;
	bench_init(&bench, 16);
	/* In and out at different paces: it grows, shrinks and runs empty. */
	for (int round = 0; round < 2000; round++) {
		for (int i = 0; i < round % 7 * 3; i++) {
			struct dgram dgram = dgram_of(&bench, n_in, size_of(n_in));

			if (!backlog_add(&bench.backlog, &dgram))
				break;
			n_in++;
		}
		n_out += take(&bench, n_out);
		assert_int_equal(bench.backlog.n, n_in - n_out);
	}
	assert_true(n_in > 5000);
	while (n_out < n_in) {
		uint32_t n = take(&bench, n_out);

		assert_true(n > 0);
		n_out += n;
	}
	assert_int_equal(take(&bench, n_out), 0);
	bench_done(&bench);
}

static void
a_burst_is_at_most_64_datagrams(void **state)
{
	struct bench bench;
	struct burst burst;

	(void)state;
	bench_init(&bench, 1);
	for (uint32_t i = 0; i < 65; i++) {
		struct dgram dgram = dgram_of(&bench, i, 10);

		assert_true(backlog_add(&bench.backlog, &dgram));
	}
	backlog_take(&bench.backlog, &burst);
	assert_int_equal(burst.n, 64);
	backlog_release(&bench.backlog, &burst);
	backlog_take(&bench.backlog, &burst);
	assert_int_equal(burst.n, 1);
	backlog_release(&bench.backlog, &burst);
	bench_done(&bench);
}

/* By hand: a chunk of 131072 has a header of 16, keeps 64 readable bytes free, and a datagram of
 * 100 bytes from an IPv4 address takes 12 + 4 + 100 = 116: (131072 - 16 - 64) / 116 = 1129. */
static void
the_ceiling_refuses_and_recovers(void **state)
{
	const uint32_t fit = 1129;
	struct bench bench;
	struct burst burst;
	struct dgram dgram;

	(void)state;
	bench_init(&bench, 2);
	dgram = dgram_of(&bench, 1, 100); /* number 1 has an IPv4 source */
	for (uint32_t i = 0; i < 2 * fit; i++) {
		assert_false(backlog_is_full(&bench.backlog));
		assert_true(backlog_add(&bench.backlog, &dgram));
	}
	assert_false(backlog_add(&bench.backlog, &dgram));
	assert_true(backlog_is_full(&bench.backlog));
	assert_int_equal(bench.account.used, 2 * CHUNK);
	/* The first chunk goes back with its last datagram: 17 bursts of 64 are 1088. */
	for (int i = 0; i < 17; i++) {
		backlog_take(&bench.backlog, &burst);
		assert_int_equal(burst.n, 64);
		backlog_release(&bench.backlog, &burst);
		assert_true(backlog_is_full(&bench.backlog));
	}
	backlog_take(&bench.backlog, &burst);
	assert_int_equal(burst.n, 64); /* its last 41, and 23 of the next chunk */
	assert_true(backlog_is_full(&bench.backlog)); /* it is still being read */
	backlog_release(&bench.backlog, &burst);
	assert_false(backlog_is_full(&bench.backlog));
	assert_true(backlog_add(&bench.backlog, &dgram));
	assert_int_equal(backlog_clear(&bench.backlog), 2 * fit - 18 * 64 + 1);
	bench_done(&bench);
}

static void
a_datagram_that_no_chunk_holds_is_refused(void **state)
{
	struct bench bench;
	struct dgram dgram;
	uint8_t *bytes;

	(void)state;
	bench_init(&bench, 1);
	bytes = calloc(1, CHUNK);
	assert_non_null(bytes);
	dgram = (struct dgram){.payload = span_of(bytes, CHUNK - BACKLOG_OVERHEAD)};
	assert_true(backlog_add(&bench.backlog, &dgram));
	assert_int_equal(backlog_clear(&bench.backlog), 1);
	dgram.payload.size = CHUNK;
	assert_false(backlog_add(&bench.backlog, &dgram));
	assert_int_equal(bench.account.used, 0);
	free(bytes);
	bench_done(&bench);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_went_in_comes_out_in_order),
		cmocka_unit_test(a_burst_is_at_most_64_datagrams),
		cmocka_unit_test(the_ceiling_refuses_and_recovers),
		cmocka_unit_test(a_datagram_that_no_chunk_holds_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
