/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockd/setting_print.h"

#include <inttypes.h>
#include <stdlib.h>

#include "conf/value.h"

/* The character at text, which is valid UTF-8. */
static uint32_t
character(const char *text, size_t *ret_size)
{
	const uint8_t *byte = (const uint8_t *)text;

	if (byte[0] < 0x80) {
		*ret_size = 1;
		return byte[0];
	}
	if (byte[0] < 0xe0) {
		*ret_size = 2;
		return (byte[0] & 0x1fu) << 6 | (byte[1] & 0x3fu);
	}
	if (byte[0] < 0xf0) {
		*ret_size = 3;
		return (byte[0] & 0x0fu) << 12 | (byte[1] & 0x3fu) << 6 | (byte[2] & 0x3fu);
	}
	*ret_size = 4;
	return (byte[0] & 0x07u) << 18 | (byte[1] & 0x3fu) << 12 | (byte[2] & 0x3fu) << 6 |
		(byte[3] & 0x3fu);
}

/* What YAML 1.1 section 4.1 does not print as it is, or takes for the end of a line. */
static bool
needs_escape(uint32_t c)
{
	return c == '"' || c == '\\' || c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 ||
		c == 0x2029 || c == 0xfeff || c == 0xfffe || c == 0xffff;
}

static void
print_text(const char *text, FILE *out)
{
	size_t size;

	fputc('"', out);
	for (; *text != '\0'; text += size) {
		uint32_t c = character(text, &size);

		if (needs_escape(c))
			fprintf(out, "\\u%04" PRIx32, c);
		else
			fwrite(text, 1, size, out);
	}
	fputc('"', out);
}

static void
print_list(const struct string_list *list, FILE *out)
{
	fputc('[', out);
	for (size_t i = 0; i < list->n; i++) {
		fputs(i == 0 ? "" : ", ", out);
		print_text(list->item[i], out);
	}
	fputc(']', out);
}

static void
print_value(const struct setting *row, const void *field, FILE *out)
{
	char text[32];

	switch (row->kind) {
	case SETTING_BOOL:
		fputs(*(const bool *)field ? "true" : "false", out);
		return;
	case SETTING_UINT32:
	case SETTING_SECONDS:
		fprintf(out, "%" PRIu32, *(const uint32_t *)field);
		return;
	case SETTING_UINT64:
		fprintf(out, "%" PRIu64, *(const uint64_t *)field);
		return;
	case SETTING_SIZE:
		value_size_text(*(const uint64_t *)field, text, sizeof(text));
		fputs(text, out);
		return;
	case SETTING_MODE:
		fprintf(out, "0%" PRIo32, *(const uint32_t *)field);
		return;
	case SETTING_ENUM:
		fputs(row->names[*(const int *)field], out);
		return;
	case SETTING_CORES:
		fputs(*(char *const *)field, out);
		return;
	case SETTING_STRINGS:
		print_list(field, out);
		return;
	default:
		print_text(*(char *const *)field, out);
		return;
	}
}

char *
setting_value_text(const struct setting *row, const void *field)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return NULL;
	print_value(row, field, out);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

static void print_rows(const struct setting_table *table, const void *target, int column,
	bool is_item, FILE *out);

static void
print_objects(const struct setting *row, const struct object_list *list, int column, FILE *out)
{
	fputs(list->n == 0 ? " []\n" : "\n", out);
	for (size_t i = 0; i < list->n; i++)
		print_rows(row->table, (const char *)list->item + i * row->table->size, column + 4,
			true, out);
}

static void
print_row(const struct setting *row, const void *target, int column, FILE *out)
{
	const void *field = (const char *)target + row->offset;

	switch (row->kind) {
	case SETTING_OBJECT:
		fputc('\n', out);
		print_rows(row->table, target, column + 2, false, out);
		return;
	case SETTING_OBJECTS:
		print_objects(row, field, column, out);
		return;
	default:
		fputc(' ', out);
		print_value(row, field, out);
		fputc('\n', out);
		return;
	}
}

/* Names begin at column; the first of an item has its "- " before that. */
static void
print_rows(const struct setting_table *table, const void *target, int column, bool is_item,
	FILE *out)
{
	for (const struct setting *row = table->row; row->name != NULL; row++) {
		bool has_value = row->value != NULL || row->kind == SETTING_OBJECT ||
			row->kind == SETTING_OBJECTS;

		if (row->agent == SETTING_UNSUPPORTED || !has_value)
			continue;
		if (is_item && row == table->row)
			fprintf(out, "%*s- ", column - 2, "");
		else
			fprintf(out, "%*s", column, "");
		fprintf(out, "%s:", row->name);
		print_row(row, target, column, out);
	}
}

void
setting_print(const struct setting_table *table, const void *target, FILE *out)
{
	print_rows(table, target, 0, false, out);
}
