/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contexts by dense slot, and a hash index over them. One owner thread. No call takes long: the
 * index grows and shrinks chain by chain, arrays by pages. A slot that is unlinked
 * stays taken until it is released, so that its number is not used twice within one bucket.
 */
#ifndef AGG_CONTEXT_TABLE_H
#define AGG_CONTEXT_TABLE_H

#include "agg/context.h"

#define SLOT_NONE UINT32_MAX

/* A slot in the chain of its hash. */
struct context_link {
	uint32_t tag; /* low half of the context's hash */
	uint32_t next; /* slot + 1; 0: the last one */
};

struct context_table {
	struct context **context; /* by slot; NULL when free or unlinked */
	struct context_link *link; /* by slot */
	uint8_t *taken; /* by slot */
	size_t context_max, link_max, taken_max; /* room */
	uint32_t n_slots; /* slots below may be taken */
	uint32_t n_linked;
	uint32_t lowest_free; /* no slot below it is free */
	uint32_t *head; /* chains: slot + 1; 0: an empty one */
	uint32_t n_heads; /* linear hashing: one more for each context that comes in */
	size_t heads_max;
};

/* The slot of the context that equals the key, or SLOT_NONE. */
uint32_t context_table_find(const struct context_table *table, const struct context_key *key);
uint32_t context_table_find_equal(const struct context_table *table, const struct context *context);

/* The context must not be in the table; its reference passes to the table. 0 or -ENOMEM. */
int context_table_insert(struct context_table *table, struct context *context, uint32_t *ret_slot);

/* Takes the context out of the index and hands its reference back. */
struct context *context_table_unlink(struct context_table *table, uint32_t slot);

/* Makes an unlinked slot free for another context. */
void context_table_release(struct context_table *table, uint32_t slot);

/* Gives memory back when the table has become far too large, a part in each call. Moves no slot. */
void context_table_shrink(struct context_table *table);

/* Frees the table; contexts that are still linked lose the table's reference. */
void context_table_done(struct context_table *table, struct budget *budget);

#endif
