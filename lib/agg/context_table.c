/* SPDX-License-Identifier: BSD-3-Clause */
#include "agg/context_table.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#define N_PLACES_MIN 1024

uint32_t
context_table_find(const struct context_table *table, const struct context_key *key)
{
	uint32_t mask = table->n_places - 1;

	if (table->n_places == 0)
		return SLOT_NONE;
	for (uint32_t i = (uint32_t)key->hash & mask;; i = (i + 1) & mask) {
		const struct context_place *place = &table->place[i];

		if (place->slot == SLOT_NONE)
			return SLOT_NONE;
		if (place->tag == (uint32_t)key->hash &&
			context_matches(table->context[place->slot], key))
			return place->slot;
	}
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
index_add(struct context_place *places, uint32_t n_places, struct context_place entry)
{
	uint32_t mask = n_places - 1, i = entry.tag & mask;

	while (places[i].slot != SLOT_NONE)
		i = (i + 1) & mask;
	places[i] = entry;
}

static int
index_resize(struct context_table *table, uint32_t n_places)
{
	struct context_place *places = malloc(n_places * sizeof(places[0]));

	if (places == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < n_places; i++)
		places[i].slot = SLOT_NONE;
	for (uint32_t i = 0; i < table->n_places; i++)
		if (table->place[i].slot != SLOT_NONE)
			index_add(places, n_places, table->place[i]);
	free(table->place);
	table->place = places;
	table->n_places = n_places;
	return 0;
}

static int
slots_resize(struct context_table *table, uint32_t slots_max)
{
	struct context **context = realloc(table->context, slots_max * sizeof(context[0]));
	uint8_t *taken;

	if (context == NULL)
		return -ENOMEM;
	table->context = context;
	taken = realloc(table->taken, slots_max);
	if (taken == NULL)
		return -ENOMEM;
	table->taken = taken;
	table->slots_max = slots_max;
	return 0;
}

/* Room for one more context. */
static int
reserve(struct context_table *table)
{
	if (table->n_linked >= table->n_places / 2 &&
		index_resize(table, table->n_places != 0 ? table->n_places * 2 : N_PLACES_MIN) != 0)
		return -ENOMEM;
	if (table->n_slots == table->slots_max &&
		slots_resize(table, table->slots_max != 0 ? table->slots_max * 2 : 512) != 0)
		return -ENOMEM;
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
	index_add(table->place, table->n_places,
		(struct context_place){(uint32_t)context->hash, slot});
	table->n_linked++;
	*ret_slot = slot;
	return 0;
}

/* Frees place i and moves back what was pushed beyond it (Knuth 6.4, algorithm R). */
static void
index_remove(struct context_table *table, uint32_t i)
{
	uint32_t mask = table->n_places - 1;

	for (uint32_t j = (i + 1) & mask; table->place[j].slot != SLOT_NONE; j = (j + 1) & mask) {
		uint32_t home = table->place[j].tag & mask;

		if (((j - home) & mask) >= ((j - i) & mask)) {
			table->place[i] = table->place[j];
			i = j;
		}
	}
	table->place[i].slot = SLOT_NONE;
}

struct context *
context_table_unlink(struct context_table *table, uint32_t slot)
{
	struct context *context = table->context[slot];
	uint32_t mask = table->n_places - 1, i = (uint32_t)context->hash & mask;

	while (table->place[i].slot != slot)
		i = (i + 1) & mask;
	index_remove(table, i);
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

void
context_table_shrink(struct context_table *table)
{
	uint32_t n_places = table->n_places, slots_max = table->slots_max;

	while (n_places > N_PLACES_MIN && table->n_linked < n_places / 8)
		n_places /= 2;
	if (n_places < table->n_places / 2)
		index_resize(table, n_places);
	while (slots_max > 512 && table->n_slots < slots_max / 4)
		slots_max /= 2;
	if (slots_max < table->slots_max / 2)
		slots_resize(table, slots_max);
}

void
context_table_done(struct context_table *table, struct budget *budget)
{
	for (uint32_t slot = 0; slot < table->n_slots; slot++)
		context_unref(table->context[slot], budget);
	free(table->context);
	free(table->taken);
	free(table->place);
	*table = (struct context_table){0};
}
