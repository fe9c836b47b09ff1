/* SPDX-License-Identifier: BSD-3-Clause */
#include "mem/account.h"

#include <assert.h>

void
account_init(struct account *account, const struct account_conf *conf, struct budget *shared)
{
	assert(conf->reserve <= conf->cap);
	account->conf = *conf;
	account->shared = shared;
	atomic_init(&account->used, 0);
	atomic_init(&account->peak, 0);
	atomic_init(&account->n_refused, 0);
}

/* How much of the change from one use to a larger one lies above the reserve. */
static size_t
above_reserve(const struct account *account, size_t from, size_t to)
{
	if (from < account->conf.reserve)
		from = account->conf.reserve;
	return to > from ? to - from : 0;
}

/* The shared part is taken before the account says so, and given after: at every moment the
 * accounts together use no more than the limit. */
static bool
try_take(struct account *account, size_t size, size_t *ret_used)
{
	size_t used = atomic_load_explicit(&account->used, memory_order_relaxed);

	for (;;) {
		size_t above;

		if (size > account->conf.cap || used > account->conf.cap - size)
			return false;
		above = above_reserve(account, used, used + size);
		if (above != 0 && !budget_take(account->shared, above))
			return false;
		if (atomic_compare_exchange_weak_explicit(&account->used, &used, used + size,
			    memory_order_relaxed, memory_order_relaxed))
			break;
		if (above != 0)
			budget_give(account->shared, above);
	}
	*ret_used = used + size;
	return true;
}

bool
account_take(struct account *account, size_t size)
{
	size_t used, peak;

	if (!try_take(account, size, &used)) {
		atomic_fetch_add_explicit(&account->n_refused, 1, memory_order_relaxed);
		return false;
	}
	peak = atomic_load_explicit(&account->peak, memory_order_relaxed);
	while (peak < used &&
		!atomic_compare_exchange_weak_explicit(&account->peak, &peak, used,
			memory_order_relaxed, memory_order_relaxed))
		;
	return true;
}

void
account_give(struct account *account, size_t size)
{
	size_t before = atomic_fetch_sub_explicit(&account->used, size, memory_order_relaxed);
	size_t above;

	assert(before >= size);
	above = above_reserve(account, before - size, before);
	if (above != 0)
		budget_give(account->shared, above);
}

bool
account_has_room(const struct account *account, size_t size)
{
	size_t used = atomic_load_explicit(&account->used, memory_order_relaxed);
	size_t shared = atomic_load_explicit(&account->shared->used, memory_order_relaxed);
	size_t limit = atomic_load_explicit(&account->shared->limit, memory_order_relaxed);

	if (size > account->conf.cap || used > account->conf.cap - size)
		return false;
	return above_reserve(account, used, used + size) <= (shared < limit ? limit - shared : 0);
}
