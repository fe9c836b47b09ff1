/* SPDX-License-Identifier: BSD-3-Clause */
#include "wire/json.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define CAPACITY_MIN ((size_t)4 << 10)

/* Whole numbers up to here are written digit by digit: the text is what %.15g gives. */
#define WHOLE_MAX 1e15

/* Room for size more bytes, or NULL for good. */
static char *
reserve(struct json *json, size_t size)
{
	size_t capacity = json->capacity != 0 ? json->capacity : CAPACITY_MIN;
	char *text;

	if (json->failed)
		return NULL;
	if (size <= json->capacity - json->size)
		return json->text + json->size;
	while (capacity - json->size < size)
		capacity *= 2;
	text = realloc(json->text, capacity);
	if (text == NULL) {
		json->failed = true;
		return NULL;
	}
	json->text = text;
	json->capacity = capacity;
	return text + json->size;
}

static void
append(struct json *json, const void *bytes, size_t size)
{
	char *at = reserve(json, size);

	if (at == NULL || size == 0)
		return;
	memcpy(at, bytes, size);
	json->size += size;
}

static void
append_byte(struct json *json, char byte)
{
	append(json, &byte, 1);
}

/* The comma before a value, unless it is the first of its array or belongs to a key. */
static void
begin_value(struct json *json)
{
	if (json->has_member[json->depth])
		append_byte(json, ',');
	json->has_member[json->depth] = true;
}

static void
begin_nested(struct json *json, char bracket)
{
	assert(json->depth + 1 < JSON_DEPTH_MAX);
	begin_value(json);
	append_byte(json, bracket);
	json->has_member[++json->depth] = false;
}

static void
end_nested(struct json *json, char bracket)
{
	assert(json->depth > 0);
	json->depth--;
	append_byte(json, bracket);
}

void
json_object_begin(struct json *json)
{
	begin_nested(json, '{');
}

void
json_object_end(struct json *json)
{
	end_nested(json, '}');
}

void
json_array_begin(struct json *json)
{
	begin_nested(json, '[');
}

void
json_array_end(struct json *json)
{
	end_nested(json, ']');
}

/* RFC 8259 section 7: what must be escaped, in its short form where there is one. */
static void
append_escape(struct json *json, uint8_t byte)
{
	static const char short_form[256] = {['"'] = '"',
		['\\'] = '\\',
		['\b'] = 'b',
		['\t'] = 't',
		['\n'] = 'n',
		['\f'] = 'f',
		['\r'] = 'r'};
	static const char digit[] = "0123456789abcdef";
	char text[6] = {'\\', 'u', '0', '0', digit[byte >> 4], digit[byte & 15]};

	if (short_form[byte] != 0)
		text[1] = short_form[byte];
	append(json, text, text[1] == 'u' ? 6 : 2);
}

static bool
must_escape(uint8_t byte)
{
	return byte < 0x20 || byte == '"' || byte == '\\';
}

static void
append_escaped(struct json *json, struct span text)
{
	size_t from = 0;

	for (size_t i = 0; i < text.size; i++) {
		if (!must_escape(text.data[i]))
			continue;
		append(json, text.data + from, i - from);
		append_escape(json, text.data[i]);
		from = i + 1;
	}
	if (from < text.size)
		append(json, text.data + from, text.size - from);
}

static void
append_quoted(struct json *json, struct span text)
{
	append_byte(json, '"');
	append_escaped(json, text);
	append_byte(json, '"');
}

void
json_key(struct json *json, const char *key)
{
	begin_value(json);
	append_quoted(json, span_from_string(key));
	append_byte(json, ':');
	json->has_member[json->depth] = false; /* no comma between a key and its value */
}

void
json_span(struct json *json, struct span text)
{
	begin_value(json);
	append_quoted(json, text);
}

void
json_joined(struct json *json, const struct span *parts, size_t n_parts)
{
	begin_value(json);
	append_byte(json, '"');
	for (size_t i = 0; i < n_parts; i++)
		append_escaped(json, parts[i]);
	append_byte(json, '"');
}

