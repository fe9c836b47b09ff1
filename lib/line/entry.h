/* SPDX-License-Identifier: BSD-3-Clause */
/* A line that was seen before, without its values: its key and what it came to. */
#ifndef LINE_ENTRY_H
#define LINE_ENTRY_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

#define LINE_NAME_MAX 512 /* longer ones are never cached */
#define LINE_REST_MAX 2048
#define LINE_UNIT CACHE_LINE_SIZE /* bytes; entries are multiples of it */
#define LINE_NONE 0 /* no entry: the index of a place that never holds one */
#define LINE_TICK_SHIFT 30 /* a tick is 2^30 ns, about a second */

#define LINE_SLOTS_MAX (UINT32_C(1) << 28) /* an entry leads to slots below */

struct line_entry {
	uint64_t meta; /* line_meta */
	uint32_t slot : 28, type : 4; /* enum metric_type */
	uint32_t tick; /* of its last use */
	double weight; /* 1 / rate */
	uint32_t tag, home; /* of its hash */
	uint8_t key[]; /* name, then rest */
};

static_assert(sizeof(struct line_entry) == 32, "half a cache line, then the key");

static inline uint32_t
line_tick(uint64_t time)
{
	return (uint32_t)(time >> LINE_TICK_SHIFT);
}

/* The parts of a key that are compared as one word. */
static inline uint64_t
line_meta(uint32_t origin, uint32_t name_size, uint32_t rest_size)
{
	return (uint64_t)origin | (uint64_t)name_size << 32 | (uint64_t)rest_size << 48;
}

static inline uint32_t
line_name_size(uint64_t meta)
{
	return meta >> 32 & 0xffff;
}

static inline uint32_t
line_rest_size(uint64_t meta)
{
	return (uint32_t)(meta >> 48);
}

/* index: in units from the start of the memory that holds all entries. */
static inline struct line_entry *
line_entry_at(uint8_t *memory, uint32_t index)
{
	return (struct line_entry *)(memory + (size_t)index * LINE_UNIT);
}

#endif
