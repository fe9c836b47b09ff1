/* SPDX-License-Identifier: BSD-3-Clause */
/* On the path of every datagram under pressure: no malloc, no log, no lock. Only a chunk without
 * pages costs a system call. */
#include "worker/backlog.h"

#include "base/compiler.h"

/* Bytes of payload in a burst, so that a turn stays short however long datagrams are. */
#define TAKE_BYTES ((size_t)64 << 10)

#define ROOM_PART 8 /* of the chunks that have to be given back before more are asked for */

struct backlog_chunk {
	struct backlog_chunk *next;
	size_t end; /* offset behind the last record, once it is not written to any more */
};

/* In a chunk: this, the source, the payload, up to 3 bytes for alignment. */
struct record {
	uint32_t size; /* of the payload */
	origin_id origin;
	uint16_t listener;
	uint8_t source_size;
	bool truncated : 1, eol_required : 1;
};

_Static_assert(sizeof(struct backlog_chunk) + sizeof(struct record) + 16 + 3 + BURST_TAILROOM <=
		BACKLOG_OVERHEAD,
	"a chunk holds a payload and its overhead");

static size_t
record_size(const struct dgram *dgram)
{
	size_t size = sizeof(struct record) + dgram->source_size + dgram->payload.size;

	return (size + _Alignof(struct record) - 1) & ~(_Alignof(struct record) - 1);
}

void
backlog_init(struct backlog *backlog, struct chunk_pool *pool, struct account *account)
{
	*backlog = (struct backlog){.pool = pool, .account = account};
}

static struct backlog_chunk *
take_chunk(struct backlog *backlog)
{
	size_t size = backlog->pool->chunk_size;
	struct backlog_chunk *chunk;

	if (!account_take(backlog->account, size))
		return NULL;
	chunk = chunk_pool_take(backlog->pool);
	if (chunk == NULL)
		account_give(backlog->account, size);
	else
		backlog->n_chunks++;
	return chunk;
}

static void
give_chunk(struct backlog *backlog, struct backlog_chunk *chunk)
{
	chunk_pool_give(backlog->pool, chunk);
	account_give(backlog->account, backlog->pool->chunk_size);
	backlog->n_chunks--;
	if (backlog->n_chunks < backlog->refused_at - backlog->refused_at / ROOM_PART)
		backlog->refused_at = 0;
}

/* A new chunk at the end. */
static bool
grow(struct backlog *backlog)
{
	struct backlog_chunk *chunk = take_chunk(backlog);

	if (chunk == NULL) {
		backlog->refused_at = backlog->n_chunks;
		return false;
	}
	chunk->next = NULL;
	if (backlog->tail != NULL) {
		backlog->tail->end = backlog->write_at;
		backlog->tail->next = chunk;
	} else {
		backlog->head = backlog->reader = chunk;
		backlog->read_at = sizeof(*chunk);
	}
	backlog->tail = chunk;
	backlog->write_at = sizeof(*chunk);
	return true;
}

static void
write_record(uint8_t *at, const struct dgram *dgram)
{
	const struct record record = {
		.size = (uint32_t)dgram->payload.size,
		.origin = dgram->origin,
		.listener = dgram->listener,
		.source_size = dgram->source_size,
		.truncated = dgram->truncated,
		.eol_required = dgram->eol_required,
	};

	memcpy(at, &record, sizeof(record));
	at += sizeof(record);
	if (record.source_size != 0)
		memcpy(at, dgram->source, record.source_size);
	if (record.size != 0)
		memcpy(at + record.source_size, dgram->payload.data, record.size);
}

bool
backlog_add(struct backlog *backlog, const struct dgram *dgram)
{
	size_t size = record_size(dgram), limit = backlog->pool->chunk_size - BURST_TAILROOM;

	if (backlog_is_full(backlog) || size > limit - sizeof(struct backlog_chunk))
		return false;
	if (backlog->tail == NULL || size > limit - backlog->write_at)
		if (!grow(backlog))
			return false;
	write_record((uint8_t *)backlog->tail + backlog->write_at, dgram);
	backlog->write_at += size;
	backlog->n++;
	return true;
}

/* The record at offset, as a datagram that points into the chunk. Returns the offset behind it. */
static size_t
read_record(const struct backlog_chunk *chunk, size_t offset, struct dgram *ret_dgram)
{
	const uint8_t *at = (const uint8_t *)chunk + offset;
	struct record record;

	memcpy(&record, at, sizeof(record));
	at += sizeof(record);
	*ret_dgram = (struct dgram){
		.payload = span_of(at + record.source_size, record.size),
		.source = record.source_size != 0 ? at : NULL,
		.source_size = record.source_size,
		.truncated = record.truncated,
		.eol_required = record.eol_required,
		.listener = record.listener,
		.origin = record.origin,
	};
	return offset + record_size(ret_dgram);
}

/* Goes on to the next chunk at the end of one. False at the end of all. */
static bool
find_record(struct backlog *backlog)
{
	struct backlog_chunk *reader = backlog->reader;

	if (reader == backlog->tail)
		return reader != NULL && backlog->read_at < backlog->write_at;
	if (backlog->read_at == reader->end) {
		backlog->reader = reader->next; /* not empty: it was made for a record */
		backlog->read_at = sizeof(*reader);
	}
	return true;
}

void
backlog_take(struct backlog *backlog, struct burst *burst)
{
	size_t bytes = 0;

	burst->n = 0;
	while (burst->n < BURST_MAX && find_record(backlog)) {
		struct dgram *dgram = &burst->dgram[burst->n];
		size_t next = read_record(backlog->reader, backlog->read_at, dgram);

		bytes += dgram->payload.size;
		if (bytes > TAKE_BYTES && burst->n != 0)
			return;
		backlog->read_at = next;
		burst->n++;
	}
}

/* Gives back what lies before the reader, which may be NULL. */
static void
give_head(struct backlog *backlog)
{
	while (backlog->head != backlog->reader) {
		struct backlog_chunk *head = backlog->head;

		backlog->head = head != backlog->tail ? head->next : NULL;
		give_chunk(backlog, head);
	}
}

void
backlog_release(struct backlog *backlog, const struct burst *burst)
{
	backlog->n -= burst->n;
	if (backlog->reader == backlog->tail && backlog->read_at == backlog->write_at) {
		backlog->reader = NULL; /* empty: the last chunk goes too */
		give_head(backlog);
		backlog->tail = NULL;
	} else {
		give_head(backlog);
	}
}

uint64_t
backlog_clear(struct backlog *backlog)
{
	uint64_t n = backlog->n;

	backlog->reader = NULL;
	give_head(backlog);
	backlog_init(backlog, backlog->pool, backlog->account);
	return n;
}
