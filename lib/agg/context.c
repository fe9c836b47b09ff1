/* SPDX-License-Identifier: BSD-3-Clause */
#include "agg/context.h"

#include <stdlib.h>

#include "base/compiler.h"

void
context_key_hash(struct context_key *key, uint64_t seed)
{
	/* The sizes go into the seed of each step, so that bytes cannot move between the parts. */
	uint64_t hash = hash_span(key->name, seed + key->type);

	hash = hash_span(key->host, hash + key->name.size);
	key->hash = hash_span(key->tags, hash + key->host.size);
}

size_t
context_size(const struct context_key *key)
{
	return sizeof(struct context) + key->name.size + key->host.size + key->tags.size;
}

static void
fill(struct context *context, const struct context_key *key)
{
	const struct span part[] = {key->name, key->host, key->tags};
	uint8_t *text = context->text;

	atomic_init(&context->refs, 1);
	context->type = (uint8_t)key->type;
	context->is_timing = key->is_timing;
	context->name_size = (uint32_t)key->name.size;
	context->host_size = (uint32_t)key->host.size;
	context->tags_size = (uint32_t)key->tags.size;
	context->hash = key->hash;
	for (size_t i = 0; i < ARRAY_LENGTH(part); i++) {
		if (part[i].size != 0)
			memcpy(text, part[i].data, part[i].size);
		text += part[i].size;
	}
}

struct context *
context_new(const struct context_key *key, struct budget *budget)
{
	struct context *context;

	if (!budget_take(budget, context_size(key)))
		return NULL;
	context = malloc(context_size(key));
	if (context == NULL) {
		budget_give(budget, context_size(key));
		return NULL;
	}
	fill(context, key);
	return context;
}

struct context *
context_new_in(struct arena *arena, const struct context_key *key)
{
	struct context *context = arena_alloc(arena, context_size(key));

	if (context != NULL)
		fill(context, key);
	return context;
}

void
context_ref(struct context *context)
{
	atomic_fetch_add_explicit(&context->refs, 1, memory_order_relaxed);
}

static size_t
text_size(const struct context *context)
{
	return (size_t)context->name_size + context->host_size + context->tags_size;
}

void
context_unref(struct context *context, struct budget *budget)
{
	if (context == NULL)
		return;
	if (atomic_fetch_sub_explicit(&context->refs, 1, memory_order_acq_rel) != 1)
		return;
	budget_give(budget, sizeof(*context) + text_size(context));
	free(context);
}

bool
context_matches(const struct context *context, const struct context_key *key)
{
	return context->hash == key->hash && context->type == (uint8_t)key->type &&
		span_equal(context_name(context), key->name) &&
		span_equal(context_host(context), key->host) &&
		span_equal(context_tags(context), key->tags);
}

bool
context_equal(const struct context *a, const struct context *b)
{
	return a->hash == b->hash && a->type == b->type && a->name_size == b->name_size &&
		a->host_size == b->host_size && a->tags_size == b->tags_size &&
		memcmp(a->text, b->text, text_size(a)) == 0;
}
