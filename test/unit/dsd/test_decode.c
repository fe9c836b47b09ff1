/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A decoded payload is written as text and compared with the row's result. Lines are joined by
 * "; ". Only what is not the default is written, in this order:
 *
 *   TYPE NAME VALUES @RATE TTIMESTAMP, then what any kind may carry
 *   event TITLE/TEXT d: h: k: s: p: t:        p: and t: as enum values
 *   check NAME STATUS d: h: m:
 *   any: c: e: card: #TAGS host= entity= cardtag= jmx=
 *   reject REASON
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "dsd/decode.h"
#include "dsd/tags.h"
#include "dsd/text.h"

#define PAYLOAD_MAX 65536

struct row {
	int number;
	bool client_origin;
	struct span payload;
	const char *result;
};

#define SPAN(text) \
	{ \
		(const uint8_t *)(text), sizeof(text) - 1 \
	}
#define ROW(number, payload, result) {number, false, SPAN(payload), result},
#define ROW_O(number, payload, result) {number, true, SPAN(payload), result},

static const struct row agent_rows[] = {
#include "decode_rows.h"
};

static const struct row field_rows[] = {
#include "field_rows.h"
};

static const struct row corner_rows[] = {
#include "corner_rows.h"
};

struct fixture {
	struct decoder decoder;
	struct tags tags;
	char out[PAYLOAD_MAX];
	size_t size;
};

static printf_like(2, 3) void put(struct fixture *f, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	f->size += (size_t)vsnprintf(f->out + f->size, sizeof(f->out) - f->size, format, args);
	va_end(args);
	assert_true(f->size < sizeof(f->out));
}

static void
put_span(struct fixture *f, const char *label, struct span text)
{
	put(f, "%s%.*s", label, (int)text.size, (const char *)text.data);
}

static void
put_given(struct fixture *f, const char *label, struct span text)
{
	if (text.size != 0)
		put_span(f, label, text);
}

static void
put_unescaped(struct fixture *f, const char *label, struct span text)
{
	uint8_t out[300];

	assert_true(3 * text.size <= sizeof(out));
	put_span(f, label, span_of(out, text_unescape(text, out)));
}

static void
put_metric(struct fixture *f, const struct metric *metric)
{
	static const char *const type[] = {"c", "g", "s", "h", "d"};

	put(f, "%s", metric->is_timing ? "ms" : type[metric->type]);
	put_span(f, " ", metric->name);
	if (metric->type == METRIC_SET) {
		put_span(f, " ", metric->member);
		assert_int_equal(metric->n_values, 1);
	} else {
		for (uint32_t i = 0; i < metric->n_values; i++)
			put(f, "%s%.*g", i == 0 ? " " : ",",
				metric->values[i] == (float)metric->values[i] ? 6 : 17,
				metric->values[i]);
	}
	if (metric->rate != 1)
		put(f, " @%g", metric->rate);
	if (metric->timestamp != 0)
		put(f, " T%" PRId64, metric->timestamp);
}

static void
put_event(struct fixture *f, const struct event *event)
{
	put_unescaped(f, "event ", event->title);
	put_unescaped(f, "/", event->text);
	if (event->timestamp != 0)
		put(f, " d:%" PRId64, event->timestamp);
	if (event->has_host)
		put_span(f, " h:", event->host);
	put_given(f, " k:", event->aggregation_key);
	put_given(f, " s:", event->source_type);
	if (event->priority != EVENT_NORMAL)
		put(f, " p:%d", event->priority);
	if (event->alert != EVENT_INFO)
		put(f, " t:%d", event->alert);
}

static void
put_check(struct fixture *f, const struct service_check *check)
{
	put_span(f, "check ", check->name);
	put(f, " %d", check->status);
	if (check->timestamp != 0)
		put(f, " d:%" PRId64, check->timestamp);
	if (check->has_host)
		put_span(f, " h:", check->host);
	put_given(f, " m:", check->message);
}

static void
put_fields(struct fixture *f, const struct message_fields *fields)
{
	put_given(f, " c:", fields->local_data);
	put_given(f, " e:", fields->external_data);
	put_given(f, " card:", fields->cardinality);
	tags_canonicalise(&f->tags, fields->tags, fields->cardinality.size != 0, NULL, 0);
	for (uint32_t i = 0; i < f->tags.n; i++)
		put_span(f, i == 0 ? " #" : ",", f->tags.tag[i]);
	if (f->tags.has_host)
		put_span(f, " host=", f->tags.host);
	put_given(f, " entity=", f->tags.entity_id);
	put_given(f, " cardtag=", f->tags.cardinality);
	put_given(f, " jmx=", f->tags.jmx_check_name);
}

static void
put_line(struct fixture *f, struct span line)
{
	struct message message;
	enum counter reason = decode_line(&f->decoder, line, &message);

	if (f->size != 0)
		put(f, "; ");
	if (reason != STAT_NONE) {
		assert_string_equal(stat_info[reason].level, "lines");
		assert_string_equal(stat_info[reason].group, "rejected");
		put(f, "reject %s", stat_info[reason].name);
		return;
	}
	assert_int_equal(message.kind, line_kind(line));
	if (message.kind == MESSAGE_METRIC)
		put_metric(f, &message.metric);
	else if (message.kind == MESSAGE_EVENT)
		put_event(f, &message.event);
	else
		put_check(f, &message.check);
	put_fields(f, &message.fields);
}

