/* SPDX-License-Identifier: BSD-3-Clause */
/* The distinct members of a set metric in one bucket, exact: members are compared byte for byte. */
#ifndef AGG_SET_H
#define AGG_SET_H

#include "mem/arena.h"

struct set_member {
	uint64_t hash;
	struct span bytes; /* data is NULL in a free place */
};

/* All zero is an empty set; its memory is an arena's and goes away with it. */
struct set {
	struct set_member *place; /* open addressing, linear */
	uint32_t n;
	uint32_t n_places; /* a power of two, or 0 */
};

/* Copies a new member into the arena. 0 or -ENOMEM, the set is unchanged then. */
int set_add(struct set *set, struct arena *arena, struct span member, uint64_t seed);

/* Adds the members of other, whose bytes must live as long as the set's arena. 0 or -ENOMEM. */
int set_unite(struct set *set, struct arena *arena, const struct set *other);

#endif
