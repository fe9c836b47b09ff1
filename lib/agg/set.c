/* SPDX-License-Identifier: BSD-3-Clause */
#include "agg/set.h"

#include <errno.h>

#include "base/hash.h"

#define N_PLACES_MIN 8

/* The member's place, or the free one where it belongs. The table is never full. */
static struct set_member *
find(const struct set *set, uint64_t hash, struct span bytes)
{
	uint32_t mask = set->n_places - 1;

	for (uint32_t i = (uint32_t)hash & mask;; i = (i + 1) & mask) {
		struct set_member *place = &set->place[i];

		if (place->bytes.data == NULL)
			return place;
		if (place->hash == hash && span_equal(place->bytes, bytes))
			return place;
	}
}

/* Makes room for one more. The old table stays in the arena: doubling wastes at most as much. */
static int
grow(struct set *set, struct arena *arena)
{
	struct set bigger = {.n = set->n};

	if (set->n_places != 0 && set->n < set->n_places / 4 * 3)
		return 0;
	bigger.n_places = set->n_places != 0 ? set->n_places * 2 : N_PLACES_MIN;
	bigger.place = arena_alloc(arena, bigger.n_places * sizeof(bigger.place[0]));
	if (bigger.place == NULL)
		return -ENOMEM;
	memset(bigger.place, 0, bigger.n_places * sizeof(bigger.place[0]));
	for (uint32_t i = 0; i < set->n_places; i++) {
		const struct set_member *member = &set->place[i];

		if (member->bytes.data != NULL)
			*find(&bigger, member->hash, member->bytes) = *member;
	}
	*set = bigger;
	return 0;
}

int
set_add(struct set *set, struct arena *arena, struct span member, uint64_t seed)
{
	uint64_t hash = hash_span(member, seed);
	struct set_member *place;
	struct span copy;

	if (grow(set, arena) != 0)
		return -ENOMEM;
	place = find(set, hash, member);
	if (place->bytes.data != NULL)
		return 0;
	copy = arena_copy(arena, member);
	if (copy.data == NULL)
		return -ENOMEM;
	*place = (struct set_member){hash, copy};
	set->n++;
	return 0;
}

int
set_unite(struct set *set, struct arena *arena, const struct set *other)
{
	for (uint32_t i = 0; i < other->n_places; i++) {
		const struct set_member *member = &other->place[i];
		struct set_member *place;

		if (member->bytes.data == NULL)
			continue;
		if (grow(set, arena) != 0)
			return -ENOMEM;
		place = find(set, member->hash, member->bytes);
		if (place->bytes.data != NULL)
			continue;
		*place = *member;
		set->n++;
	}
	return 0;
}
