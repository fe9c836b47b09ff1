/* SPDX-License-Identifier: BSD-3-Clause */
/* "Did you mean …?": the known name that a mistyped one is closest to. */
#ifndef CONF_NEAREST_H
#define CONF_NEAREST_H

#include <stddef.h>

/* The best known name so far. Start with the name and the rest zero. */
struct nearest {
	const char *name; /* as it was typed */
	const char *best; /* NULL: nothing close enough */
	size_t distance; /* of best */
};

/* Takes candidate for the best if it is closer. Close enough is one edit in three characters;
 * edits are insertions, deletions, replacements and swaps of neighbours, '-' for '_' is none. */
void nearest_offer(struct nearest *nearest, const char *candidate);

#endif