void
json_text(struct json *json, const char *text)
{
	json_span(json, span_from_string(text));
}

void
json_bool(struct json *json, bool value)
{
	begin_value(json);
	append(json, value ? "true" : "false", value ? 4 : 5);
}

/* Decimal digits of value, ending at end; returns where they begin. */
static char *
write_digits(char *end, uint64_t value)
{
	do {
		*--end = (char)('0' + value % 10);
		value /= 10;
	} while (value != 0);
	return end;
}

static void
append_whole(struct json *json, uint64_t magnitude, bool is_negative)
{
	char text[24], *end = text + sizeof(text), *at = write_digits(end, magnitude);

	if (is_negative)
		*--at = '-';
	append(json, at, (size_t)(end - at));
}

void
json_uint(struct json *json, uint64_t value)
{
	begin_value(json);
	append_whole(json, value, false);
}

void
json_int(struct json *json, int64_t value)
{
	begin_value(json);
	append_whole(json, value < 0 ? -(uint64_t)value : (uint64_t)value, value < 0);
}

/* printf writes the decimal point of the locale, which may be several bytes: all that is not part
 * of a number becomes one '.'. */
static void
append_number_text(struct json *json, const char *text)
{
	bool in_point = false;

	for (; *text != '\0'; text++) {
		bool is_number = (*text >= '0' && *text <= '9') || *text == '-' || *text == '+' ||
			*text == 'e';

		if (is_number)
			append_byte(json, *text);
		else if (!in_point)
			append_byte(json, '.');
		in_point = !is_number;
	}
}

void
json_double(struct json *json, double value)
{
	char text[48];

	assert(isfinite(value));
	begin_value(json);
	if (fabs(value) < WHOLE_MAX && value == trunc(value) && (value != 0 || !signbit(value))) {
		append_whole(json, (uint64_t)fabs(value), value < 0);
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	append_number_text(json, text);
}

void
json_key_span(struct json *json, const char *key, struct span text)
{
	json_key(json, key);
	json_span(json, text);
}

void
json_key_text(struct json *json, const char *key, const char *text)
{
	json_key(json, key);
	json_text(json, text);
}

void
json_key_bool(struct json *json, const char *key, bool value)
{
	json_key(json, key);
	json_bool(json, value);
}

void
json_key_uint(struct json *json, const char *key, uint64_t value)
{
	json_key(json, key);
	json_uint(json, value);
}

void
json_key_int(struct json *json, const char *key, int64_t value)
{
	json_key(json, key);
	json_int(json, value);
}

void
json_key_double(struct json *json, const char *key, double value)
{
	json_key(json, key);
	json_double(json, value);
}

void
json_escaped_bytes(struct json *json, struct span bytes)
{
	static const char digit[] = "0123456789abcdef";

	begin_value(json);
	append_byte(json, '"');
	for (size_t i = 0; i < bytes.size; i++) {
		uint8_t byte = bytes.data[i];

		if (byte < 0x20 || byte > 0x7e) {
			char text[5] = {'\\', '\\', 'x', digit[byte >> 4], digit[byte & 15]};

			append(json, text, sizeof(text));
		} else if (must_escape(byte)) {
			append_escape(json, byte);
		} else {
			append_byte(json, (char)byte);
		}
	}
	append_byte(json, '"');
}

/* Ends one text: the next value starts a new one. */
void
json_newline(struct json *json)
{
	append_byte(json, '\n');
	json->has_member[json->depth] = false;
}

int
json_write(const struct json *json, FILE *file)
{
	if (json->failed)
		return -ENOMEM;
	return fwrite(json->text, json->size, 1, file) == 1 && fflush(file) == 0 ? 0 : -EIO;
}

void
json_reset(struct json *json)
{
	json->size = 0;
	json->failed = false;
	json->depth = 0;
	json->has_member[0] = false;
}

void
json_done(struct json *json)
{
	free(json->text);
	*json = (struct json){0};
}
