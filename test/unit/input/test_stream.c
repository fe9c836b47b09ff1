/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static int reallocs_left = -1; /* -1: no limit */

static void *
counted_realloc(void *old, size_t size)
{
	if (reallocs_left == 0)
		return NULL;
	if (reallocs_left > 0)
		reallocs_left--;
	return realloc(old, size);
}
#define realloc counted_realloc
#include "input/stream.c"
#undef realloc

#define LIMIT 8192

/* "abc", "", "a:1|c" as the protocol writes them. */
static const uint8_t three[] = "\x03\0\0\0abc"
			       "\0\0\0\0"
			       "\x05\0\0\0a:1|c";
#define THREE_SIZE (sizeof(three) - 1)

struct result {
	char text[64]; /* the frames, each in brackets */
	enum stream_result last;
};

static void
feed(struct stream *stream, const uint8_t *data, size_t size, struct result *result)
{
	/* Exactly the size: a sanitizer sees a read past the end. */
	uint8_t *copy = malloc(size != 0 ? size : 1);
	struct span bytes = {copy, size};
	struct stream_frame frame = {0};

	memcpy(copy, data, size);
	while ((result->last = stream_next(stream, LIMIT, &bytes, &frame)) == STREAM_FRAME) {
		size_t end = strlen(result->text);

		snprintf(result->text + end, sizeof(result->text) - end, "[%.*s]",
			(int)frame.payload.size, (const char *)frame.payload.data);
		stream_free(frame.owned);
	}
	if (result->last == STREAM_HUNGRY)
		assert_int_equal(bytes.size, 0);
	free(copy);
}

static void
finds_the_same_frames_at_every_cut(void **state)
{
	(void)state;
	for (size_t a = 0; a <= THREE_SIZE; a++) {
		for (size_t b = a; b <= THREE_SIZE; b++) {
			struct stream stream = {0};
			struct result result = {0};

			feed(&stream, three, a, &result);
			feed(&stream, three + a, b - a, &result);
			feed(&stream, three + b, THREE_SIZE - b, &result);
			assert_string_equal(result.text, "[abc][][a:1|c]");
			assert_int_equal(result.last, STREAM_HUNGRY);
			assert_int_equal(stream_end(&stream), STAT_NONE);
			stream_reset(&stream);
		}
	}
}

static void
finds_frames_in_single_bytes(void **state)
{
	struct stream stream = {0};
	struct result result = {0};

	(void)state;
	for (size_t i = 0; i < THREE_SIZE; i++)
		feed(&stream, three + i, 1, &result);
	assert_string_equal(result.text, "[abc][][a:1|c]");
	assert_int_equal(stream_end(&stream), STAT_NONE);
	assert_null(stream.payload);
}

static void
hands_out_in_place_what_is_whole(void **state)
{
	struct stream stream = {0};
	struct span bytes = {three, THREE_SIZE};
	struct stream_frame frame = {0};

	(void)state;
	assert_int_equal(stream_next(&stream, LIMIT, &bytes, &frame), STREAM_FRAME);
	assert_ptr_equal(frame.payload.data, three + 4);
	assert_null(frame.owned);
	assert_int_equal(bytes.size, THREE_SIZE - 7);
}

static void
limits_the_payload_and_not_the_length(void **state)
{
	static uint8_t data[4 + LIMIT + 1];
	struct stream stream = {0};
	struct stream_frame frame = {0};
	struct span bytes = {data, 4 + LIMIT};

	(void)state;
	data[1] = 0x20; /* 0x2000 = 8192 */
	assert_int_equal(stream_next(&stream, LIMIT, &bytes, &frame), STREAM_FRAME);
	assert_int_equal(frame.payload.size, LIMIT);
	data[0] = 1;
	bytes = span_of(data, sizeof(data));
	assert_int_equal(stream_next(&stream, LIMIT, &bytes, &frame), STREAM_BROKEN);
	assert_int_equal(stream_claimed(&stream), 8193);
	assert_int_equal(stream_end(&stream), STAT_datagrams_dropped_frame_too_long);
}

static void
breaks_at_absurd_lengths_without_memory(void **state)
{
	/* The last is 15 as a big-endian client writes it. */
	static const char *const lengths[] = {"\xff\xff\xff\x7f", "\0\0\0\x80", "\xff\xff\xff\xff",
		"\0\0\0\x0f"};

	(void)state;
	reallocs_left = 0;
	for (size_t i = 0; i < ARRAY_LENGTH(lengths); i++) {
		struct stream stream = {0};
		struct result result = {0};

		feed(&stream, (const uint8_t *)lengths[i], 4, &result);
		assert_int_equal(result.last, STREAM_BROKEN);
		assert_int_equal(stream_end(&stream), STAT_datagrams_dropped_frame_too_long);
		assert_null(stream.payload);
		feed(&stream, three, THREE_SIZE, &result);
		assert_int_equal(result.last, STREAM_BROKEN);
		assert_string_equal(result.text, "");
	}
	reallocs_left = -1;
}

