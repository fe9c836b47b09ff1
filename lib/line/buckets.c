/* SPDX-License-Identifier: BSD-3-Clause */
#include "line/buckets.h"

#include <errno.h>
#include <string.h>

#include "mem/region.h"

#define N_MIN 64 /* a page of them; a power of two */
#define ENTRIES_EACH 3 /* more, and many lines would lie in their other bucket */
#define PAGE_BUCKETS (REGION_PAGE / sizeof(struct line_bucket))
#define JOINS_MAX 64 /* buckets in one call, some 20 us */

int
line_buckets_init(struct line_buckets *buckets, uint32_t n_entries_max, uint8_t *entries)
{
	*buckets = (struct line_buckets){.n = N_MIN,
		.mask = linear_hash_mask(N_MIN),
		.entries = entries};
	buckets->n_max = n_entries_max / ENTRIES_EACH + N_MIN;
	buckets->bucket =
		(struct line_bucket *)region_map(buckets->n_max * sizeof(struct line_bucket));
	return buckets->bucket != NULL ? 0 : -ENOMEM;
}

void
line_buckets_done(struct line_buckets *buckets)
{
	region_unmap((uint8_t *)buckets->bucket, buckets->n_max * sizeof(struct line_bucket));
	*buckets = (struct line_buckets){0};
}

static bool
find_in(struct line_bucket *bucket, uint32_t index, struct line_place *ret_place)
{
	for (uint32_t i = 0; i < LINE_PLACES; i++) {
		if (bucket->entry[i] != index)
			continue;
		*ret_place = (struct line_place){bucket, i};
		return true;
	}
	return false;
}

static bool
find_in_both(const struct line_buckets *buckets, uint32_t home, uint32_t tag, uint32_t index,
	struct line_place *ret_place)
{
	return find_in(line_bucket(buckets, home), index, ret_place) ||
		find_in(line_bucket(buckets, line_other_home(home, tag)), index, ret_place);
}

bool
line_buckets_find(const struct line_buckets *buckets, const struct line_entry *entry,
	uint32_t index, struct line_place *ret_place)
{
	return find_in_both(buckets, entry->home, entry->tag, index, ret_place);
}

/* The hash by which an entry lies in a bucket: that of its first home, or of the other. */
static uint32_t
hash_in(const struct line_buckets *buckets, const struct line_entry *entry, uint32_t number)
{
	if (line_bucket_number(buckets, entry->home) == number)
		return entry->home;
	return line_other_home(entry->home, entry->tag);
}

static void
move(struct line_place from, struct line_place to)
{
	to.bucket->tag[to.at] = from.bucket->tag[from.at];
	to.bucket->entry[to.at] = from.bucket->entry[from.at];
	from.bucket->entry[from.at] = LINE_NONE;
}

bool
line_buckets_make_room(const struct line_buckets *buckets, uint32_t home, uint32_t tag,
	struct line_place *ret_place)
{
	struct line_place place = {line_bucket(buckets, home), 0}, free;

	if (find_in_both(buckets, home, tag, LINE_NONE, ret_place))
		return true;
	/* Buckets that are still to be split hold twice as much as others: this is not rare. */
	for (; place.at < LINE_PLACES; place.at++) {
		const struct line_entry *entry =
			line_entry_at(buckets->entries, place.bucket->entry[place.at]);

		if (!find_in_both(buckets, entry->home, entry->tag, LINE_NONE, &free))
			continue;
		move(place, free);
		*ret_place = place;
		return true;
	}
	return false;
}

/* One more bucket: takes over what belongs to it from the one that stood for it. */
static void
split(struct line_buckets *buckets)
{
	uint32_t added = buckets->n, mask = linear_hash_mask(added + 1);
	uint32_t old = added & mask >> 1, n_moved = 0;
	struct line_bucket *from = &buckets->bucket[old], *to = &buckets->bucket[added];

	for (uint32_t i = 0; i < LINE_PLACES; i++) {
		const struct line_entry *entry = line_entry_at(buckets->entries, from->entry[i]);

		if (from->entry[i] == LINE_NONE || (hash_in(buckets, entry, old) & mask) != added)
			continue;
		to->tag[n_moved] = from->tag[i];
		to->entry[n_moved++] = from->entry[i];
		from->entry[i] = LINE_NONE;
	}
	buckets->n++;
	buckets->mask = mask;
}

/* One bucket less. Returns how many of its entries found no other place. */
static uint32_t
join(struct line_buckets *buckets)
{
	struct line_bucket *from = &buckets->bucket[buckets->n - 1];
	struct line_place place;
	uint32_t n_lost = 0;

	buckets->mask = linear_hash_mask(--buckets->n);
	for (uint32_t i = 0; i < LINE_PLACES; i++) {
		const struct line_entry *entry = line_entry_at(buckets->entries, from->entry[i]);

		if (from->entry[i] == LINE_NONE)
			continue;
		if (line_buckets_make_room(buckets, entry->home, entry->tag, &place))
			move((struct line_place){from, i}, place);
		else
			n_lost++;
	}
	memset(from, 0, sizeof(*from));
	if (buckets->n % PAGE_BUCKETS == 0)
		region_give_back((uint8_t *)from, REGION_PAGE);
	return n_lost;
}

void
line_buckets_grow(struct line_buckets *buckets, uint32_t n_entries)
{
	/* One for each entry that comes in, where a third would do: it catches up with anything. */
	if (n_entries >= buckets->n * ENTRIES_EACH && buckets->n < buckets->n_max)
		split(buckets);
}

bool
line_buckets_shrink(struct line_buckets *buckets, uint32_t *n_entries)
{
	uint32_t n = 0;

	for (; n < JOINS_MAX && buckets->n > N_MIN && *n_entries < buckets->n; n++)
		*n_entries -= join(buckets);
	return n != 0;
}
