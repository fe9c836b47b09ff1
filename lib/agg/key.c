/* SPDX-License-Identifier: BSD-3-Clause */
#include "agg/key.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "dsd/text.h"

int
key_init(struct key *key, const struct key_conf *conf)
{
	size_t extra_size = 0;

	*key = (struct key){.conf = conf};
	for (uint32_t i = 0; i < conf->n_extra_tags; i++)
		extra_size += conf->extra_tags[i].size + 1;
	/* Text that is not UTF-8 becomes at most three times as long. */
	key->text = malloc(3 * conf->payload_max);
	key->host_text = malloc(3 * conf->payload_max + INET6_ADDRSTRLEN);
	key->tags_text = malloc(4 * conf->payload_max + extra_size);
	if (key->text == NULL || key->host_text == NULL || key->tags_text == NULL)
		return -ENOMEM;
	return tags_init(&key->tags, conf->payload_max, conf->n_extra_tags);
}

void
key_done(struct key *key)
{
	tags_done(&key->tags);
	free(key->text);
	free(key->host_text);
	free(key->tags_text);
}

/* The text itself when it is UTF-8, else repaired in out (3 * text.size bytes). */
static struct span
valid_text(struct span text, uint8_t *out)
{
	if (utf8_is_valid(text))
		return text;
	return span_of(out, utf8_repair(text, out));
}

static struct span
default_host(struct key *key, const struct dgram *from)
{
	char *text = (char *)key->host_text;

	switch (key->conf->host_mode) {
	case KEY_HOST_SELF:
		return key->conf->hostname;
	case KEY_HOST_SOURCE:
		if (from->source_size == 0)
			break;
		if (inet_ntop(from->source_size == 4 ? AF_INET : AF_INET6, from->source, text,
			    INET6_ADDRSTRLEN) == NULL)
			break;
		return span_from_string(text);
	case KEY_HOST_NONE:
		break;
	}
	return (struct span){0};
}

struct span
key_host(struct key *key, bool has_host, struct span host, const struct dgram *from)
{
	if (has_host)
		return valid_text(host, key->host_text);
	if (key->tags.has_host)
		return valid_text(key->tags.host, key->host_text);
	return default_host(key, from);
}

void
key_read_tags(struct key *key, const struct message_fields *fields)
{
	tags_canonicalise(&key->tags, fields->tags, fields->cardinality.size != 0,
		key->conf->extra_tags, key->conf->n_extra_tags);
}

struct span
key_tags(struct key *key)
{
	uint8_t *at = key->tags_text;

	for (uint32_t i = 0; i < key->tags.n; i++) {
		struct span tag = key->tags.tag[i];

		if (i != 0)
			*at++ = ',';
		memcpy(at, tag.data, tag.size);
		at += tag.size;
	}
	return span_of(key->tags_text, (size_t)(at - key->tags_text));
}

struct span
key_text(struct key *key, struct span text)
{
	return valid_text(text, key->text);
}

struct span
key_unescaped(struct key *key, struct span text)
{
	return span_of(key->text, text_unescape(text, key->text));
}

struct context_key
key_of_metric(struct key *key, const struct message *message, const struct dgram *from)
{
	const struct metric *metric = &message->metric;
	struct context_key context = {
		.type = metric->type,
		.is_timing = metric->is_timing,
		.name = key_text(key, metric->name),
	};

	key_read_tags(key, &message->fields);
	context.host = key_host(key, false, (struct span){0}, from);
	context.tags = key_tags(key);
	context_key_hash(&context, key->conf->seed);
	return context;
}
