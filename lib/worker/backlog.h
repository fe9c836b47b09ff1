/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Datagrams that were taken in and are not decoded yet, in the order in which they came, copied one
 * behind the other into chunks: a datagram of 100 bytes takes 116, not a packet buffer of 2 KiB.
 * One thread's own; chunks come from the pool that all workers share, on an account.
 */
#ifndef WORKER_BACKLOG_H
#define WORKER_BACKLOG_H

#include "dsd/burst.h"
#include "mem/account.h"
#include "mem/chunk_pool.h"

/* What a chunk needs beside the payload of a datagram that it holds alone, rounded up. */
#define BACKLOG_OVERHEAD 256

struct backlog_chunk;

struct backlog {
	struct chunk_pool *pool;
	struct account *account;
	/* The oldest, the one that is read from, the one that is written to; NULL when empty. */
	struct backlog_chunk *head, *reader, *tail;
	size_t read_at, write_at; /* offsets in the last two */
	uint64_t n; /* datagrams, with those of a burst that is being decoded */
	uint32_t n_chunks;
	uint32_t refused_at; /* chunks that it had when it was given no more; 0: not refused */
};

/* Both outlive the backlog. */
void backlog_init(struct backlog *backlog, struct chunk_pool *pool, struct account *account);

/* Copies the datagram to the end. False when there is no room for it. */
bool backlog_add(struct backlog *backlog, const struct dgram *dgram);

/* From the first datagram for which there was no chunk until an eighth of the chunks was given
 * back: nothing can be added. So room comes in pieces that are worth a poll, and not one at a time.
 */
static inline bool
backlog_is_full(const struct backlog *backlog)
{
	return backlog->refused_at != 0;
}

/* The oldest datagrams, read in place until backlog_release: BURST_MAX at most, and no more than
 * fit in 64 KiB unless it is one. None when the backlog is empty. The time is left to the caller.
 */
void backlog_take(struct backlog *backlog, struct burst *burst);

/* Forgets the burst that was taken last. */
void backlog_release(struct backlog *backlog, const struct burst *burst);

/* Forgets everything; returns how many datagrams that were. */
uint64_t backlog_clear(struct backlog *backlog);

#endif
