/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Byte 0: the payload limit. Byte 1: how many sizes follow. Then the sizes of the pieces in which
 * the rest arrives, over and over. However it is cut, the frames are those of the whole string.
 */
#include <stdio.h>
#include <stdlib.h>

#include "input/driver.h"
#include "input/stream.h"

#define CHECK(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
			abort(); \
		} \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The reference: walks the whole string, which is simple because nothing is missing yet. */
struct reference {
	struct span left;
	uint32_t payload_max;
};

/* False at the end, with the reason that a stream has there. */
static bool
reference_next(struct reference *reference, struct span *ret_payload, enum counter *ret_end)
{
	const uint8_t *b = reference->left.data;
	size_t left = reference->left.size;
	uint64_t claimed;

	*ret_end = left == 0 ? STAT_NONE : STAT_datagrams_dropped_unfinished_length;
	if (left < 4)
		return false;
	claimed = b[0] + 256ULL * b[1] + 65536ULL * b[2] + 16777216ULL * b[3];
	*ret_end = claimed > reference->payload_max ? STAT_datagrams_dropped_frame_too_long
						    : STAT_datagrams_dropped_unfinished_frame;
	if (claimed > reference->payload_max || claimed > left - 4)
		return false;
	*ret_payload = span_of(b + 4, claimed);
	reference->left = span_from(reference->left, 4 + claimed);
	return true;
}

static void
check_memory(const struct stream *stream, uint32_t payload_max)
{
	CHECK(stream->held <= stream->capacity);
	CHECK(stream->capacity <= payload_max);
	CHECK(stream->capacity <= 2 * stream->held);
	CHECK((stream->payload != NULL) == (stream->capacity != 0));
}

/* Feeds one piece. False when the stream is broken. */
static bool
feed(struct stream *stream, struct reference *reference, struct span piece)
{
	/* Exactly the size: a sanitizer sees a read past the end. */
	uint8_t *copy = calloc(1, piece.size != 0 ? piece.size : 1);
	struct span bytes = span_of(copy, piece.size);
	struct stream_frame frame;
	enum stream_result result;

	CHECK(copy != NULL);
	if (piece.size != 0)
		memcpy(copy, piece.data, piece.size);
	while ((result = stream_next(stream, reference->payload_max, &bytes, &frame)) ==
		STREAM_FRAME) {
		struct span expected;
		enum counter end;

		CHECK(reference_next(reference, &expected, &end));
		CHECK(span_equal(frame.payload, expected));
		if (frame.owned == NULL)
			CHECK(frame.payload.data >= copy &&
				frame.payload.data + frame.payload.size <= copy + piece.size);
		stream_free(frame.owned);
	}
	CHECK(result == STREAM_BROKEN || bytes.size == 0);
	check_memory(stream, reference->payload_max);
	free(copy);
	return result != STREAM_BROKEN;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stream stream = {0};
	struct reference reference;
	struct span left, payload;
	enum counter end;
	size_t n_cuts;

	if (size < 2 || size - 2 < data[1])
		return 0;
	n_cuts = data[1];
	left = span_of(data + 2 + n_cuts, size - 2 - n_cuts);
	reference = (struct reference){left, data[0]};
	for (size_t i = 0; left.size != 0; i++) {
		/* Every other time round each piece is longer by one, so that zeros end too. */
		size_t n = n_cuts != 0 ? data[2 + i % n_cuts] + i / n_cuts % 2 : left.size;

		if (n > left.size)
			n = left.size;
		if (!feed(&stream, &reference, span_of(left.data, n)))
			break;
		left = span_from(left, n);
	}
	CHECK(!reference_next(&reference, &payload, &end));
	CHECK(stream_end(&stream) == end);
	stream_reset(&stream);
	return 0;
}
