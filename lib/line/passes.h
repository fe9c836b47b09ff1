/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The passes of the line path over a batch: split a payload into lines, look them up in the cache,
 * compare. They exist in plain C and for AVX2 (passes_body.h is the one text of both); which runs
 * is chosen at the start by what the CPU has.
 *
 * A batch goes through one pass after the other, so that the memory which the next pass needs is
 * on its way while this one works on other lines.
 */
#ifndef LINE_PASSES_H
#define LINE_PASSES_H

#include "agg/value.h"
#include "dsd/burst.h"
#include "line/cache.h"

#define LINE_BATCH 64
#define LINE_SPLIT_SIZE 4096 /* bytes of a payload that are searched for newlines at a time */

/* A line in flight: its bytes are name ':' value rest, where rest begins with '|'. */
struct line_view {
	const uint8_t *at;
	uint64_t meta; /* 0: not of that form, or too long for the cache */
	uint32_t value_size;
	uint32_t size; /* of the whole line */
	uint32_t tag, home;
	uint32_t entry; /* in the cache, or LINE_NONE */
	uint16_t dgram; /* in the burst */
	bool is_terminated; /* by a newline */
};

/* A burst on its way into lines; all before newline is zero at its beginning. */
struct line_split {
	uint16_t n_begun; /* datagrams */
	uint16_t dgram; /* the last of them, which the rest is about */
	bool needs_end; /* an unterminated line may not be read */
	origin_id origin;
	const uint8_t *bytes;
	uint32_t size;
	uint32_t searched; /* bytes looked at for newlines */
	uint32_t start; /* of the next line */
	uint32_t n, next; /* newlines found, and used */
	uint32_t newline[LINE_SPLIT_SIZE + 64]; /* offsets in bytes */
};

/* Secret and random, one for the process: who does not know it cannot choose lines that collide. */
struct line_seed {
	uint32_t name[LINE_NAME_MAX / 4];
	uint32_t rest[LINE_REST_MAX / 4];
	uint64_t meta, home, tag;
};

struct line_search {
	const struct line_seed *seed;
	const struct value *values; /* of the open bucket, by slot */
	uint32_t tick; /* now */
};

/* Payloads, and so lines, have 64 readable bytes behind them; what those hold does not matter. */
struct line_passes {
	const char *name;

	/* Cuts the next n_max lines that are not empty; fewer only at the burst's end. */
	uint32_t (*split)(struct line_split *split, const struct burst *burst,
		struct line_view *lines, uint32_t n_max);

	/* Finds each line's entry: fresh, and equal byte for byte, else LINE_NONE. Values are on
	 * their way then. Returns how many lines are histograms or distributions, which have more
	 * memory behind their value. */
	uint32_t (*look_up)(const struct line_cache *cache, const struct line_search *search,
		struct line_view *lines, uint32_t n);
};

extern const struct line_passes line_passes_plain;
extern const struct line_passes line_passes_avx2;

/* Whether what the line's context gathers lies behind its value, in memory of its own. */
static inline bool
line_has_state(const struct line_entry *entry)
{
	return entry->type == METRIC_HISTOGRAM || entry->type == METRIC_DISTRIBUTION;
}

/* The best that this CPU can run. */
const struct line_passes *line_passes_choose(void);

static inline const uint8_t *
line_value(const struct line_view *line)
{
	return line->at + line_name_size(line->meta) + 1;
}

static inline const uint8_t *
line_rest(const struct line_view *line)
{
	return line_value(line) + line->value_size;
}

#endif
