/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A tag set in its canonical form: special tags taken out, empty tags dropped, text made valid
 * UTF-8, sorted in byte order, no duplicates.
 */
#ifndef DSD_TAGS_H
#define DSD_TAGS_H

#include "base/span.h"

struct tags {
	struct span *tag; /* n of them, sorted; point into the raw text, extra tags or scratch */
	uint32_t n, n_max;
	uint8_t *scratch; /* replaced text */
	size_t scratch_size, scratch_used;

	/* Special tags. The last host: wins; size 0 with has_host set is an empty host. */
	bool has_host;
	struct span host;
	struct span entity_id; /* dd.internal.entity_id: */
	struct span cardinality; /* dd.internal.card:; the first wins, later ones stay tags */
	struct span jmx_check_name; /* dd.internal.jmx_check_name: */
};

/* raw_max: bytes of the longest raw tag section; n_extra_max: tags beside it. 0 or -ENOMEM. */
int tags_init(struct tags *tags, size_t raw_max, uint32_t n_extra_max);
void tags_done(struct tags *tags);

/* Replaces what tags held. extra: n_extra tags that every message gets; no special meaning, valid
 * UTF-8. card_given: the line had a card: field, then a dd.internal.card: tag stays a tag. */
void tags_canonicalise(struct tags *tags, struct span raw, bool card_given,
	const struct span *extra, uint32_t n_extra);

#endif
