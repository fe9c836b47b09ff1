/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contexts by dense slot, and a hash index over them. One owner thread. A slot that is unlinked
 * stays taken until it is released, so that its number is not used twice within one bucket.
 */
#ifndef AGG_CONTEXT_TABLE_H
#define AGG_CONTEXT_TABLE_H

#include "agg/context.h"

#define SLOT_NONE UINT32_MAX

struct context_place {
	uint32_t tag; /* low half of the context's hash */
	uint32_t slot; /* SLOT_NONE in a free place */
};

struct context_table {
	struct context **context; /* by slot; NULL when free or unlinked */
	uint8_t *taken; /* by slot */
	uint32_t n_slots, slots_max; /* slots below n_slots may be taken */
	uint32_t n_linked;
	uint32_t lowest_free; /* no slot below it is free */
	struct context_place *place;
	uint32_t n_places; /* a power of two, or 0; at most half are in use */
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

/* Gives memory back when the table has become far too large. Moves no slot. */
void context_table_shrink(struct context_table *table);

/* Frees the table; contexts that are still linked lose the table's reference. */
void context_table_done(struct context_table *table, struct budget *budget);

#endif
