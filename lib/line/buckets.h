/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The index of the line cache: 64-byte buckets of 8 places, two independent buckets for each line.
 *
 * It grows and shrinks by one bucket at a time (base/linear_hash.h), in address space that was
 * reserved for its largest size, so that no call takes long and nothing is copied.
 */
#ifndef LINE_BUCKETS_H
#define LINE_BUCKETS_H

#include <stdbool.h>

#include "base/linear_hash.h"
#include "line/entry.h"

#define LINE_PLACES 8

struct line_bucket {
	uint32_t tag[LINE_PLACES];
	uint32_t entry[LINE_PLACES]; /* index; LINE_NONE: free */
} cache_aligned;

struct line_buckets {
	struct line_bucket *bucket;
	uint32_t n, n_max;
	uint32_t mask; /* linear_hash_mask(n), which each look-up needs */
	uint8_t *entries; /* memory that indexes refer to */
};

/* The other bucket of a line whose first is home. */
static inline uint32_t
line_other_home(uint32_t home, uint32_t tag)
{
	return home ^ (tag * UINT32_C(0x9e3779b1) >> 8 | 1);
}

static inline uint32_t
line_bucket_number(const struct line_buckets *buckets, uint32_t home)
{
	return linear_hash_place(home, buckets->mask, buckets->n);
}

static inline struct line_bucket *
line_bucket(const struct line_buckets *buckets, uint32_t home)
{
	return &buckets->bucket[line_bucket_number(buckets, home)];
}

/* For up to n_entries_max at half load; entries: their memory. 0 or -ENOMEM; line_buckets_done is
 * fine after both. */
int line_buckets_init(struct line_buckets *buckets, uint32_t n_entries_max, uint8_t *entries);
void line_buckets_done(struct line_buckets *buckets);

struct line_place {
	struct line_bucket *bucket;
	uint32_t at;
};

/* A free place for a line, whose tag and entry are the caller's to write. Where both buckets are
 * full, another line moves to its other bucket. False when none of them can. */
bool line_buckets_make_room(const struct line_buckets *buckets, uint32_t home, uint32_t tag,
	struct line_place *ret_place);

/* The place that holds an entry's index; false when it was lost. */
bool line_buckets_find(const struct line_buckets *buckets, const struct line_entry *entry,
	uint32_t index, struct line_place *ret_place);

/* Keep the table as large as n_entries need, in bounded steps. Before each entry that comes in: */
void line_buckets_grow(struct line_buckets *buckets, uint32_t n_entries);

/* Now and then; false when there is nothing to do. Entries that find no place any more are out of
 * the index, and taken off *n_entries. */
bool line_buckets_shrink(struct line_buckets *buckets, uint32_t *n_entries);

#endif
