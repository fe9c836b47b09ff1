/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a message to the texts that are kept of it: name, host and tags, canonical and valid UTF-8.
 * One for each shard; the spans that it hands out are valid until its next call.
 */
#ifndef AGG_KEY_H
#define AGG_KEY_H

#include "agg/context.h"
#include "dsd/burst.h"
#include "dsd/tags.h"

/* What stands in for a host that a message does not name. */
enum key_host {
	KEY_HOST_SELF,
	KEY_HOST_SOURCE,
	KEY_HOST_NONE,
};

/* Borrowed; outlives the keys. */
struct key_conf {
	const struct span *extra_tags; /* valid UTF-8, without ',' */
	uint32_t n_extra_tags;
	enum key_host host_mode;
	struct span hostname;
	size_t payload_max;
	uint64_t seed; /* of the contexts' hash */
};

struct key {
	const struct key_conf *conf;
	struct tags tags;
	uint8_t *text, *host_text, *tags_text; /* scratch */
};

/* 0 or -ENOMEM; key_done is fine after both. */
int key_init(struct key *key, const struct key_conf *conf);
void key_done(struct key *key);

/* The context of a metric, hashed. */
struct context_key key_of_metric(struct key *key, const struct message *message,
	const struct dgram *from);

/* Reads the tags of an event or a check; the two below are of that message. */
void key_read_tags(struct key *key, const struct message_fields *fields);
struct span key_tags(struct key *key); /* joined by ',' */
struct span key_host(struct key *key, bool has_host, struct span host, const struct dgram *from);

/* A valid text, itself or repaired; and one whose "\n" are newlines. */
struct span key_text(struct key *key, struct span text);
struct span key_unescaped(struct key *key, struct span text);

#endif
