/* SPDX-License-Identifier: BSD-3-Clause */
#include "agg/context_table.h"

#include <assert.h>
#include <errno.h>

#include "base/linear_hash.h"
#include "mem/pages.h"

#define HEADS_MIN 1024 /* a power of two */
#define SPLITS_AHEAD 8
#define JOINS_MAX 16384 /* chains in one call, some 100 us */

static uint32_t *
chain_of(const struct context_table *table, uint32_t tag)
{
	uint32_t n = table->n_heads;

	return &table->head[linear_hash_place(tag, linear_hash_mask(n), n)];
}

uint32_t
context_table_find(const struct context_table *table, const struct context_key *key)
{
	uint32_t tag = (uint32_t)key->hash, next;

	if (table->n_heads == 0)
		return SLOT_NONE;
	for (next = *chain_of(table, tag); next != 0; next = table->link[next - 1].next)
		if (table->link[next - 1].tag == tag &&
			context_matches(table->context[next - 1], key))
			return next - 1;
	return SLOT_NONE;
}

uint32_t
context_table_find_equal(const struct context_table *table, const struct context *context)
{
	const struct context_key key = {
		.type = context->type,
		.name = context_name(context),
		.host = context_host(context),
		.tags = context_tags(context),
		.hash = context->hash,
	};

	return context_table_find(table, &key);
}

static void
chain_push(struct context_table *table, uint32_t *chain, uint32_t slot)
{
	table->link[slot].next = *chain;
	*chain = slot + 1;
}

/* Chains are split in order: what one of the next will need is asked for now. */
static void
fetch_ahead(const struct context_table *table, const uint32_t *chain)
{
	const uint32_t *ahead = chain + SPLITS_AHEAD;

	if (ahead < table->head + table->n_heads && *ahead != 0)
		__builtin_prefetch(&table->link[*ahead - 1]);
}

/* One more chain: takes over what belongs to it from the one that stood for it. */
static void
split_chain(struct context_table *table)
{
	uint32_t added = table->n_heads, mask = linear_hash_mask(added + 1);
	uint32_t *from = &table->head[added & mask >> 1], *to = &table->head[added];
	uint32_t next = *from;

	fetch_ahead(table, from);
	*from = 0;
	table->n_heads++;
	while (next != 0) {
		uint32_t slot = next - 1;

		next = table->link[slot].next;
		chain_push(table, (table->link[slot].tag & mask) == added ? to : from, slot);
	}
}

/* One chain less. */
static void
join_chain(struct context_table *table)
{
	uint32_t next = table->head[table->n_heads - 1];

	table->head[--table->n_heads] = 0;
	while (next != 0) {
		uint32_t slot = next - 1;

		next = table->link[slot].next;
		chain_push(table, chain_of(table, table->link[slot].tag), slot);
	}
}

/* Room for one more context. */
static int
reserve(struct context_table *table)
{
	size_t n = (size_t)table->n_slots + 1;

	if (pages_reserve((void **)&table->context, n, &table->context_max,
		    sizeof(table->context[0])) != 0 ||
		pages_reserve((void **)&table->link, n, &table->link_max, sizeof(table->link[0])) !=
			0 ||
		pages_reserve((void **)&table->taken, n, &table->taken_max, 1) != 0)
		return -ENOMEM;
	if (table->n_linked < table->n_heads)
		return 0;
	n = table->n_heads != 0 ? (size_t)table->n_heads + 1 : HEADS_MIN;
	if (pages_reserve((void **)&table->head, n, &table->heads_max, sizeof(table->head[0])) != 0)
		return -ENOMEM;
	if (table->n_heads == 0)
		table->n_heads = HEADS_MIN;
	else
		split_chain(table);
	return 0;
}

/* The lowest free slot: low numbers first, so that the arrays by slot can shrink again. */
static uint32_t
take_slot(struct context_table *table)
{
	uint32_t slot = table->lowest_free;

	while (slot < table->n_slots && table->taken[slot])
		slot++;
	if (slot == table->n_slots)
		table->n_slots++;
	table->taken[slot] = 1;
	table->lowest_free = slot + 1;
	return slot;
}

int
context_table_insert(struct context_table *table, struct context *context, uint32_t *ret_slot)
{
	uint32_t slot;

	if (reserve(table) != 0)
		return -ENOMEM;
	slot = take_slot(table);
	table->context[slot] = context;
	table->link[slot].tag = (uint32_t)context->hash;
	chain_push(table, chain_of(table, table->link[slot].tag), slot);
	table->n_linked++;
	*ret_slot = slot;
	return 0;
}

struct context *
context_table_unlink(struct context_table *table, uint32_t slot)
{
	struct context *context = table->context[slot];
	uint32_t *next = chain_of(table, table->link[slot].tag);

	while (*next != slot + 1)
		next = &table->link[*next - 1].next;
	*next = table->link[slot].next;
	table->context[slot] = NULL;
	table->n_linked--;
	return context;
}

void
context_table_release(struct context_table *table, uint32_t slot)
{
	assert(table->context[slot] == NULL && table->taken[slot]);
	table->taken[slot] = 0;
	if (slot < table->lowest_free)
		table->lowest_free = slot;
	while (table->n_slots > 0 && !table->taken[table->n_slots - 1])
		table->n_slots--;
	if (table->lowest_free > table->n_slots)
		table->lowest_free = table->n_slots;
}

static void
trim(struct context_table *table)
{
	uint32_t n = table->n_slots;

	pages_trim((void **)&table->context, n, &table->context_max, sizeof(table->context[0]));
	pages_trim((void **)&table->link, n, &table->link_max, sizeof(table->link[0]));
	pages_trim((void **)&table->taken, n, &table->taken_max, 1);
	pages_trim((void **)&table->head, table->n_heads, &table->heads_max,
		sizeof(table->head[0]));
}

void
context_table_shrink(struct context_table *table)
{
	for (uint32_t i = 0;
		i < JOINS_MAX && table->n_heads > HEADS_MIN && table->n_linked < table->n_heads / 4;
		i++)
		join_chain(table);
	trim(table);
}

void
context_table_done(struct context_table *table, struct budget *budget)
{
	for (uint32_t slot = 0; slot < table->n_slots; slot++)
		context_unref(table->context[slot], budget);
	table->n_slots = table->n_heads = 0;
	trim(table);
	*table = (struct context_table){0};
}
