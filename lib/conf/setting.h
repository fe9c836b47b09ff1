/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Settings as tables of rows: one row says all there is to say about a setting, and reading,
 * checking, printing and the documentation are made from it.
 */
#ifndef CONF_SETTING_H
#define CONF_SETTING_H

#include "conf/conf.h"
#include "conf/warnings.h"

/* The kind of a setting, and the type of the field that it is kept in. */
enum setting_kind {
	SETTING_BOOL, /* bool: true false yes no on off */
	SETTING_UINT32, /* uint32_t */
	SETTING_UINT64, /* uint64_t */
	SETTING_SIZE, /* uint64_t, bytes: 268435456, 256MiB, 256M, 64k; units are powers of 1024 */
	SETTING_SECONDS, /* uint32_t: 90, 90s, 2m, 1h */
	SETTING_MODE, /* uint32_t, always octal: 0722 */
	SETTING_STRING, /* char *, never NULL; valid UTF-8 */
	SETTING_ENUM, /* int: index into names */
	SETTING_CORES, /* char *: a word, a count, or a list "[2,3]" (from a list, or from "2,3") */
	SETTING_STRINGS, /* struct string_list; one text is split at spaces, as the Agent does */
	SETTING_OBJECT, /* rows of their own, in the same struct */
	SETTING_OBJECTS, /* struct object_list of structs with rows of their own */
	SETTING_KIND_COUNT,
};

/* Where a setting comes from, and how it compares there. */
enum setting_agent {
	SETTING_OWN, /* Penstock's */
	SETTING_SAME, /* the Datadog Agent's name, meaning and default */
	SETTING_DIFFERS, /* … with the difference that note tells */
	SETTING_UNSUPPORTED, /* the Agent's, no effect here; only name and help. A name that ends
				in '*' stands for all that begin like it */
};

struct string_list {
	char **item;
	size_t n;
};

struct object_list {
	void *item; /* n structs of the table's size */
	size_t n;
};

/* First member of each struct of a SETTING_OBJECTS list: where it stands in the file. */
struct conf_place {
	uint32_t line, column;
};

enum setting_verdict {
	SETTING_FITS,
	SETTING_WRONG, /* refused */
	SETTING_LEFT_OUT, /* an item of a list: a warning, and the list goes on without it */
};

#define SETTING_WHY_SIZE 256

struct setting_table;

struct setting {
	const char *name;
	enum setting_kind kind;
	enum setting_agent agent;
	size_t offset; /* of the field in the struct */
	const char *value; /* default, as text; NULL: another row's default holds, not printed */
	uint64_t min, max; /* of numbers */
	const char *const *names; /* of an enum, ends in NULL */
	const struct setting_table *table; /* of an object */
	/* Of a string, and of each item of a list of strings: says what is wrong in why. */
	enum setting_verdict (*check)(const char *text, char why[SETTING_WHY_SIZE]);
	bool null_is_text; /* the word null is a value like others */
	bool can_reload; /* takes a new value while the program runs */
	const char *help;
	const char *note; /* bounds in words, or how it differs from the Agent's */
};

struct setting_table {
	const char *what; /* "a port" */
	const struct setting *row; /* ends in a row without a name */
	size_t size; /* of the struct of a SETTING_OBJECTS list */
	bool unknown_is_warning; /* else an unknown key is refused */
};

/* Where values are read from and where complaints go. */
struct setting_source {
	const char *file;
	struct warnings *warnings;
	struct conf_error *error;
};

/* The row of that name, exactly or by its '*', or NULL. */
const struct setting *setting_find(const struct setting_table *table, const char *name);

/* Gives every field its default; the struct was zeroed before. 0, -ENOMEM, or -EINVAL where a
 * default breaks its own row. Give it back with setting_free. */
int setting_defaults(const struct setting_table *table, void *target,
	const struct setting_source *source);

/* Sets what the mapping gives; a null leaves a setting as it is. 0, -ENOMEM, or -EINVAL. What was
 * set before an error stays set. */
int setting_read(const struct setting_table *table, void *target, const struct conf_node *map,
	const struct setting_source *source);

/* Sets one setting (not an object) from the text of an environment variable; source->file names
 * it. The text is valid UTF-8. */
int setting_read_text(const struct setting *row, void *target, const char *text,
	const struct setting_source *source);

/* The warning that a SETTING_UNSUPPORTED key gets. */
void setting_warn_unsupported(const char *key, uint32_t line, uint32_t column,
	const struct setting_source *source);

/* Frees all strings and lists. Zeroes nothing else. */
void setting_free(const struct setting_table *table, void *target);

/* 0 or -ENOMEM; list is unchanged then. */
int string_list_add(struct string_list *list, const char *text);
void string_list_free(struct string_list *list);

#endif
