/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The yardstick: the least work that can be called aggregation. Split, parse the values, hash name
 * and tags as they stand, look up, compare the key byte for byte, add. It has no types, rates, tag
 * order, errors, limits, buckets or ledger; it is meant to be quick and not to be right.
 */
#ifndef BENCH_REFERENCE_H
#define BENCH_REFERENCE_H

#include "base/span.h"

struct reference;

/* For so many series at most. fetches_keys: the keys, too, are fetched some lines ahead, which pays
 * where they do not fit into the caches. Ends the program when there is no memory. */
struct reference *reference_new(uint32_t n_series_max, bool fetches_keys);
void reference_free(struct reference *reference);

/* Adds all lines of a burst of payloads. Ends the program when there are too many series. */
void reference_take(struct reference *reference, const struct span *payloads, unsigned n);

/* Over all series: lines and the sum of their values. Returns the number of series. */
uint32_t reference_total(const struct reference *reference, uint64_t *ret_lines, double *ret_sum);

#endif
