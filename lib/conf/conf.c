/* SPDX-License-Identifier: BSD-3-Clause */
#include "conf/conf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <yaml.h>

struct reader {
	yaml_parser_t parser;
	struct span text;
	struct conf *conf;
	struct conf_error *error;
};

static void
fill_error(struct conf_error *error, const char *file, uint32_t line, uint32_t column,
	const char *format, va_list arguments)
{
	snprintf(error->file, sizeof(error->file), "%s", file);
	error->line = line;
	error->column = column;
	vsnprintf(error->text, sizeof(error->text), format, arguments);
}

int
conf_refuse(struct conf_error *error, const char *file, uint32_t line, uint32_t column,
	const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fill_error(error, file, line, column, format, arguments);
	va_end(arguments);
	return -EINVAL;
}

static int refuse_at(struct reader *reader, yaml_mark_t mark, const char *format, ...)
	printf_like(3, 4);

static int
refuse_at(struct reader *reader, yaml_mark_t mark, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fill_error(reader->error, reader->conf->file, (uint32_t)mark.line + 1,
		(uint32_t)mark.column + 1, format, arguments);
	va_end(arguments);
	return -EINVAL;
}

static int
out_of_memory(struct conf_error *error, const char *file)
{
	conf_refuse(error, file, 0, 0, "not enough memory");
	return -ENOMEM;
}

/* libyaml's reader gives a byte offset and no line. */
static yaml_mark_t
mark_of_offset(struct span text, size_t offset)
{
	yaml_mark_t mark = {.index = offset};

	for (size_t i = 0; i < offset && i < text.size; i++) {
		if (text.data[i] == '\n') {
			mark.line++;
			mark.column = 0;
		} else if ((text.data[i] & 0xc0) != 0x80) {
			mark.column++;
		}
	}
	return mark;
}

static int
refuse_syntax(struct reader *reader)
{
	const yaml_parser_t *parser = &reader->parser;
	const char *problem = parser->problem != NULL ? parser->problem : "not YAML";

	switch (parser->error) {
	case YAML_MEMORY_ERROR:
		return out_of_memory(reader->error, reader->conf->file);
	case YAML_READER_ERROR:
		return refuse_at(reader, mark_of_offset(reader->text, parser->problem_offset),
			"expected UTF-8 text: %s", problem);
	default:
		return refuse_at(reader, parser->problem_mark, "not valid YAML: %s%s%s", problem,
			parser->context != NULL ? ", " : "",
			parser->context != NULL ? parser->context : "");
	}
}

static int
next_event(struct reader *reader, yaml_event_t *ret_event)
{
	return yaml_parser_parse(&reader->parser, ret_event) != 0 ? 0 : refuse_syntax(reader);
}

static const char *
anchor_of(const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_SCALAR_EVENT:
		return (const char *)event->data.scalar.anchor;
	case YAML_SEQUENCE_START_EVENT:
		return (const char *)event->data.sequence_start.anchor;
	case YAML_MAPPING_START_EVENT:
		return (const char *)event->data.mapping_start.anchor;
	case YAML_ALIAS_EVENT:
		return (const char *)event->data.alias.anchor;
	default:
		return NULL;
	}
}

static const char *
tag_of(const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_SCALAR_EVENT:
		return (const char *)event->data.scalar.tag;
	case YAML_SEQUENCE_START_EVENT:
		return (const char *)event->data.sequence_start.tag;
	case YAML_MAPPING_START_EVENT:
		return (const char *)event->data.mapping_start.tag;
	default:
		return NULL;
	}
}

static int
refuse_references(struct reader *reader, const yaml_event_t *event)
{
	char quoted[CONF_QUOTED_SIZE];

	if (anchor_of(event) != NULL)
		return refuse_at(reader, event->start_mark,
			"anchors and aliases (%s) are not supported: write the value out",
			conf_quote(anchor_of(event), quoted));
	if (tag_of(event) != NULL)
		return refuse_at(reader, event->start_mark,
			"tags (%s) are not supported: write the plain value",
			conf_quote(tag_of(event), quoted));
	return 0;
}

/* A NUL-terminated copy of a scalar's text. */
static int
copy_text(struct reader *reader, const yaml_event_t *event, const char **ret_text)
{
	struct span bytes = span_of(event->data.scalar.value, event->data.scalar.length);
	char *text;

	if (span_find(bytes, 0) != bytes.size)
		return refuse_at(reader, event->start_mark, "a NUL character inside a text");
	text = arena_alloc(&reader->conf->arena, bytes.size + 1);
	if (text == NULL)
		return out_of_memory(reader->error, reader->conf->file);
	if (bytes.size != 0)
		memcpy(text, bytes.data, bytes.size);
	text[bytes.size] = '\0';
	*ret_text = text;
	return 0;
}

