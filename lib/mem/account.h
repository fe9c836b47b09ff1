/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accounts share one limit in bytes. Each has a reserve, which no other account can take, and a
 * cap; what it uses beyond its reserve comes out of what all reserves together leave of the limit.
 * Take in coarse pieces: a call is one atomic operation on the account, and one more on the shared
 * part where the reserve does not suffice.
 */
#ifndef MEM_ACCOUNT_H
#define MEM_ACCOUNT_H

#include <stdint.h>

#include "mem/budget.h"

struct account_conf {
	const char *name; /* "sockets"; borrowed, outlives the account */
	size_t reserve, cap; /* bytes; the cap is at least the reserve */
};

struct account {
	struct account_conf conf;
	struct budget *shared; /* the limit less all reserves */
	_Atomic size_t used, peak;
	_Atomic uint64_t n_refused; /* takes that were not granted */
};

/* shared outlives the account: a budget of the limit less the reserves of all its accounts. */
void account_init(struct account *account, const struct account_conf *conf, struct budget *shared);

/* False, and nothing is taken, when the cap or the shared part does not allow it. Within the
 * reserve it always succeeds. */
bool account_take(struct account *account, size_t size);
void account_give(struct account *account, size_t size);

/* Whether account_take would succeed now; takes nothing and counts nothing. */
bool account_has_room(const struct account *account, size_t size);

#endif
