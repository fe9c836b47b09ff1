/* SPDX-License-Identifier: BSD-3-Clause */
/* hot: no malloc, no syscall, no log, no lock */
#include "base/compiler.h"
#include "dsd/decode_priv.h"
#include "dsd/number.h"

#define HEADER_SIZE_MIN 7 /* "_e{1,0}" */

/*
 * "_e{TITLE_SIZE,TEXT_SIZE}", both in bytes. As the Agent does, the last byte is not looked at and
 * a size may have a sign and leading zeros.
 */
static bool
read_header(struct span header, uint64_t *ret_title_size, uint64_t *ret_text_size)
{
	struct span sizes;
	size_t comma;
	int64_t title_size, text_size;

	if (header.size < HEADER_SIZE_MIN)
		return false;
	sizes = span_of(header.data + 3, header.size - 4);
	comma = span_find(sizes, ',');
	if (comma == sizes.size || !number_parse_int(span_of(sizes.data, comma), &title_size) ||
		!number_parse_int(span_from(sizes, comma + 1), &text_size))
		return false;
	if (title_size < 1 || text_size < 0)
		return false;
	*ret_title_size = (uint64_t)title_size;
	*ret_text_size = (uint64_t)text_size;
	return true;
}

/* Cuts "TITLE|TEXT" from *rest. A '|' inside either is text. */
static bool
read_title_and_text(struct span *rest, uint64_t title_size, uint64_t text_size, struct event *event)
{
	if (title_size >= rest->size || rest->data[title_size] != '|')
		return false;
	event->title = span_of(rest->data, title_size);
	*rest = span_from(*rest, title_size + 1);
	if (text_size > rest->size)
		return false;
	event->text = span_of(rest->data, text_size);
	*rest = span_from(*rest, text_size);
	return true;
}

static void
read_priority(struct span word, enum event_priority *priority)
{
	if (span_equal(word, SPAN_LITERAL("normal")))
		*priority = EVENT_NORMAL;
	else if (span_equal(word, SPAN_LITERAL("low")))
		*priority = EVENT_LOW;
}

static void
read_alert(struct span word, enum event_alert *alert)
{
	static const char *const name[] = {
		[EVENT_INFO] = "info",
		[EVENT_ERROR] = "error",
		[EVENT_WARNING] = "warning",
		[EVENT_SUCCESS] = "success",
	};

	for (size_t i = 0; i < ARRAY_LENGTH(name); i++) {
		if (span_equal(word, span_from_string(name[i])))
			*alert = (enum event_alert)i;
	}
}

/* A bad timestamp, priority or alert type leaves what was there. */
static void
read_event_field(const struct decoder *decoder, struct span field, struct message *message)
{
	struct event *event = &message->event;
	struct span value;

	if (field_is(field, SPAN_LITERAL("d:"), &value)) {
		number_parse_int(value, &event->timestamp);
	} else if (field_is(field, SPAN_LITERAL("h:"), &value)) {
		event->has_host = true;
		event->host = value;
	} else if (field_is(field, SPAN_LITERAL("k:"), &value)) {
		event->aggregation_key = value;
	} else if (field_is(field, SPAN_LITERAL("p:"), &value)) {
		read_priority(value, &event->priority);
	} else if (field_is(field, SPAN_LITERAL("s:"), &value)) {
		event->source_type = value;
	} else if (field_is(field, SPAN_LITERAL("t:"), &value)) {
		read_alert(value, &event->alert);
	} else {
		decode_shared_field(decoder, field, &message->fields);
	}
}

enum counter
decode_event(const struct decoder *decoder, struct span line, struct message *message)
{
	size_t colon = span_find(line, ':');
	uint64_t title_size, text_size;
	struct span rest;

	if (colon == line.size || !read_header(span_of(line.data, colon), &title_size, &text_size))
		return STAT_lines_rejected_bad_event;
	rest = span_from(line, colon + 1);
	if (!read_title_and_text(&rest, title_size, text_size, &message->event))
		return STAT_lines_rejected_bad_event;
	/* The Agent skips the byte after the text, whatever it is, and a field starts there. */
	if (rest.size != 0)
		rest = span_from(rest, 1);
	while (rest.size != 0)
		read_event_field(decoder, field_cut(&rest), message);
	return STAT_NONE;
}
