/* SPDX-License-Identifier: BSD-3-Clause */
#include "mem/arena.h"

#include <assert.h>
#include <stdlib.h>

#define CHUNK_SIZE_MIN ((size_t)64 << 10)

struct arena_chunk {
	struct arena_chunk *next;
	size_t size; /* whole chunk, this header included */
};

void
arena_init(struct arena *arena, struct budget *budget)
{
	*arena = (struct arena){.budget = budget};
}

static struct arena_chunk *
chunk_new(struct arena *arena, size_t size)
{
	struct arena_chunk *chunk;

	if (arena->budget != NULL && !budget_take(arena->budget, size))
		return NULL;
	chunk = malloc(size);
	if (chunk == NULL) {
		if (arena->budget != NULL)
			budget_give(arena->budget, size);
		return NULL;
	}
	chunk->size = size;
	chunk->next = arena->chunks;
	arena->chunks = chunk;
	arena->left = size - sizeof(*chunk);
	return chunk;
}

void *
arena_alloc(struct arena *arena, size_t size)
{
	struct arena_chunk *chunk = arena->chunks;
	void *memory;

	size = (size + 7) & ~(size_t)7;
	if (size > arena->left) {
		size_t wanted = size + sizeof(*chunk);

		chunk = chunk_new(arena, wanted > CHUNK_SIZE_MIN ? wanted : CHUNK_SIZE_MIN);
		if (chunk == NULL)
			return NULL;
	}
	memory = (char *)chunk + (chunk->size - arena->left);
	arena->left -= size;
	return memory;
}

struct span
arena_copy(struct arena *arena, struct span bytes)
{
	void *copy = arena_alloc(arena, bytes.size != 0 ? bytes.size : 1);

	if (copy == NULL)
		return (struct span){0};
	if (bytes.size != 0)
		memcpy(copy, bytes.data, bytes.size);
	return span_of(copy, bytes.size);
}

void
arena_move(struct arena *to, struct arena *from)
{
	struct arena_chunk *last = from->chunks;

	assert(to->budget == from->budget);
	if (last == NULL)
		return;
	while (last->next != NULL)
		last = last->next;
	/* The chunks that arrive go behind the one that is being filled. */
	if (to->chunks == NULL) {
		to->chunks = from->chunks;
		to->left = from->left;
	} else {
		last->next = to->chunks->next;
		to->chunks->next = from->chunks;
	}
	from->chunks = NULL;
	from->left = 0;
}

void
arena_reset(struct arena *arena)
{
	while (arena->chunks != NULL) {
		struct arena_chunk *chunk = arena->chunks;

		arena->chunks = chunk->next;
		if (arena->budget != NULL)
			budget_give(arena->budget, chunk->size);
		free(chunk);
	}
	arena->left = 0;
}
