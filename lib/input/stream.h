/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One stream connection's framing: each frame is a 4-byte little-endian length and so many bytes of
 * payload. Bytes go in as they come, in pieces of any size; frames come out. No system calls.
 */
#ifndef INPUT_STREAM_H
#define INPUT_STREAM_H

#include <stdint.h>

#include "base/span.h"
#include "mem/account.h"
#include "stats/stats.h"

#define STREAM_LENGTH_SIZE 4

/* All zero but the account is a stream that has seen nothing. It keeps only the frame that is not
 * whole yet: at most payload_max bytes and a tailroom, and never more than twice what has come. */
struct stream {
	uint8_t length[STREAM_LENGTH_SIZE];
	uint8_t n_length; /* bytes of it that have come */
	enum counter broken; /* why no more frames can be found, or STAT_NONE */
	struct account *account; /* charged for the payload; NULL: nobody is */
	uint32_t held; /* payload bytes that have come */
	uint32_t capacity; /* of payload, without its tailroom */
	uint8_t *payload; /* owned; NULL when nothing is held */
};

struct stream_frame {
	struct span payload;
	void *owned; /* for stream_free, or NULL: the payload lies in the caller's bytes */
};

enum stream_result {
	STREAM_FRAME, /* ret_frame is filled; there may be more */
	STREAM_HUNGRY, /* bytes are used up */
	STREAM_BROKEN, /* the connection has to be closed; stream_end says why */
	STREAM_RESULT_COUNT,
};

/* Takes the next frame from the front of bytes. A length above payload_max breaks the stream. */
enum stream_result stream_next(struct stream *stream, uint32_t payload_max, struct span *bytes,
	struct stream_frame *ret_frame);

/* The length that the frame in progress claims. Only after all four bytes of it have come. */
uint32_t stream_claimed(const struct stream *stream);

/* How a connection that ends now ends: STAT_NONE between two frames, else the reason under which
 * the datagram that was begun is dropped. */
enum counter stream_end(const struct stream *stream);

/* Frees what held a frame's payload; NULL is fine. */
void stream_free(void *owned);

/* Frees what the stream holds; frames that were handed out are not its own any more. */
void stream_reset(struct stream *stream);

#endif
