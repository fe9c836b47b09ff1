/* SPDX-License-Identifier: BSD-3-Clause */
#include "dsd/tags.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/utf8.h"

#define REPAIR_GROWTH 3 /* one bad byte becomes U+FFFD */
#define INSERTION_MAX 24 /* tags; beyond, the heap costs less */

int
tags_init(struct tags *tags, size_t raw_max, uint32_t n_extra_max)
{
	/* Tags in the raw text are not empty and separated by a comma each. */
	size_t n_max = raw_max / 2 + 1 + n_extra_max;

	*tags = (struct tags){0};
	if (n_max > UINT32_MAX)
		return -ENOMEM;
	tags->n_max = (uint32_t)n_max;
	tags->scratch_size = REPAIR_GROWTH * raw_max;
	tags->tag = malloc(n_max * sizeof(*tags->tag));
	tags->scratch = malloc(tags->scratch_size != 0 ? tags->scratch_size : 1);
	if (tags->tag == NULL || tags->scratch == NULL) {
		tags_done(tags);
		return -ENOMEM;
	}
	return 0;
}

void
tags_done(struct tags *tags)
{
	if (tags == NULL)
		return;
	free(tags->tag);
	free(tags->scratch);
	*tags = (struct tags){0};
}

static void
add(struct tags *tags, struct span tag)
{
	assert(tags->n < tags->n_max);
	tags->tag[tags->n++] = tag;
}

static struct span
repair(struct tags *tags, struct span text)
{
	uint8_t *out = tags->scratch + tags->scratch_used;
	size_t size;

	assert(REPAIR_GROWTH * text.size <= tags->scratch_size - tags->scratch_used);
	size = utf8_repair(text, out);
	tags->scratch_used += size;
	return span_of(out, size);
}

static bool
has_prefix(struct span tag, struct span prefix, struct span *ret_value)
{
	if (!span_starts_with(tag, prefix))
		return false;
	*ret_value = span_from(tag, prefix.size);
	return true;
}

/* True when tag is one of the special ones, which say something about the message instead. */
static bool
take_special(struct tags *tags, struct span tag, bool card_given)
{
	struct span value;

	if (has_prefix(tag, SPAN_LITERAL("host:"), &value)) {
		tags->has_host = true;
		tags->host = value;
	} else if (has_prefix(tag, SPAN_LITERAL("dd.internal.entity_id:"), &value)) {
		tags->entity_id = value;
	} else if (!card_given && tags->cardinality.size == 0 &&
		has_prefix(tag, SPAN_LITERAL("dd.internal.card:"), &value)) {
		tags->cardinality = value;
	} else if (has_prefix(tag, SPAN_LITERAL("dd.internal.jmx_check_name:"), &value)) {
		tags->jmx_check_name = value;
	} else {
		return false;
	}
	return true;
}

static void
split(struct tags *tags, struct span raw, bool card_given)
{
	bool valid = utf8_is_valid(raw); /* then so is each tag: no sequence has a comma in it */

	while (raw.size != 0) {
		size_t end = span_find(raw, ',');
		struct span tag = span_of(raw.data, end);

		raw = span_from(raw, end < raw.size ? end + 1 : end);
		if (tag.size == 0)
			continue;
		if (!valid && !utf8_is_valid(tag))
			tag = repair(tags, tag);
		if (!take_special(tags, tag, card_given))
			add(tags, tag);
	}
}

static void
insertion_sort(struct span *tag, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		struct span moving = tag[i];
		uint32_t at = i;

		for (; at > 0 && span_compare(tag[at - 1], moving) > 0; at--)
			tag[at] = tag[at - 1];
		tag[at] = moving;
	}
}

/* Moves moving down from the hole at the given place of a heap of n, largest on top. */
static void
sift_down(struct span *heap, uint32_t at, uint32_t n, struct span moving)
{
	for (;;) {
		size_t child = 2 * (size_t)at + 1;

		if (child >= n)
			break;
		if (child + 1 < n && span_compare(heap[child], heap[child + 1]) < 0)
			child++;
		if (span_compare(heap[child], moving) <= 0)
			break;
		heap[at] = heap[child];
		at = (uint32_t)child;
	}
	heap[at] = moving;
}

/* In place and n log n whatever the sender chose; qsort may allocate. */
static void
heap_sort(struct span *tag, uint32_t n)
{
	for (uint32_t i = n / 2; i-- > 0;)
		sift_down(tag, i, n, tag[i]);
	for (uint32_t last = n; last-- > 1;) {
		struct span moving = tag[last];

		tag[last] = tag[0];
		sift_down(tag, 0, last, moving);
	}
}

static void
drop_duplicates(struct tags *tags)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < tags->n; i++) {
		if (n == 0 || !span_equal(tags->tag[n - 1], tags->tag[i]))
			tags->tag[n++] = tags->tag[i];
	}
	tags->n = n;
}

void
tags_canonicalise(struct tags *tags, struct span raw, bool card_given, const struct span *extra,
	uint32_t n_extra)
{
	tags->n = 0;
	tags->scratch_used = 0;
	tags->has_host = false;
	tags->host = tags->entity_id = tags->cardinality = tags->jmx_check_name = (struct span){0};

	split(tags, raw, card_given);
	for (uint32_t i = 0; i < n_extra; i++) {
		if (extra[i].size != 0)
			add(tags, extra[i]);
	}
	if (tags->n <= INSERTION_MAX)
		insertion_sort(tags->tag, tags->n);
	else
		heap_sort(tags->tag, tags->n);
	drop_duplicates(tags);
}
