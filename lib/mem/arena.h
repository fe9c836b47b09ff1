/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bump allocation with one reset point: memory comes from chunks that are charged to a budget and
 * all goes back at once. One arena belongs to one thread at a time.
 */
#ifndef MEM_ARENA_H
#define MEM_ARENA_H

#include <stddef.h>

#include "base/span.h"
#include "mem/budget.h"

struct arena_chunk;

struct arena {
	struct budget *budget; /* may be NULL: no limit */
	struct arena_chunk *chunks; /* newest first */
	size_t left; /* bytes left in the newest chunk */
};

void arena_init(struct arena *arena, struct budget *budget);

/* 8-byte aligned, not zeroed. NULL when the budget or the memory is used up. */
void *arena_alloc(struct arena *arena, size_t size);

/* A copy of the bytes in the arena. Its data is NULL when there was no memory. */
struct span arena_copy(struct arena *arena, struct span bytes);

/* Moves everything that from holds to the end of to; from is empty afterwards. Same budget. */
void arena_move(struct arena *to, struct arena *from);

/* Frees all chunks and gives the bytes back to the budget. */
void arena_reset(struct arena *arena);

#endif
