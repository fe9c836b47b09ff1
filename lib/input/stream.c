/* SPDX-License-Identifier: BSD-3-Clause */
#include "input/stream.h"

#include <stdlib.h>

#include "base/compiler.h"
#include "input/driver.h"

/* What a payload lies in: it can outlive its stream until the frame is decoded. */
struct block {
	struct account *account;
	size_t size; /* of all of it, as charged */
	uint8_t payload[];
};

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

static struct block *
block_of(uint8_t *payload)
{
	return payload != NULL ? container_of(payload, struct block, payload) : NULL;
}

/* A block for so many bytes in place of an old one, with its bytes. NULL when it cannot be had; the
 * old one stays then. Both are charged while the bytes move: they may exist at the same time. */
static struct block *
block_grow(struct account *account, struct block *old, size_t capacity)
{
	size_t size = sizeof(struct block) + capacity + BURST_TAILROOM;
	size_t old_size = old != NULL ? old->size : 0;
	struct block *block;

	if (account != NULL && !account_take(account, size))
		return NULL;
	block = realloc(old, size);
	if (account != NULL && (block == NULL || old_size != 0))
		account_give(account, block == NULL ? size : old_size);
	if (block == NULL)
		return NULL;
	block->account = account;
	block->size = size;
	return block;
}

void
stream_free(void *owned)
{
	struct block *block = owned;

	if (block == NULL)
		return;
	if (block->account != NULL)
		account_give(block->account, block->size);
	free(block);
}

/* Grows with the bytes that came, not by what the sender claims: a length costs it nothing. */
static bool
reserve(struct stream *stream, uint32_t wanted, uint32_t frame_size)
{
	size_t capacity = min_size((size_t)stream->capacity * 2, frame_size);
	struct block *block;

	if (wanted <= stream->capacity)
		return true;
	if (capacity < wanted)
		capacity = wanted;
	block = block_grow(stream->account, block_of(stream->payload), capacity);
	if (block == NULL)
		return false;
	stream->payload = block->payload;
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
	*ret_frame = (struct stream_frame){span_of(stream->payload, frame_size),
		block_of(stream->payload)};
	*stream = (struct stream){.account = stream->account};
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
	stream_free(block_of(stream->payload));
	*stream = (struct stream){.account = stream->account};
}
