/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The identity of a series: name, host, type and tag set. Immutable, shared by reference count
 * between the worker that saw it first, the flush thread and the flushes that name it. Two contexts
 * are one if and only if all their bytes are equal.
 */
#ifndef AGG_CONTEXT_H
#define AGG_CONTEXT_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/hash.h"
#include "dsd/message.h"
#include "mem/arena.h"

struct context {
	_Atomic uint32_t refs;
	uint8_t type; /* enum metric_type */
	bool is_timing; /* the first sample was ms; not part of the identity */
	uint32_t name_size, host_size, tags_size;
	uint64_t hash;
	uint8_t text[]; /* name, host, tags joined by ','; valid UTF-8 */
};

/* What a context is made from. Texts are valid UTF-8; tags are canonical and joined by ','. */
struct context_key {
	enum metric_type type;
	bool is_timing;
	struct span name, host, tags;
	uint64_t hash;
};

/* Fills key->hash. */
void context_key_hash(struct context_key *key, uint64_t seed);

/* Bytes that a context of this key takes. */
size_t context_size(const struct context_key *key);

/* One reference, charged to the budget; NULL without memory or room in the budget. */
struct context *context_new(const struct context_key *key, struct budget *budget);

/* A context that lives and dies with an arena: reference counting does not apply. */
struct context *context_new_in(struct arena *arena, const struct context_key *key);

void context_ref(struct context *context);

/* Frees at the last one, giving the bytes back to the budget. */
void context_unref(struct context *context, struct budget *budget);

bool context_matches(const struct context *context, const struct context_key *key);
bool context_equal(const struct context *a, const struct context *b);

static inline struct span
context_name(const struct context *context)
{
	return span_of(context->text, context->name_size);
}

static inline struct span
context_host(const struct context *context)
{
	return span_of(context->text + context->name_size, context->host_size);
}

static inline struct span
context_tags(const struct context *context)
{
	return span_of(context->text + context->name_size + context->host_size, context->tags_size);
}

#endif
