/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A YAML 1.1 file as a small tree in which every node knows where it stands.
 *
 * The file is untrusted. Refused are: anchors, aliases and tags (a few bytes could stand for
 * gigabytes), a key given twice, a second document, keys that are not plain words, text that is not
 * UTF-8 or holds a NUL, and anything beyond the limits below.
 */
#ifndef CONF_CONF_H
#define CONF_CONF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/span.h"
#include "mem/arena.h"

#define CONF_SIZE_MAX (1 << 20) /* bytes of a file */
#define CONF_DEPTH_MAX 16 /* mappings and lists inside each other */
#define CONF_KEYS_MAX 1000 /* of one mapping */

/* Why something was refused, or a warning. */
struct conf_error {
	char file[256]; /* or an environment variable */
	uint32_t line, column; /* from 1; 0 where there is no such place */
	char text[512];
};

enum conf_kind {
	CONF_SCALAR,
	CONF_LIST,
	CONF_MAP,
};

struct conf_node {
	enum conf_kind kind;
	bool is_plain; /* a scalar without quotes */
	uint32_t line, column; /* of the value, from 1; column in characters */
	uint32_t key_line, key_column;
	const char *key; /* in a mapping, else NULL */
	const char *text; /* of a scalar, else NULL; valid UTF-8 without NUL inside */
	struct conf_node *first; /* child, in the file's order */
	struct conf_node *next; /* sibling */
};

struct conf {
	struct arena arena;
	struct conf_node *root; /* NULL when the file holds no document */
	const char *file;
};

/* Parses text; file is its name in errors. 0 (give it back with conf_free), or with error filled:
 * -EINVAL, -ENOMEM. */
int conf_parse(struct span text, const char *file, struct conf *ret_conf, struct conf_error *error);

/* The same from a file. Also -ENOENT, -EACCES, … as open and read have it. */
int conf_read(const char *path, struct conf *ret_conf, struct conf_error *error);

void conf_free(struct conf *conf);

/* The child of that key, or NULL; map may be NULL or not a mapping. */
const struct conf_node *conf_find(const struct conf_node *map, const char *key);

/* No value: nothing after the colon, "~" or "null". */
bool conf_is_null(const struct conf_node *node);

/* Fills error and returns -EINVAL, so that a caller can return it. */
int conf_refuse(struct conf_error *error, const char *file, uint32_t line, uint32_t column,
	const char *format, ...) printf_like(5, 6);

/* Writes "file:line:column: text", or "file: text". */
void conf_error_text(const struct conf_error *error, char *text, size_t size);

/* Writes text in quotes for a message: cut to a readable length, what is not printable ASCII or
 * UTF-8 replaced. Returns out, which has room for CONF_QUOTED_SIZE bytes. */
#define CONF_QUOTED_SIZE 64
const char *conf_quote(const char *text, char *out);

#endif
