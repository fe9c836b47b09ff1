/* SPDX-License-Identifier: BSD-3-Clause */
#include "conf/setting.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "conf/nearest.h"
#include "conf/value.h"

#define OBJECTS_MAX 64 /* in one list */
#define STRINGS_MAX 1024 /* in one list */

static void *
field_of(const struct setting *row, void *target)
{
	return (char *)target + row->offset;
}

static int
out_of_memory(const struct setting_source *source)
{
	conf_refuse(source->error, source->file, 0, 0, "not enough memory");
	return -ENOMEM;
}

static int
refuse_kind(const struct setting *row, const struct conf_node *node,
	const struct setting_source *source)
{
	static const char *const kind[] = {"a single value", "a list", "a mapping"};
	char expected[SETTING_WHY_SIZE];

	value_expected(row, expected, sizeof(expected));
	return conf_refuse(source->error, source->file, node->line, node->column,
		"%s: expected %s, not %s", row->name, expected, kind[node->kind]);
}

const struct setting *
setting_find(const struct setting_table *table, const char *name)
{
	for (const struct setting *row = table->row; row->name != NULL; row++) {
		size_t size = strlen(row->name);

		if (strcmp(row->name, name) == 0)
			return row;
		if (row->name[size - 1] == '*' && strncmp(row->name, name, size - 1) == 0)
			return row;
	}
	return NULL;
}

int
string_list_add(struct string_list *list, const char *text)
{
	char **item = realloc(list->item, (list->n + 1) * sizeof(*item));

	if (item == NULL)
		return -ENOMEM;
	list->item = item;
	item[list->n] = strdup(text);
	if (item[list->n] == NULL)
		return -ENOMEM;
	list->n++;
	return 0;
}

void
string_list_free(struct string_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->item[i]);
	free(list->item);
	*list = (struct string_list){0};
}

/* Adds one item unless its row's check keeps it out. Line 0 stands for a place without one. */
static int
add_string(const struct setting *row, struct string_list *list, const char *text,
	struct conf_place place, const struct setting_source *source)
{
	enum setting_verdict verdict = SETTING_FITS;
	char why[SETTING_WHY_SIZE];

	if (list->n == STRINGS_MAX)
		return conf_refuse(source->error, source->file, place.line, place.column,
			"%s: more than %d items", row->name, STRINGS_MAX);
	if (row->check != NULL)
		verdict = row->check(text, why);
	if (verdict == SETTING_WRONG)
		return conf_refuse(source->error, source->file, place.line, place.column, "%s: %s",
			row->name, why);
	if (verdict == SETTING_LEFT_OUT) {
		warnings_add(source->warnings, source->file, place.line, place.column, "%s: %s",
			row->name, why);
		return 0;
	}
	return string_list_add(list, text) == 0 ? 0 : out_of_memory(source);
}

/* Splits one text at white space. */
static int
add_words(const struct setting *row, struct string_list *list, const char *text,
	struct conf_place place, const struct setting_source *source)
{
	char *copy = strdup(text), *rest = copy, *word;
	int error = 0;

	if (copy == NULL)
		return out_of_memory(source);
	while (error == 0 && (word = strsep(&rest, " \t\r\n")) != NULL)
		if (*word != '\0')
			error = add_string(row, list, word, place, source);
	free(copy);
	return error;
}

static int
add_items(const struct setting *row, struct string_list *list, const struct conf_node *node,
	const struct setting_source *source)
{
	for (const struct conf_node *item = node->first; item != NULL; item = item->next) {
		struct conf_place place = {item->line, item->column};
		int error;

		if (item->kind != CONF_SCALAR)
			return conf_refuse(source->error, source->file, item->line, item->column,
				"%s: expected a text as item of the list", row->name);
		if (conf_is_null(item))
			return conf_refuse(source->error, source->file, item->line, item->column,
				"%s: an empty item in the list", row->name);
		error = add_string(row, list, item->text, place, source);
		if (error != 0)
			return error;
	}
	return 0;
}