static void
tells_where_a_stream_ends(void **state)
{
	(void)state;
	for (size_t size = 0; size <= 7; size++) {
		struct stream stream = {0};
		struct result result = {0};
		enum counter end = size % 7 == 0 ? STAT_NONE
			: size < 4               ? STAT_datagrams_dropped_unfinished_length
						 : STAT_datagrams_dropped_unfinished_frame;

		feed(&stream, three, size, &result);
		assert_int_equal(stream_end(&stream), end);
		stream_reset(&stream);
	}
}

static void
grows_with_the_bytes_that_came(void **state)
{
	struct stream stream = {0};
	struct result result = {0};
	uint32_t most = 0;

	(void)state;
	feed(&stream, (const uint8_t *)"\0\x20\0\0", 4, &result);
	assert_null(stream.payload);
	for (uint32_t i = 1; i < LIMIT; i++) {
		feed(&stream, (const uint8_t *)"x", 1, &result);
		assert_int_equal(stream.held, i);
		assert_true(stream.capacity >= i && stream.capacity <= 2 * i);
		most = stream.capacity > most ? stream.capacity : most;
	}
	assert_int_equal(most, LIMIT);
	assert_int_equal(result.last, STREAM_HUNGRY);
	stream_reset(&stream);
	assert_null(stream.payload);
}

static void
breaks_when_there_is_no_memory(void **state)
{
	struct stream stream = {0};
	struct result result = {0};

	(void)state;
	reallocs_left = 1;
	feed(&stream, three + 11, 6, &result);
	feed(&stream, three + 17, 2, &result);
	assert_int_equal(result.last, STREAM_BROKEN);
	assert_int_equal(stream_end(&stream), STAT_datagrams_dropped_no_memory);
	stream_reset(&stream);
	reallocs_left = -1;
}

/* Two streams on an account that has room for one and a half frames: one goes on, the other breaks.
 * A frame that was handed out stays charged until it is freed. */
static void
breaks_when_its_account_is_used_up(void **state)
{
	struct account account;
	struct budget shared;
	struct stream first = {.account = &account}, second = {.account = &account};
	struct stream_frame frame;
	uint8_t bytes[104] = {100};
	struct span rest = span_of(bytes, 54);

	(void)state;
	/* Each has 50 bytes of payload, 64 behind them and some of its own; the first doubles. */
	budget_init(&shared, 0);
	account_init(&account, &(struct account_conf){"streams", 400, 400}, &shared);
	assert_int_equal(stream_next(&first, LIMIT, &rest, &frame), STREAM_HUNGRY);
	assert_in_range(account.used, 50 + BURST_TAILROOM, 50 + BURST_TAILROOM + 32);
	rest = span_of(bytes + 54, 50);
	assert_int_equal(stream_next(&first, LIMIT, &rest, &frame), STREAM_FRAME);
	assert_in_range(account.used, 100 + BURST_TAILROOM, 100 + BURST_TAILROOM + 32);
	rest = span_of(bytes, 54);
	assert_int_equal(stream_next(&second, LIMIT, &rest, &frame), STREAM_HUNGRY);
	rest = span_of(bytes + 54, 50);
	assert_int_equal(stream_next(&second, LIMIT, &rest, &frame), STREAM_BROKEN);
	assert_int_equal(stream_end(&second), STAT_datagrams_dropped_no_memory);
	assert_int_equal(account.n_refused, 1);
	stream_reset(&second);
	stream_free(frame.owned);
	assert_int_equal(account.used, 0);
	stream_reset(&first);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_same_frames_at_every_cut),
		cmocka_unit_test(finds_frames_in_single_bytes),
		cmocka_unit_test(hands_out_in_place_what_is_whole),
		cmocka_unit_test(limits_the_payload_and_not_the_length),
		cmocka_unit_test(breaks_at_absurd_lengths_without_memory),
		cmocka_unit_test(tells_where_a_stream_ends),
		cmocka_unit_test(grows_with_the_bytes_that_came),
		cmocka_unit_test(breaks_when_its_account_is_used_up),
		cmocka_unit_test(breaks_when_there_is_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
