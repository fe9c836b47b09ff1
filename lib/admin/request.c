/* SPDX-License-Identifier: BSD-3-Clause */
#include "admin/request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define REJECTS_MAX 256 /* newest of all workers in one reply */

static void
write_error(struct json *json, const char *text)
{
	json_object_begin(json);
	json_key_text(json, "error", text);
	json_object_end(json);
}

static void
write_success(struct json *json, const char *key)
{
	json_object_begin(json);
	json_key_bool(json, key, true);
	json_object_end(json);
}

static void
answer_status(const struct admin_source *source, struct json *json)
{
	struct ledger ledger = {0};
	struct status status = {0};

	source->status(source->context, &status);
	source->ledger(source->context, &ledger);
	status_write(&status, &ledger, json);
}

static void
answer_ledger(const struct admin_source *source, struct json *json)
{
	struct ledger ledger = {0};

	source->ledger(source->context, &ledger);
	ledger_write(&ledger, json);
}

static void
answer_rejects(const struct admin_source *source, struct json *json)
{
	struct reject *rejects = malloc(REJECTS_MAX * sizeof(*rejects));
	struct ledger ledger = {0};

	if (rejects == NULL) {
		write_error(json, "no memory");
		return;
	}
	source->ledger(source->context, &ledger);
	status_write_rejects(rejects, source->rejects(source->context, rejects, REJECTS_MAX),
		&ledger, json);
	free(rejects);
}

void
request_answer_flush(int result, struct json *json)
{
	if (result == 0)
		write_success(json, "flushed");
	else if (result == -ETIMEDOUT)
		write_error(json,
			"the bucket is closed, but an output has not taken all of it in time; "
			"penstockctl status shows which");
	else
		write_error(json, "not ready; penstockctl status shows the state");
}

static void
answer_reload(const struct admin_source *source, struct json *json)
{
	char text[ADMIN_REASON_SIZE] = "";

	if (source->reload(source->context, text, sizeof(text)) == 0)
		write_success(json, "reloaded");
	else
		write_error(json, text);
}

static const struct {
	const char *word;
	void (*answer)(const struct admin_source *source, struct json *json); /* NULL: flush */
} commands[] = {
	{"status", answer_status},
	{"ledger", answer_ledger},
	{"rejects", answer_rejects},
	{"flush", NULL},
	{"reload", answer_reload},
};

static bool
is_blank(uint8_t byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r';
}

static void
refuse_unknown(struct span line, struct json *json)
{
	json_object_begin(json);
	json_key_text(json, "error", "unknown command");
	json_key(json, "command");
	json_escaped_bytes(json, span_of(line.data, line.size < 64 ? line.size : 64));
	json_key(json, "commands");
	json_array_begin(json);
	for (size_t i = 0; i < ARRAY_LENGTH(commands); i++)
		json_text(json, commands[i].word);
	json_array_end(json);
	json_object_end(json);
}

static struct span
trim(struct span line)
{
	while (line.size != 0 && is_blank(line.data[line.size - 1]))
		line.size--;
	while (line.size != 0 && is_blank(line.data[0]))
		line = span_from(line, 1);
	return line;
}

bool
request_is_flush(struct span line)
{
	return span_equal(trim(line), SPAN_LITERAL("flush"));
}

void
request_answer(const struct admin_source *source, struct span line, struct json *json)
{
	line = trim(line);
	for (size_t i = 0; i < ARRAY_LENGTH(commands); i++) {
		if (commands[i].answer != NULL &&
			span_equal(line, span_from_string(commands[i].word))) {
			commands[i].answer(source, json);
			return;
		}
	}
	refuse_unknown(line, json);
}
