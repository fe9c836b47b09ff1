/* SPDX-License-Identifier: BSD-3-Clause */
#include "conf/value.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "conf/nearest.h"

#define CORE_MAX 4095
#define CORES_MAX 256 /* in one list */
#define CORES_TEXT_SIZE (CORES_MAX * sizeof(",4095") + 2)

/* Powers of 1024 only: "MB" means what it means to the Agent. */
static const struct {
	const char *text;
	unsigned shift;
} size_unit[] = {
	{"", 0},
	{"b", 0},
	{"k", 10},
	{"kb", 10},
	{"kib", 10},
	{"m", 20},
	{"mb", 20},
	{"mib", 20},
	{"g", 30},
	{"gb", 30},
	{"gib", 30},
	{"t", 40},
	{"tb", 40},
	{"tib", 40},
};

static const struct {
	const char *text;
	uint64_t seconds;
} duration_unit[] = {
	{"", 1},
	{"s", 1},
	{"m", 60},
	{"h", 3600},
};

/* Decimal digits without sign or leading zero (which YAML 1.1 would take for octal). The end is
 * where they end; false when there are none, or too many for 64 bits. */
static bool
read_digits(const char *text, const char **ret_end, uint64_t *ret_number)
{
	uint64_t number = 0;
	const char *at = text;

	for (; *at >= '0' && *at <= '9'; at++) {
		unsigned digit = (unsigned)(*at - '0');

		if (number > (UINT64_MAX - digit) / 10)
			return false;
		number = number * 10 + digit;
	}
	if (at == text || (text[0] == '0' && at - text > 1))
		return false;
	*ret_end = at;
	*ret_number = number;
	return true;
}

static bool
read_number(const char *text, uint64_t *ret_number)
{
	const char *end;

	return read_digits(text, &end, ret_number) && *end == '\0';
}

static bool
read_size(const char *text, uint64_t *ret_size)
{
	const char *unit;
	uint64_t number;

	if (!read_digits(text, &unit, &number))
		return false;
	while (*unit == ' ')
		unit++;
	for (size_t i = 0; i < ARRAY_LENGTH(size_unit); i++) {
		if (strcasecmp(unit, size_unit[i].text) != 0)
			continue;
		if (number > UINT64_MAX >> size_unit[i].shift)
			return false;
		*ret_size = number << size_unit[i].shift;
		return true;
	}
	return false;
}

static bool
read_duration(const char *text, uint64_t *ret_seconds)
{
	const char *unit;
	uint64_t number;

	if (!read_digits(text, &unit, &number))
		return false;
	for (size_t i = 0; i < ARRAY_LENGTH(duration_unit); i++) {
		if (strcmp(unit, duration_unit[i].text) != 0)
			continue;
		if (number > UINT32_MAX)
			return false;
		*ret_seconds = number * duration_unit[i].seconds;
		return true;
	}
	return false;
}

/* "0722", "722" and "0o722" are one. */
static bool
read_mode(const char *text, uint64_t *ret_mode)
{
	uint64_t mode = 0;
	size_t n = 0;

	if (text[0] == '0' && text[1] == 'o')
		text += 2;
	for (; text[n] >= '0' && text[n] <= '7' && n < 8; n++)
		mode = mode * 8 + (unsigned)(text[n] - '0');
	if (n == 0 || text[n] != '\0')
		return false;
	*ret_mode = mode;
	return true;
}

static bool
read_bool(const char *text, bool *ret_bool)
{
	static const char *const yes[] = {"true", "yes", "on", "y", "t", "1"};
	static const char *const no[] = {"false", "no", "off", "n", "f", "0"};

	for (size_t i = 0; i < ARRAY_LENGTH(yes); i++) {
		if (strcasecmp(text, yes[i]) == 0 || strcasecmp(text, no[i]) == 0) {
			*ret_bool = strcasecmp(text, yes[i]) == 0;
			return true;
		}
	}
	return false;
}

/* "2", or "2-5": from and to. */
static bool
read_core_range(const char *text, const char **ret_end, uint64_t *ret_from, uint64_t *ret_to)
{
	const char *end;

	if (!read_digits(text, &end, ret_from))
		return false;
	*ret_to = *ret_from;
	if (*end == '-' && !read_digits(end + 1, &end, ret_to))
		return false;
	if (*ret_to > CORE_MAX || *ret_from > *ret_to)
		return false;
	*ret_end = end;
	return true;
}

/* Writes the list with its ranges written out: "[2,3]". False when it is none, or names a core
 * twice. */
static bool
write_cores(const char *text, char cores[CORES_TEXT_SIZE])
{
	bool seen[CORE_MAX + 1] = {false}, in_brackets = *text == '[';
	const char *at = text + in_brackets;
	size_t n = 0, used = 0;

	for (;;) {
		uint64_t from, to;

		at += strspn(at, " ");
		if (!read_core_range(at, &at, &from, &to))
			return false;
		for (; from <= to; from++, n++) {
			if (seen[from] || n == CORES_MAX)
				return false;
			seen[from] = true;
			used += (size_t)snprintf(cores + used, CORES_TEXT_SIZE - used, "%s%" PRIu64,
				n == 0 ? "[" : ",", from);
		}
		at += strspn(at, " ");
		if (*at != ',')
			break;
		at++;
	}
	snprintf(cores + used, CORES_TEXT_SIZE - used, "]");
	return in_brackets ? strcmp(at, "]") == 0 : *at == '\0';
}