/* The payload's text; valid until the next call. */
static const char *
decode_payload(struct fixture *f, struct span payload)
{
	struct span rest = payload, line;
	bool terminated;

	f->size = 0;
	f->out[0] = '\0';
	while (line_next(&rest, &line, &terminated)) {
		if (line.size != 0)
			put_line(f, line);
	}
	return f->out;
}

static void
check_rows(struct fixture *f, const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		/* In memory of exactly its size: a sanitizer sees a read past the end. */
		uint8_t *exact = malloc(rows[i].payload.size);
		const char *result;

		memcpy(exact, rows[i].payload.data, rows[i].payload.size);
		f->decoder.client_origin = rows[i].client_origin;
		f->decoder.timestamps = true;
		result = decode_payload(f, span_of(exact, rows[i].payload.size));
		if (strcmp(result, rows[i].result) != 0)
			fail_msg("row %d: \"%s\", not \"%s\"", rows[i].number, result,
				rows[i].result);
		free(exact);
	}
}

static void
reads_each_row_as_the_agent_does(void **state)
{
	assert_int_equal(ARRAY_LENGTH(agent_rows), 120);
	check_rows(*state, agent_rows, ARRAY_LENGTH(agent_rows));
}

static void
survives_what_broke_others(void **state)
{
	check_rows(*state, field_rows, ARRAY_LENGTH(field_rows));
}

static void
reads_the_corners_of_the_grammar(void **state)
{
	check_rows(*state, corner_rows, ARRAY_LENGTH(corner_rows));
}

static void
skips_timestamps_unread_where_they_are_off(void **state)
{
	struct fixture *f = *state;

	f->decoder.client_origin = f->decoder.timestamps = false;
	assert_string_equal(decode_payload(f, SPAN_LITERAL("a:5|g|T1700000000|#x")), "g a 5 #x");
	assert_string_equal(decode_payload(f, SPAN_LITERAL("a:5|h|T1700000000")), "h a 5");
	assert_string_equal(decode_payload(f, SPAN_LITERAL("a:5|g|Tx")), "g a 5");
}

static void
keeps_zero_bytes(void **state)
{
	struct fixture *f = *state;
	struct message message;

	assert_int_equal(decode_line(&f->decoder, SPAN_LITERAL("a\0b:1|c|#t\0:\0"), &message),
		STAT_NONE);
	assert_true(span_equal(message.metric.name, SPAN_LITERAL("a\0b")));
	assert_true(span_equal(message.fields.tags, SPAN_LITERAL("t\0:\0")));
	assert_int_equal(decode_line(&f->decoder, SPAN_LITERAL("a:1\0|c"), &message),
		STAT_lines_rejected_bad_value);
}

static void
leaves_the_message_alone_when_it_rejects(void **state)
{
	struct fixture *f = *state;
	struct message message, before;

	memset(&message, 0x5a, sizeof(message));
	before = message;
	assert_int_equal(decode_line(&f->decoder, SPAN_LITERAL("a:1|c|@9"), &message),
		STAT_lines_rejected_bad_rate);
	assert_memory_equal(&message, &before, sizeof(message));
}

static void
takes_as_many_values_as_a_payload_holds(void **state)
{
	struct decoder decoder;
	struct message message;
	char line[1001] = "a:";
	size_t size = 2;

	(void)state;
	for (; size + 4 < sizeof(line) - 1; size += 2)
		memcpy(line + size, "7:", 2);
	memcpy(line + size, "7|d", 3);
	size += 3;
	assert_int_equal(decoder_init(&decoder, size), 0);
	assert_int_equal(decode_line(&decoder, span_of(line, size), &message), STAT_NONE);
	assert_int_equal(message.metric.n_values, (size - 3) / 2);
	assert_true(message.metric.values[message.metric.n_values - 1] == 7);
	decoder_done(&decoder);
	decoder_done(NULL);
}

static void
says_whether_a_line_was_terminated(void **state)
{
	struct span rest = SPAN_LITERAL("a\r\n\nb\r"), line;
	bool terminated;

	(void)state;
	assert_true(line_next(&rest, &line, &terminated));
	assert_true(span_equal(line, SPAN_LITERAL("a")) && terminated);
	assert_true(line_next(&rest, &line, &terminated));
	assert_true(line.size == 0 && terminated);
	assert_true(line_next(&rest, &line, &terminated));
	assert_true(span_equal(line, SPAN_LITERAL("b")) && !terminated);
	assert_false(line_next(&rest, &line, &terminated));
	rest = (struct span){0};
	assert_false(line_next(&rest, &line, &terminated));
}

static int
set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (f == NULL || decoder_init(&f->decoder, PAYLOAD_MAX) != 0 ||
		tags_init(&f->tags, PAYLOAD_MAX, 0) != 0)
		return -1;
	*state = f;
	return 0;
}

static int
tear_down(void **state)
{
	struct fixture *f = *state;

	decoder_done(&f->decoder);
	tags_done(&f->tags);
	free(f);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_each_row_as_the_agent_does),
		cmocka_unit_test(survives_what_broke_others),
		cmocka_unit_test(reads_the_corners_of_the_grammar),
		cmocka_unit_test(skips_timestamps_unread_where_they_are_off),
		cmocka_unit_test(keeps_zero_bytes),
		cmocka_unit_test(leaves_the_message_alone_when_it_rejects),
		cmocka_unit_test(takes_as_many_values_as_a_payload_holds),
		cmocka_unit_test(says_whether_a_line_was_terminated),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
