/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A whole payload: lines, decoder, tags, event text. Every span must lie inside what it may point
 * to, every bound must hold, and what is kept must be canonical.
 */
#include <math.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "base/utf8.h"
#include "dsd/decode.h"
#include "dsd/tags.h"
#include "dsd/text.h"

#define CHECK(condition) \
	do { \
		if (!(condition)) \
			abort(); \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct span extra[] = {SPAN_LITERAL("env:prod"), SPAN_LITERAL("a")};

static bool
is_inside(struct span part, struct span whole)
{
	return part.size == 0 ||
		(part.data >= whole.data && part.size <= whole.size &&
			(size_t)(part.data - whole.data) <= whole.size - part.size);
}

static bool
is_extra(struct span tag)
{
	for (size_t i = 0; i < ARRAY_LENGTH(extra); i++) {
		if (is_inside(tag, extra[i]))
			return true;
	}
	return false;
}

static size_t
count(struct span text, uint8_t byte)
{
	size_t n = 0;

	for (size_t i = 0; i < text.size; i++)
		n += text.data[i] == byte;
	return n;
}

static void
check_tags(struct tags *tags, const struct message_fields *fields)
{
	struct span scratch;
	struct span special[4];

	tags_canonicalise(tags, fields->tags, fields->cardinality.size != 0, extra,
		ARRAY_LENGTH(extra));
	scratch = span_of(tags->scratch, tags->scratch_used);
	CHECK(tags->scratch_used <= 3 * fields->tags.size);
	CHECK(tags->n <= count(fields->tags, ',') + 1 + ARRAY_LENGTH(extra));
	for (uint32_t i = 0; i < tags->n; i++) {
		struct span tag = tags->tag[i];

		CHECK(tag.size != 0);
		CHECK(is_inside(tag, fields->tags) || is_inside(tag, scratch) || is_extra(tag));
		CHECK(utf8_is_valid(tag));
		CHECK(i == 0 || span_compare(tags->tag[i - 1], tag) < 0);
	}
	special[0] = tags->host;
	special[1] = tags->entity_id;
	special[2] = tags->cardinality;
	special[3] = tags->jmx_check_name;
	for (size_t i = 0; i < ARRAY_LENGTH(special); i++) {
		CHECK(is_inside(special[i], fields->tags) || is_inside(special[i], scratch));
		CHECK(utf8_is_valid(special[i]));
	}
	CHECK(tags->has_host || tags->host.size == 0);
}

static void
check_text(struct span raw)
{
	uint8_t *out = malloc(3 * raw.size + 1);
	size_t size = text_unescape(raw, out);

	CHECK(size <= 3 * raw.size);
	CHECK(utf8_is_valid(span_of(out, size)));
	free(out);
}

static void
check_metric(const struct decoder *decoder, struct span line, const struct metric *metric)
{
	uint32_t n_finite = 0;

	CHECK(metric->name.size != 0 && is_inside(metric->name, line));
	CHECK(memchr(metric->name.data, ':', metric->name.size) == NULL);
	CHECK(is_inside(metric->member, line));
	CHECK(metric->type < METRIC_TYPE_COUNT);
	CHECK(metric->rate > 0 && metric->rate <= 1);
	CHECK(metric->timestamp >= 0 && (metric->timestamp == 0 || decoder->timestamps));
	CHECK(!metric->is_timing || metric->type == METRIC_HISTOGRAM);
	if (metric->type == METRIC_SET) {
		CHECK(metric->n_values == 1 && metric->member.size != 0);
		return;
	}
	CHECK(metric->values == decoder->values);
	CHECK(metric->n_values >= 1 && metric->n_values <= line.size / 2);
	for (uint32_t i = 0; i < metric->n_values; i++)
		n_finite += isfinite(metric->values[i]) != 0;
	CHECK(n_finite != 0);
}

static void
check_event(struct span line, const struct event *event)
{
	CHECK(event->title.size != 0 && is_inside(event->title, line));
	CHECK(is_inside(event->text, line));
	CHECK(event->title.data[event->title.size] == '|');
	CHECK(is_inside(event->host, line) && is_inside(event->aggregation_key, line));
	CHECK(is_inside(event->source_type, line));
	CHECK(event->priority <= EVENT_LOW && event->alert <= EVENT_SUCCESS);
	CHECK(event->has_host || event->host.size == 0);
	check_text(event->title);
	check_text(event->text);
}

static void
check_check(struct span line, const struct service_check *check)
{
	CHECK(check->name.size != 0 && is_inside(check->name, line));
	CHECK(is_inside(check->message, line) && is_inside(check->host, line));
	CHECK(check->has_host || check->host.size == 0);
	CHECK(check->status <= 3);
}

static void
check_line(struct decoder *decoder, struct tags *tags, struct span line)
{
	struct message message;
	enum counter reason = decode_line(decoder, line, &message);

	if (reason != STAT_NONE) {
		CHECK(reason >= STAT_lines_rejected_no_pipe &&
			reason <= STAT_lines_rejected_unsupported_timestamp);
		return;
	}
	CHECK(message.kind == line_kind(line));
	if (message.kind == MESSAGE_METRIC)
		check_metric(decoder, line, &message.metric);
	else if (message.kind == MESSAGE_EVENT)
		check_event(line, &message.event);
	else
		check_check(line, &message.check);
	CHECK(is_inside(message.fields.tags, line));
	CHECK(is_inside(message.fields.local_data, line));
	CHECK(is_inside(message.fields.external_data, line));
	CHECK(is_inside(message.fields.cardinality, line));
	CHECK(decoder->client_origin ||
		message.fields.local_data.size + message.fields.external_data.size +
				message.fields.cardinality.size ==
			0);
	check_tags(tags, &message.fields);
}

static void
check_payload(struct decoder *decoder, struct tags *tags, struct span payload)
{
	struct span rest = payload, line;
	size_t n_lines = 0, n_terminated = 0;
	bool terminated;

	while (line_next(&rest, &line, &terminated)) {
		CHECK(is_inside(line, payload));
		CHECK(rest.data + rest.size == payload.data + payload.size);
		CHECK(count(line, '\n') == 0);
		n_lines++;
		n_terminated += terminated;
		if (line.size != 0)
			check_line(decoder, tags, line);
	}
	CHECK(n_terminated == count(payload, '\n'));
	CHECK(n_lines - n_terminated <= 1);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct decoder decoder;
	struct tags tags;

	/* No larger than the input: a sanitizer then sees a bound that does not hold. */
	CHECK(decoder_init(&decoder, size) == 0);
	CHECK(tags_init(&tags, size, ARRAY_LENGTH(extra)) == 0);
	for (int options = 0; options < 4; options++) {
		decoder.client_origin = (options & 1) != 0;
		decoder.timestamps = (options & 2) != 0;
		check_payload(&decoder, &tags, span_of(data, size));
	}
	tags_done(&tags);
	decoder_done(&decoder);
	return 0;
}
