/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The one hash of the project: XXH3 under a random seed of this process, so that nobody outside
 * can choose keys that collide. A hash only finds candidates; identity is compared byte for byte.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/span.h"

static inline uint64_t
hash_span(struct span s, uint64_t seed)
{
	return XXH3_64bits_withSeed(s.data, s.size, seed);
}

#endif
