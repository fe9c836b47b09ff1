/* SPDX-License-Identifier: BSD-3-Clause */
/* hot: no malloc, no syscall, no log, no lock */
/*
 * Name and tags of each context, made from its number: nothing is stored per context, and no two
 * contexts are the same. With tags, eight contexts share one number in their names.
 */
#ifndef PENSTOCK_LOAD_SERIES_H
#define PENSTOCK_LOAD_SERIES_H

#include <stdint.h>

enum series_type {
	SERIES_COUNTER,
	SERIES_GAUGE,
	SERIES_TIMING,
	SERIES_HISTOGRAM,
	SERIES_SET,
	SERIES_DISTRIBUTION,
	SERIES_TYPE_COUNT,
};

/* The type as a line says it: c g ms h s d. */
extern const char *const series_type_text[SERIES_TYPE_COUNT];

#define SERIES_PREFIX_MAX 64 /* bytes */
#define SERIES_NAME_MAX (SERIES_PREFIX_MAX + 32)
#define SERIES_TAGS_MAX 64
#define SERIES_TAG_MAX 24 /* bytes of one tag */

struct series_naming {
	const char *prefix; /* stands before every name: letters, digits, '_', '-', '.' */
	uint32_t n_tags; /* of each context, at most SERIES_TAGS_MAX */
};

/* Each writes text without a NUL and returns its end. */
char *series_write_name(const struct series_naming *naming, uint32_t context, enum series_type type,
	char *at);

/* tag: 0 to n_tags - 1. Their order is not sorted. */
char *series_write_tag(uint32_t context, uint32_t tag, char *at);

#endif