static int read_children(struct reader *reader, struct conf_node *parent, unsigned depth);

/* Turns an event, and for a list or mapping all up to its end, into a node. */
static int
read_node(struct reader *reader, const yaml_event_t *event, unsigned depth,
	struct conf_node **ret_node)
{
	struct conf_node *node;
	int error = refuse_references(reader, event);

	if (error != 0)
		return error;
	node = arena_alloc(&reader->conf->arena, sizeof(*node));
	if (node == NULL)
		return out_of_memory(reader->error, reader->conf->file);
	*node = (struct conf_node){
		.line = (uint32_t)event->start_mark.line + 1,
		.column = (uint32_t)event->start_mark.column + 1,
	};
	if (event->type == YAML_SCALAR_EVENT) {
		node->kind = CONF_SCALAR;
		node->is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
		error = copy_text(reader, event, &node->text);
	} else if (depth == CONF_DEPTH_MAX) {
		error = refuse_at(reader, event->start_mark,
			"more than %d lists and mappings inside each other", CONF_DEPTH_MAX);
	} else {
		node->kind = event->type == YAML_MAPPING_START_EVENT ? CONF_MAP : CONF_LIST;
		error = read_children(reader, node, depth + 1);
	}
	if (error == 0)
		*ret_node = node;
	return error;
}

static int
read_key(struct reader *reader, const yaml_event_t *event, const struct conf_node *map,
	const char **ret_key)
{
	char quoted[CONF_QUOTED_SIZE];
	const struct conf_node *same;
	const char *key;
	int error;

	if (event->type != YAML_SCALAR_EVENT && event->type != YAML_ALIAS_EVENT)
		return refuse_at(reader, event->start_mark,
			"expected the name of a setting, not a list or mapping");
	error = refuse_references(reader, event);
	if (error == 0)
		error = copy_text(reader, event, &key);
	if (error != 0)
		return error;
	if (key[0] == '\0')
		return refuse_at(reader, event->start_mark, "expected the name of a setting");
	same = conf_find(map, key);
	if (same != NULL)
		return refuse_at(reader, event->start_mark, "%s is given twice, first in line %u",
			conf_quote(key, quoted), same->key_line);
	*ret_key = key;
	return 0;
}

/* Reads one child, which begins with event; for a mapping that is its key. */
static int
read_child(struct reader *reader, const yaml_event_t *event, const struct conf_node *parent,
	unsigned depth, struct conf_node **ret_child)
{
	const char *key = NULL;
	yaml_event_t value;
	int error;

	if (parent->kind == CONF_LIST)
		return read_node(reader, event, depth, ret_child);
	error = read_key(reader, event, parent, &key);
	if (error == 0)
		error = next_event(reader, &value);
	if (error != 0)
		return error;
	error = read_node(reader, &value, depth, ret_child);
	yaml_event_delete(&value);
	if (error != 0)
		return error;
	(*ret_child)->key = key;
	(*ret_child)->key_line = (uint32_t)event->start_mark.line + 1;
	(*ret_child)->key_column = (uint32_t)event->start_mark.column + 1;
	return 0;
}

static int
read_children(struct reader *reader, struct conf_node *parent, unsigned depth)
{
	struct conf_node **link = &parent->first;
	size_t n = 0;
	int error;

	for (;;) {
		yaml_event_t event;

		error = next_event(reader, &event);
		if (error != 0)
			return error;
		if (event.type == YAML_MAPPING_END_EVENT || event.type == YAML_SEQUENCE_END_EVENT) {
			yaml_event_delete(&event);
			return 0;
		}
		if (parent->kind == CONF_MAP && n++ == CONF_KEYS_MAX)
			error = refuse_at(reader, event.start_mark,
				"more than %d keys in one mapping", CONF_KEYS_MAX);
		else
			error = read_child(reader, &event, parent, depth, link);
		yaml_event_delete(&event);
		if (error != 0)
			return error;
		link = &(*link)->next;
	}
}

