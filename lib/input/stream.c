/* SPDX-License-Identifier: BSD-3-Clause */
#include "input/stream.h"

#include <stdlib.h>

#include "base/compiler.h"
#include "input/driver.h"

static size_t
min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

uint32_t
stream_claimed(const struct stream *stream)
{
	const uint8_t *b = stream->length;

	return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* True once the whole length has come. */
static bool
take_length(struct stream *stream, struct span *bytes)
{
	size_t n = min_size(STREAM_LENGTH_SIZE - stream->n_length, bytes->size);

	if (n != 0) {
		memcpy(stream->length + stream->n_length, bytes->data, n);
		stream->n_length += (uint8_t)n;
		*bytes = span_from(*bytes, n);
	}
	return stream->n_length == STREAM_LENGTH_SIZE;
}

/* Grows with the bytes that came, not by what the sender claims: a length costs it nothing. */
static bool
reserve(struct stream *stream, uint32_t wanted, uint32_t frame_size)
{
	size_t capacity = min_size((size_t)stream->capacity * 2, frame_size);
	uint8_t *payload;

	if (wanted <= stream->capacity)
		return true;
	if (capacity < wanted)
		capacity = wanted;
	payload = realloc(stream->payload, capacity + BURST_TAILROOM);
	if (payload == NULL)
		return false;
	stream->payload = payload;
	stream->capacity = (uint32_t)capacity;
	return true;
}

static enum stream_result
hold(struct stream *stream, uint32_t frame_size, struct span *bytes, struct stream_frame *ret_frame)
{
	uint32_t n = (uint32_t)min_size(frame_size - stream->held, bytes->size);

	if (n == 0)
		return STREAM_HUNGRY;
	if (!reserve(stream, stream->held + n, frame_size)) {
		stream->broken = STAT_datagrams_dropped_no_memory;
		return STREAM_BROKEN;
	}
	memcpy(stream->payload + stream->held, bytes->data, n);
	stream->held += n;
	*bytes = span_from(*bytes, n);
	if (stream->held < frame_size)
		return STREAM_HUNGRY;
	*ret_frame = (struct stream_frame){span_of(stream->payload, frame_size), stream->payload};
	*stream = (struct stream){0};
	return STREAM_FRAME;
}

enum stream_result
stream_next(struct stream *stream, uint32_t payload_max, struct span *bytes,
	struct stream_frame *ret_frame)
{
	uint32_t size;

	if (stream->broken != STAT_NONE)
		return STREAM_BROKEN;
	if (!take_length(stream, bytes))
		return STREAM_HUNGRY;
	size = stream_claimed(stream);
	if (unlikely(size > payload_max)) {
		stream->broken = STAT_datagrams_dropped_frame_too_long;
		return STREAM_BROKEN;
	}
	if (unlikely(stream->held != 0 || bytes->size < size))
		return hold(stream, size, bytes, ret_frame);
	*ret_frame = (struct stream_frame){span_of(bytes->data, size), NULL};
	*bytes = span_from(*bytes, size);
	stream->n_length = 0;
	return STREAM_FRAME;
}

enum counter
stream_end(const struct stream *stream)
{
	if (stream->broken != STAT_NONE)
		return stream->broken;
	if (stream->n_length == 0)
		return STAT_NONE;
	return stream->n_length < STREAM_LENGTH_SIZE ? STAT_datagrams_dropped_unfinished_length
						     : STAT_datagrams_dropped_unfinished_frame;
}

void
stream_reset(struct stream *stream)
{
	free(stream->payload);
	*stream = (struct stream){0};
}