static int
read_cores(const struct setting *row, const char *text, char **ret_cores)
{
	char cores[CORES_TEXT_SIZE];
	uint64_t count;

	if (strcmp(text, "auto") == 0 ||
		(read_number(text, &count) && count >= row->min && count <= row->max))
		*ret_cores = strdup(text);
	else if (strpbrk(text, "[,-") != NULL && write_cores(text, cores))
		*ret_cores = strdup(cores);
	else
		return -EINVAL;
	return *ret_cores != NULL ? 0 : -ENOMEM;
}

void
value_size_text(uint64_t size, char *text, size_t room)
{
	static const char *const unit[] = {"", "KiB", "MiB", "GiB", "TiB"};
	size_t i = 0;

	while (size != 0 && size % 1024 == 0 && i + 1 < ARRAY_LENGTH(unit)) {
		size /= 1024;
		i++;
	}
	snprintf(text, room, "%" PRIu64 "%s", size, unit[i]);
}

static void
expected_names(const struct setting *row, char *text, size_t size)
{
	size_t used = 0;

	for (size_t i = 0; row->names[i] != NULL && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s",
			i == 0                              ? ""
				: row->names[i + 1] != NULL ? ", "
							    : " or ",
			row->names[i]);
}

void
value_expected(const struct setting *row, char *text, size_t size)
{
	char from[32], to[32];

	switch (row->kind) {
	case SETTING_BOOL:
		snprintf(text, size, "true or false");
		return;
	case SETTING_UINT32:
	case SETTING_UINT64:
		snprintf(text, size, "a whole number from %" PRIu64 " to %" PRIu64, row->min,
			row->max);
		return;
	case SETTING_SIZE:
		value_size_text(row->min, from, sizeof(from));
		value_size_text(row->max, to, sizeof(to));
		snprintf(text, size, "a size from %s to %s, such as 256MiB", from, to);
		return;
	case SETTING_SECONDS:
		snprintf(text, size, "a time from %" PRIu64 " to %" PRIu64 " seconds", row->min,
			row->max);
		return;
	case SETTING_MODE:
		snprintf(text, size, "an octal mode from 0 to 0%" PRIo64, row->max);
		return;
	case SETTING_ENUM:
		expected_names(row, text, size);
		return;
	case SETTING_CORES:
		snprintf(text, size,
			"auto, a count from %" PRIu64 " to %" PRIu64
			", or a list of cores such as [2, 3]",
			row->min, row->max);
		return;
	case SETTING_STRINGS:
		snprintf(text, size, "a list of texts");
		return;
	case SETTING_OBJECT:
		snprintf(text, size, "a mapping");
		return;
	case SETTING_OBJECTS:
		snprintf(text, size, "a list of mappings");
		return;
	default:
		snprintf(text, size, "a text");
		return;
	}
}

static int
refuse_value(const struct setting *row, const char *text, char why[SETTING_WHY_SIZE])
{
	struct nearest nearest = {.name = text};
	char expected[SETTING_WHY_SIZE / 2], quoted[CONF_QUOTED_SIZE];

	value_expected(row, expected, sizeof(expected));
	for (size_t i = 0; row->kind == SETTING_ENUM && row->names[i] != NULL; i++)
		nearest_offer(&nearest, row->names[i]);
	if (nearest.best != NULL)
		snprintf(why, SETTING_WHY_SIZE, "expected %s, not %s; did you mean '%s'?", expected,
			conf_quote(text, quoted), nearest.best);
	else
		snprintf(why, SETTING_WHY_SIZE, "expected %s, not %s", expected,
			conf_quote(text, quoted));
	return -EINVAL;
}

static bool
read_any_number(const struct setting *row, const char *text, uint64_t *ret_number)
{
	bool fits;

	switch (row->kind) {
	case SETTING_SIZE:
		fits = read_size(text, ret_number);
		break;
	case SETTING_SECONDS:
		fits = read_duration(text, ret_number);
		break;
	case SETTING_MODE:
		fits = read_mode(text, ret_number);
		break;
	default:
		fits = read_number(text, ret_number);
		break;
	}
	return fits && *ret_number >= row->min && *ret_number <= row->max;
}

static bool
read_enum(const struct setting *row, const char *text, int *field)
{
	for (int i = 0; row->names[i] != NULL; i++) {
		if (strcmp(row->names[i], text) == 0) {
			*field = i;
			return true;
		}
	}
	return false;
}

static int
read_string(const struct setting *row, const char *text, char **field, char why[SETTING_WHY_SIZE])
{
	char *copy;
	int error = 0;

	if (row->kind == SETTING_CORES)
		error = read_cores(row, text, &copy);
	else if (row->check != NULL && row->check(text, why) != SETTING_FITS)
		return -EINVAL;
	else
		copy = strdup(text);
	if (error == -EINVAL)
		return refuse_value(row, text, why);
	if (error != 0 || copy == NULL)
		return -ENOMEM;
	free(*field);
	*field = copy;
	return 0;
}

int
value_read(const struct setting *row, const char *text, void *field, char why[SETTING_WHY_SIZE])
{
	uint64_t number;

	switch (row->kind) {
	case SETTING_BOOL:
		return read_bool(text, field) ? 0 : refuse_value(row, text, why);
	case SETTING_ENUM:
		return read_enum(row, text, field) ? 0 : refuse_value(row, text, why);
	case SETTING_STRING:
	case SETTING_CORES:
		return read_string(row, text, field, why);
	default:
		break;
	}
	if (!read_any_number(row, text, &number))
		return refuse_value(row, text, why);
	if (row->kind == SETTING_UINT64 || row->kind == SETTING_SIZE)
		*(uint64_t *)field = number;
	else
		*(uint32_t *)field = (uint32_t)number;
	return 0;
}