/* The stream: its start, at most one document, its end. */
static int
read_stream(struct reader *reader)
{
	bool done = false;

	while (!done) {
		yaml_event_t event;
		int error = next_event(reader, &event);

		if (error != 0)
			return error;
		switch (event.type) {
		case YAML_STREAM_END_EVENT:
			done = true;
			break;
		case YAML_STREAM_START_EVENT:
		case YAML_DOCUMENT_END_EVENT:
			break;
		case YAML_DOCUMENT_START_EVENT:
			if (reader->conf->root != NULL)
				error = refuse_at(reader, event.start_mark,
					"a second document: only one is read");
			break;
		default:
			error = read_node(reader, &event, 0, &reader->conf->root);
			break;
		}
		yaml_event_delete(&event);
		if (error != 0)
			return error;
	}
	return 0;
}

int
conf_parse(struct span text, const char *file, struct conf *ret_conf, struct conf_error *error)
{
	struct conf conf = {.file = file};
	struct reader reader = {.text = text, .conf = &conf, .error = error};
	int result;

	if (text.size > CONF_SIZE_MAX)
		return conf_refuse(error, file, 0, 0, "larger than %d bytes", CONF_SIZE_MAX);
	if (yaml_parser_initialize(&reader.parser) == 0)
		return out_of_memory(error, file);
	arena_init(&conf.arena, NULL);
	/* Without this, the first bytes could choose UTF-16. */
	yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&reader.parser,
		text.size != 0 ? text.data : (const uint8_t *)"", text.size);
	result = read_stream(&reader);
	yaml_parser_delete(&reader.parser);
	if (result != 0) {
		arena_reset(&conf.arena);
		return result;
	}
	*ret_conf = conf;
	return 0;
}

/* Reads at most CONF_SIZE_MAX + 1 bytes: one more than conf_parse accepts. */
static int
read_file(const char *path, uint8_t *bytes, size_t *ret_size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t size = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	do {
		n = read(fd, bytes + size, CONF_SIZE_MAX + 1 - size);
		if (n > 0)
			size += (size_t)n;
	} while ((n > 0 && size <= CONF_SIZE_MAX) || (n < 0 && errno == EINTR));
	if (n < 0)
		n = -errno;
	close(fd);
	if (n < 0)
		return (int)n;
	*ret_size = size;
	return 0;
}

int
conf_read(const char *path, struct conf *ret_conf, struct conf_error *error)
{
	uint8_t *bytes = malloc(CONF_SIZE_MAX + 1);
	size_t size = 0;
	int result;

	if (bytes == NULL)
		return out_of_memory(error, path);
	result = read_file(path, bytes, &size);
	if (result != 0)
		conf_refuse(error, path, 0, 0, "cannot be read: %s", strerror(-result));
	else
		result = conf_parse(span_of(bytes, size), path, ret_conf, error);
	free(bytes);
	return result;
}

void
conf_free(struct conf *conf)
{
	if (conf == NULL)
		return;
	arena_reset(&conf->arena);
	conf->root = NULL;
}

const struct conf_node *
conf_find(const struct conf_node *map, const char *key)
{
	if (map == NULL || map->kind != CONF_MAP)
		return NULL;
	for (const struct conf_node *node = map->first; node != NULL; node = node->next)
		if (strcmp(node->key, key) == 0)
			return node;
	return NULL;
}

bool
conf_is_null(const struct conf_node *node)
{
	static const char *const word[] = {"", "~", "null", "Null", "NULL"};

	if (node->kind != CONF_SCALAR || !node->is_plain)
		return false;
	for (size_t i = 0; i < ARRAY_LENGTH(word); i++)
		if (strcmp(node->text, word[i]) == 0)
			return true;
	return false;
}

void
conf_error_text(const struct conf_error *error, char *text, size_t size)
{
	if (error->line != 0)
		snprintf(text, size, "%s:%u:%u: %s", error->file, error->line, error->column,
			error->text);
	else
		snprintf(text, size, "%s: %s", error->file, error->text);
}

const char *
conf_quote(const char *text, char *out)
{
	static const char more[] = "…'";
	size_t at = 0;

	out[at++] = '\'';
	for (; *text != '\0'; text++) {
		uint8_t byte = (uint8_t)*text;

		/* A first byte may have three more behind it: never cut inside a character. */
		if (at + ((byte & 0xc0) == 0x80 ? 1 : 4) + sizeof(more) > CONF_QUOTED_SIZE) {
			memcpy(out + at, more, sizeof(more));
			return out;
		}
		out[at++] = byte < 0x20 || byte == 0x7f ? '?' : (char)byte;
	}
	out[at++] = '\'';
	out[at] = '\0';
	return out;
}
