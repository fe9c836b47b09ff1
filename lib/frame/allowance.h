/* SPDX-License-Identifier: BSD-3-Clause */
/* So many things a second, and some at once after a rest (a token bucket, kept as one time). */
#ifndef FRAME_ALLOWANCE_H
#define FRAME_ALLOWANCE_H

#include <stdbool.h>
#include <stdint.h>

/* Zeroed at first. */
struct allowance {
	uint64_t paid_until; /* ns; what was taken so far is used up then */
};

/* Takes one at the time now (ns, monotonic), or returns false. */
static inline bool
allowance_take(struct allowance *allowance, uint64_t now, uint64_t per_second, uint64_t at_once)
{
	uint64_t price = UINT64_C(1000000000) / per_second;

	if (allowance->paid_until < now)
		allowance->paid_until = now;
	if (allowance->paid_until - now > (at_once - 1) * price)
		return false;
	allowance->paid_until += price;
	return true;
}

#endif
