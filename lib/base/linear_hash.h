/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Linear hashing (Litwin, 1980): a table of n places grows and shrinks by one at a time. A new
 * place n takes over from place n & mask >> 1, which stood for it until then.
 */
#ifndef BASE_LINEAR_HASH_H
#define BASE_LINEAR_HASH_H

#include <stdint.h>

/* Smallest 2^k - 1 that is not below n - 1. */
static inline uint32_t
linear_hash_mask(uint32_t n)
{
	return n > 1 ? UINT32_MAX >> __builtin_clz(n - 1) : 0;
}

/* The place of a hash among n; mask: linear_hash_mask(n). */
static inline uint32_t
linear_hash_place(uint32_t hash, uint32_t mask, uint32_t n)
{
	uint32_t at = hash & mask;

	return at < n ? at : at & mask >> 1;
}

#endif
