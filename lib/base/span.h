/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A borrowed run of bytes: it owns nothing, need not end in NUL and may hold any byte.
 * An empty span may have a NULL pointer.
 */
#ifndef BASE_SPAN_H
#define BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct span {
	const uint8_t *data;
	size_t size;
};

#define SPAN_LITERAL(text) ((struct span){(const uint8_t *)(text), sizeof(text) - 1})

static inline struct span
span_of(const void *data, size_t size)
{
	return (struct span){data, size};
}

static inline struct span
span_from_string(const char *text)
{
	return span_of(text, strlen(text));
}

static inline bool
span_equal(struct span a, struct span b)
{
	return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static inline bool
span_starts_with(struct span s, struct span prefix)
{
	return s.size >= prefix.size &&
		(prefix.size == 0 || memcmp(s.data, prefix.data, prefix.size) == 0);
}

/* The bytes from offset on; offset must not be past the end. */
static inline struct span
span_from(struct span s, size_t offset)
{
	return span_of(s.data + offset, s.size - offset);
}

/* Offset of the first such byte, or s.size when there is none. */
static inline size_t
span_find(struct span s, uint8_t byte)
{
	const uint8_t *at = s.size != 0 ? memchr(s.data, byte, s.size) : NULL;

	return at != NULL ? (size_t)(at - s.data) : s.size;
}

/* Byte order; a prefix sorts first. Returns <0, 0 or >0. */
static inline int
span_compare(struct span a, struct span b)
{
	size_t size = a.size < b.size ? a.size : b.size;
	int order = size != 0 ? memcmp(a.data, b.data, size) : 0;

	if (order != 0)
		return order;
	return (a.size > b.size) - (a.size < b.size);
}

#endif
