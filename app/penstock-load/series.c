/* SPDX-License-Identifier: BSD-3-Clause */
/* hot: no malloc, no syscall, no log, no lock */
#include "penstock-load/series.h"

#include "base/compiler.h"
#include "penstock-load/digits.h"

#define CONTEXTS_PER_NAME 8

const char *const series_type_text[SERIES_TYPE_COUNT] = {"c", "g", "ms", "h", "s", "d"};

static const char *const noun[SERIES_TYPE_COUNT] = {"requests.", "queue_depth.", "latency.",
	"response_size.", "users.", "payload."};

/* The first tag is "instance:N". None of these keys has a meaning of its own to an intake. */
static const char *const tag_key[] = {"", "env", "service", "region", "endpoint", "status",
	"version", "team", "zone", "cluster", "namespace", "method", "queue", "pod", "node",
	"tier"};

char *
series_write_name(const struct series_naming *naming, uint32_t context, enum series_type type,
	char *at)
{
	uint32_t number = naming->n_tags != 0 ? context / CONTEXTS_PER_NAME : context;

	at = digits_append(at, naming->prefix, strlen(naming->prefix));
	at = digits_append(at, noun[type], strlen(noun[type]));
	return digits_write(at, number, 6);
}

char *
series_write_tag(uint32_t context, uint32_t tag, char *at)
{
	uint32_t value = (context / CONTEXTS_PER_NAME * 7 + tag * 13) % 97;
	char key[8] = "key", *end;

	if (tag == 0)
		return digits_write(digits_literal(at, "instance:"), context % CONTEXTS_PER_NAME,
			1);
	if (tag < ARRAY_LENGTH(tag_key)) {
		const char *known = tag_key[tag];
		size_t size = strlen(known);

		at = digits_append(at, known, size);
		*at++ = ':';
		at = digits_append(at, known, size);
	} else {
		end = digits_write(key + 3, tag, 2);
		at = digits_append(at, key, (size_t)(end - key));
		at = digits_literal(at, ":value");
	}
	*at++ = '-';
	return digits_write(at, value, 2);
}
