/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * JSON (RFC 8259) written into a buffer that grows. Commas and nesting are kept by the writer; a
 * failed allocation is remembered and makes every later call do nothing.
 */
#ifndef WIRE_JSON_H
#define WIRE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/span.h"

#define JSON_DEPTH_MAX 16

struct json {
	char *text; /* not NUL-terminated; owned */
	size_t size, capacity;
	bool failed; /* out of memory */
	uint8_t depth;
	bool has_member[JSON_DEPTH_MAX];
};

void json_object_begin(struct json *json);
void json_object_end(struct json *json);
void json_array_begin(struct json *json);
void json_array_end(struct json *json);
void json_key(struct json *json, const char *key);

/* Valid UTF-8 in, escaped out: '"', '\\' and control characters; nothing else. */
void json_span(struct json *json, struct span text);
void json_joined(struct json *json, const struct span *parts, size_t n_parts); /* one string */
void json_text(struct json *json, const char *text);
void json_bool(struct json *json, bool value);
void json_uint(struct json *json, uint64_t value);
void json_int(struct json *json, int64_t value);

/* The shortest of %.15g, %.16g, %.17g that reads back to the same double. value is finite. */
void json_double(struct json *json, double value);

/* A key and its value. */
void json_key_span(struct json *json, const char *key, struct span text);
void json_key_text(struct json *json, const char *key, const char *text);
void json_key_bool(struct json *json, const char *key, bool value);
void json_key_uint(struct json *json, const char *key, uint64_t value);
void json_key_int(struct json *json, const char *key, int64_t value);
void json_key_double(struct json *json, const char *key, double value);

/* Any bytes as text: what is not printable ASCII becomes \xHH (written "\\xHH"). */
void json_escaped_bytes(struct json *json, struct span bytes);

void json_newline(struct json *json);

/* Writes the text out, and flushes it. 0, -ENOMEM when it is not whole, or -EIO. */
int json_write(const struct json *json, FILE *file);

/* Forgets the text, keeps the memory. */
void json_reset(struct json *json);
void json_done(struct json *json);

#endif
