/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockd/environment.h"

#include "base/utf8.h"
#include "penstockd/settings.h"

/* "DD_DOGSTATSD_PORT" for "dogstatsd_port". */
void
environment_variable(const char *key, char variable[ENVIRONMENT_NAME_SIZE])
{
	size_t n = 3;

	memcpy(variable, "DD_", 3);
	for (; *key != '\0' && n + 1 < ENVIRONMENT_NAME_SIZE; key++)
		variable[n++] = *key >= 'a' && *key <= 'z' ? (char)(*key - 'a' + 'A') : *key;
	variable[n] = '\0';
}

/* The setting that a variable's name stands for; false when it is none of the Agent's names. */
static bool
key_of(const char *entry, size_t name_size, char key[ENVIRONMENT_NAME_SIZE])
{
	size_t n = 0;

	if (name_size < 4 || name_size >= ENVIRONMENT_NAME_SIZE || strncmp(entry, "DD_", 3) != 0)
		return false;
	for (size_t i = 3; i < name_size; i++) {
		if (entry[i] >= 'a' && entry[i] <= 'z')
			return false;
		key[n++] = entry[i] >= 'A' && entry[i] <= 'Z' ? (char)(entry[i] - 'A' + 'a')
							      : entry[i];
	}
	key[n] = '\0';
	return true;
}

/* An empty one is no value for the Agent. */
const char *
environment_value(const char *const *environment, const char *name)
{
	size_t size = strlen(name);

	for (const char *const *entry = environment; *entry != NULL; entry++)
		if (strncmp(*entry, name, size) == 0 && (*entry)[size] == '=' &&
			(*entry)[size + 1] != '\0')
			return *entry + size + 1;
	return NULL;
}

static int
read_variable(const char *entry, struct options *options, struct setting_source source)
{
	char key[ENVIRONMENT_NAME_SIZE], name[ENVIRONMENT_NAME_SIZE];
	size_t name_size = strcspn(entry, "=");
	const struct setting *row;
	const char *value;

	if (entry[name_size] != '=' || !key_of(entry, name_size, key))
		return 0;
	value = entry + name_size + 1;
	row = setting_find(&settings_table, key);
	if (*value == '\0' || row == NULL || row->agent == SETTING_OWN)
		return 0;
	memcpy(name, entry, name_size);
	name[name_size] = '\0';
	source.file = name;
	if (row->agent == SETTING_UNSUPPORTED) {
		setting_warn_unsupported(key, 0, 0, &source);
		return 0;
	}
	if (!utf8_is_valid(span_from_string(value)))
		return conf_refuse(source.error, name, 0, 0, "%s: expected UTF-8 text", key);
	return setting_read_text(row, options, value, &source);
}

int
environment_read(const char *const *environment, struct options *options,
	const struct setting_source *source)
{
	for (const char *const *entry = environment; *entry != NULL; entry++) {
		int error = read_variable(*entry, options, *source);

		if (error != 0)
			return error;
	}
	return 0;
}
