/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many bytes one purpose may hold, over all threads. Take it in coarse pieces (a chunk, a
 * context), never per line: each call is one atomic operation on a shared word.
 */
#ifndef MEM_BUDGET_H
#define MEM_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct budget {
	_Atomic size_t limit; /* bytes; may change at any time, what is taken stays */
	_Atomic size_t used;
	_Atomic size_t peak;
};

void budget_init(struct budget *budget, size_t limit);

/* False, and nothing is taken, when it would exceed the limit. */
bool budget_take(struct budget *budget, size_t size);
void budget_give(struct budget *budget, size_t size);

#endif
