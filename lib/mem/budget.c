/* SPDX-License-Identifier: BSD-3-Clause */
#include "mem/budget.h"

#include <assert.h>

void
budget_init(struct budget *budget, size_t limit)
{
	atomic_init(&budget->limit, limit);
	atomic_init(&budget->used, 0);
	atomic_init(&budget->peak, 0);
}

bool
budget_take(struct budget *budget, size_t size)
{
	size_t limit = atomic_load_explicit(&budget->limit, memory_order_relaxed);
	size_t used = atomic_load_explicit(&budget->used, memory_order_relaxed);
	size_t peak;

	do {
		if (size > limit || used > limit - size)
			return false;
	} while (!atomic_compare_exchange_weak_explicit(&budget->used, &used, used + size,
		memory_order_relaxed, memory_order_relaxed));

	peak = atomic_load_explicit(&budget->peak, memory_order_relaxed);
	while (peak < used + size &&
		!atomic_compare_exchange_weak_explicit(&budget->peak, &peak, used + size,
			memory_order_relaxed, memory_order_relaxed))
		;
	return true;
}

void
budget_give(struct budget *budget, size_t size)
{
	size_t before = atomic_fetch_sub_explicit(&budget->used, size, memory_order_relaxed);

	assert(before >= size);
	(void)before;
}
