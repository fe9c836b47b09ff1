/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockd/setting_compare.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "penstockd/setting_print.h"

#define PATH_SIZE 128 /* of the deepest: "penstock: ports[31]: addresses" */

struct comparison {
	setting_differs differs;
	void *context;
};

static int compare_rows(const struct comparison *comparison, const struct setting_table *table,
	const void *before, const void *after, const char *path);

/* Printed alike is alike: what is printed reads back to the same value. */
static int
compare_value(const struct comparison *comparison, const struct setting *row, const void *before,
	const void *after, const char *path)
{
	char *was = setting_value_text(row, before), *is = setting_value_text(row, after);
	int result = was != NULL && is != NULL ? 0 : -ENOMEM;

	if (result == 0 && strcmp(was, is) != 0)
		comparison->differs(comparison->context, row, path, was, is);
	free(was);
	free(is);
	return result;
}

static int
compare_objects(const struct comparison *comparison, const struct setting *row,
	const struct object_list *before, const struct object_list *after, const char *path)
{
	char item[PATH_SIZE], was[32], is[32];
	int result = 0;

	if (before->n != after->n) {
		snprintf(was, sizeof(was), "%zu items", before->n);
		snprintf(is, sizeof(is), "%zu items", after->n);
		comparison->differs(comparison->context, row, path, was, is);
		return 0;
	}
	for (size_t i = 0; result == 0 && i < before->n; i++) {
		size_t offset = i * row->table->size;

		snprintf(item, sizeof(item), "%.64s[%zu]: ", path, i);
		result = compare_rows(comparison, row->table, (const char *)before->item + offset,
			(const char *)after->item + offset, item);
	}
	return result;
}

static int
compare_row(const struct comparison *comparison, const struct setting *row, const void *before,
	const void *after, const char *path)
{
	const char *was = (const char *)before + row->offset;
	const char *is = (const char *)after + row->offset;
	char name[PATH_SIZE];

	snprintf(name, sizeof(name), "%s%s%s", path, row->name,
		row->kind == SETTING_OBJECT ? ": " : "");
	if (row->kind == SETTING_OBJECT)
		return compare_rows(comparison, row->table, before, after, name);
	if (row->kind == SETTING_OBJECTS)
		return compare_objects(comparison, row, (const void *)was, (const void *)is, name);
	/* Without a default of its own it is another name for a setting that is compared. */
	return row->value != NULL ? compare_value(comparison, row, was, is, name) : 0;
}

static int
compare_rows(const struct comparison *comparison, const struct setting_table *table,
	const void *before, const void *after, const char *path)
{
	int result = 0;

	for (const struct setting *row = table->row; result == 0 && row->name != NULL; row++)
		if (row->agent != SETTING_UNSUPPORTED)
			result = compare_row(comparison, row, before, after, path);
	return result;
}

int
setting_compare(const struct setting_table *table, const void *before, const void *after,
	setting_differs differs, void *context)
{
	const struct comparison comparison = {differs, context};

	return compare_rows(&comparison, table, before, after, "");
}