static int
read_strings(const struct setting *row, struct string_list *field, const struct conf_node *node,
	const struct setting_source *source)
{
	struct string_list list = {0};
	int error;

	if (node->kind == CONF_MAP)
		return refuse_kind(row, node, source);
	if (node->kind == CONF_LIST)
		error = add_items(row, &list, node, source);
	else
		error = add_words(row, &list, node->text,
			(struct conf_place){node->line, node->column}, source);
	if (error != 0) {
		string_list_free(&list);
		return error;
	}
	string_list_free(field);
	*field = list;
	return 0;
}

static int
read_text(const struct setting *row, void *field, const char *text, struct conf_place place,
	const struct setting_source *source)
{
	char why[SETTING_WHY_SIZE];
	int error = value_read(row, text, field, why);

	if (error == -ENOMEM)
		return out_of_memory(source);
	if (error != 0)
		return conf_refuse(source->error, source->file, place.line, place.column, "%s: %s",
			row->name, why);
	return 0;
}

/* A YAML list of cores becomes the text of one. */
static int
read_core_list(const struct setting *row, char **field, const struct conf_node *node,
	const struct setting_source *source)
{
	struct conf_place place = {node->line, node->column};
	char text[2048] = "[";
	size_t used = 1;

	for (const struct conf_node *item = node->first; item != NULL; item = item->next) {
		if (item->kind != CONF_SCALAR || strpbrk(item->text, ",[]") != NULL)
			return conf_refuse(source->error, source->file, item->line, item->column,
				"%s: expected a core's number", row->name);
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", item->text,
			item->next != NULL ? "," : "");
		if (used + 2 > sizeof(text))
			return conf_refuse(source->error, source->file, item->line, item->column,
				"%s: too many cores", row->name);
	}
	snprintf(text + used, sizeof(text) - used, "]");
	return read_text(row, field, text, place, source);
}

static int
read_object(const struct setting_table *table, struct object_list *list,
	const struct conf_node *node, const struct setting_source *source)
{
	void *item = realloc(list->item, (list->n + 1) * table->size), *object;
	int error;

	if (item == NULL)
		return out_of_memory(source);
	list->item = item;
	object = (char *)item + list->n * table->size;
	memset(object, 0, table->size);
	*(struct conf_place *)object = (struct conf_place){node->line, node->column};
	list->n++;
	error = setting_defaults(table, object, source);
	return error != 0 ? error : setting_read(table, object, node, source);
}

static void
free_objects(const struct setting_table *table, struct object_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		setting_free(table, (char *)list->item + i * table->size);
	free(list->item);
	*list = (struct object_list){0};
}

static int
read_objects(const struct setting *row, struct object_list *field, const struct conf_node *node,
	const struct setting_source *source)
{
	struct object_list list = {0};
	int error = 0;

	if (node->kind != CONF_LIST)
		return refuse_kind(row, node, source);
	for (const struct conf_node *item = node->first; item != NULL && error == 0;
		item = item->next) {
		if (item->kind != CONF_MAP)
			error = conf_refuse(source->error, source->file, item->line, item->column,
				"%s: expected a mapping that describes %s", row->name,
				row->table->what);
		else if (list.n == OBJECTS_MAX)
			error = conf_refuse(source->error, source->file, item->line, item->column,
				"%s: more than %d items", row->name, OBJECTS_MAX);
		else
			error = read_object(row->table, &list, item, source);
	}
	if (error != 0) {
		free_objects(row->table, &list);
		return error;
	}
	free_objects(row->table, field);
	*field = list;
	return 0;
}

static int
read_row(const struct setting *row, void *target, const struct conf_node *node,
	const struct setting_source *source)
{
	struct conf_place place = {node->line, node->column};

	if (conf_is_null(node) && !(row->null_is_text && node->text[0] == 'n'))
		return 0;
	switch (row->kind) {
	case SETTING_STRINGS:
		return read_strings(row, field_of(row, target), node, source);
	case SETTING_OBJECTS:
		return read_objects(row, field_of(row, target), node, source);
	case SETTING_OBJECT:
		if (node->kind != CONF_MAP)
			return refuse_kind(row, node, source);
		return setting_read(row->table, target, node, source);
	default:
		break;
	}
	if (row->kind == SETTING_CORES && node->kind == CONF_LIST)
		return read_core_list(row, field_of(row, target), node, source);
	if (node->kind != CONF_SCALAR)
		return refuse_kind(row, node, source);
	return read_text(row, field_of(row, target), node->text, place, source);
}

static int
unknown_key(const struct setting_table *table, const struct conf_node *node,
	const struct setting_source *source)
{
	struct nearest nearest = {.name = node->key};
	char text[256], quoted[CONF_QUOTED_SIZE];

	for (const struct setting *row = table->row; row->name != NULL; row++)
		if (row->agent != SETTING_UNSUPPORTED)
			nearest_offer(&nearest, row->name);
	if (nearest.best != NULL)
		snprintf(text, sizeof(text), "%s is not a setting of %s; did you mean '%s'?",
			conf_quote(node->key, quoted), table->what, nearest.best);
	else
		snprintf(text, sizeof(text), "%s is not a setting of %s",
			conf_quote(node->key, quoted), table->what);
	if (!table->unknown_is_warning)
		return conf_refuse(source->error, source->file, node->key_line, node->key_column,
			"%s", text);
	warnings_add(source->warnings, source->file, node->key_line, node->key_column,
		"it has no effect: %s", text);
	return 0;
}

int
setting_defaults(const struct setting_table *table, void *target,
	const struct setting_source *source)
{
	for (const struct setting *row = table->row; row->name != NULL; row++) {
		int error = 0;

		if (row->agent == SETTING_UNSUPPORTED)
			continue;
		if (row->kind == SETTING_OBJECT)
			error = setting_defaults(row->table, target, source);
		else if (row->value != NULL)
			error = setting_read_text(row, target, row->value, source);
		if (error != 0)
			return error;
	}
	return 0;
}

int
setting_read(const struct setting_table *table, void *target, const struct conf_node *map,
	const struct setting_source *source)
{
	/* In the order of the rows: where two set the same field, the later row wins. */
	for (const struct setting *row = table->row; row->name != NULL; row++) {
		const struct conf_node *node = conf_find(map, row->name);
		int error;

		if (node == NULL || row->agent == SETTING_UNSUPPORTED)
			continue;
		error = read_row(row, target, node, source);
		if (error != 0)
			return error;
	}
	for (const struct conf_node *node = map->first; node != NULL; node = node->next) {
		const struct setting *row = setting_find(table, node->key);
		int error;

		if (row == NULL) {
			error = unknown_key(table, node, source);
			if (error != 0)
				return error;
		} else if (row->agent == SETTING_UNSUPPORTED) {
			setting_warn_unsupported(node->key, node->key_line, node->key_column,
				source);
		}
	}
	return 0;
}

void
setting_warn_unsupported(const char *key, uint32_t line, uint32_t column,
	const struct setting_source *source)
{
	warnings_add(source->warnings, source->file, line, column,
		"%s is a setting of the Datadog Agent that Penstock does not support yet; it has "
		"no effect",
		key);
}

int
setting_read_text(const struct setting *row, void *target, const char *text,
	const struct setting_source *source)
{
	struct conf_place place = {0};
	struct string_list list = {0};
	int error;

	if (row->kind != SETTING_STRINGS)
		return read_text(row, field_of(row, target), text, place, source);
	error = add_words(row, &list, text, place, source);
	if (error != 0) {
		string_list_free(&list);
		return error;
	}
	string_list_free(field_of(row, target));
	*(struct string_list *)field_of(row, target) = list;
	return 0;
}

void
setting_free(const struct setting_table *table, void *target)
{
	for (const struct setting *row = table->row; row->name != NULL; row++) {
		void *field = field_of(row, target);

		if (row->agent == SETTING_UNSUPPORTED)
			continue;
		switch (row->kind) {
		case SETTING_STRING:
		case SETTING_CORES:
			free(*(char **)field);
			*(char **)field = NULL;
			break;
		case SETTING_STRINGS:
			string_list_free(field);
			break;
		case SETTING_OBJECT:
			setting_free(row->table, target);
			break;
		case SETTING_OBJECTS:
			free_objects(row->table, field);
			break;
		default:
			break;
		}
	}
}
