/* SPDX-License-Identifier: BSD-3-Clause */
/* hot: no malloc, no syscall, no log, no lock */
#include "dsd/decode.h"

#include <assert.h>
#include <math.h>

#include "dsd/decode_priv.h"
#include "dsd/number.h"

bool
line_next(struct span *rest, struct span *ret_line, bool *ret_terminated)
{
	struct span line;
	size_t end;

	if (rest->size == 0)
		return false;
	end = span_find(*rest, '\n');
	line = span_of(rest->data, end);
	*ret_terminated = end < rest->size;
	*rest = span_from(*rest, *ret_terminated ? end + 1 : end);
	if (line.size != 0 && line.data[line.size - 1] == '\r')
		line.size--;
	*ret_line = line;
	return true;
}

enum message_kind
line_kind(struct span line)
{
	if (span_starts_with(line, SPAN_LITERAL("_e{")))
		return MESSAGE_EVENT;
	if (span_starts_with(line, SPAN_LITERAL("_sc|")))
		return MESSAGE_SERVICE_CHECK;
	return MESSAGE_METRIC;
}

void
decode_shared_field(const struct decoder *decoder, struct span field, struct message_fields *fields)
{
	struct span value;

	if (field_is(field, SPAN_LITERAL("#"), &value))
		fields->tags = value;
	else if (!decoder->client_origin)
		return;
	else if (field_is(field, SPAN_LITERAL("c:"), &value))
		fields->local_data = value;
	else if (field_is(field, SPAN_LITERAL("e:"), &value))
		fields->external_data = value;
	else if (field_is(field, SPAN_LITERAL("card:"), &value))
		fields->cardinality = value;
}

/* Case matters, and nothing may follow the letters. */
static bool
read_type(struct span text, struct metric *metric)
{
	metric->is_timing = span_equal(text, SPAN_LITERAL("ms"));
	if (metric->is_timing) {
		metric->type = METRIC_HISTOGRAM;
		return true;
	}
	if (text.size != 1)
		return false;
	switch (text.data[0]) {
	case 'c':
		metric->type = METRIC_COUNT;
		return true;
	case 'g':
		metric->type = METRIC_GAUGE;
		return true;
	case 's':
		metric->type = METRIC_SET;
		return true;
	case 'h':
		metric->type = METRIC_HISTOGRAM;
		return true;
	case 'd':
		metric->type = METRIC_DISTRIBUTION;
		return true;
	default:
		return false;
	}
}

/* One value or several joined by ':'. Empty items are skipped; one bad item spoils the line. */
static enum counter
read_values(struct decoder *decoder, struct span text, struct metric *metric)
{
	uint32_t n = 0;

	while (text.size != 0) {
		size_t end = span_find(text, ':');

		if (end != 0) {
			assert(n < decoder->n_values_max);
			if (!number_parse(span_of(text.data, end), &decoder->values[n]))
				return STAT_lines_rejected_bad_value;
			n++;
		}
		text = span_from(text, end < text.size ? end + 1 : end);
	}
	if (n == 0)
		return STAT_lines_rejected_empty_value;
	metric->values = decoder->values;
	metric->n_values = n;
	return STAT_NONE;
}

/* NaN is in no range. */
static bool
read_rate(struct span text, double *ret_rate)
{
	double rate;

	if (!number_parse(text, &rate) || !(rate > 0 && rate <= 1))
		return false;
	*ret_rate = rate;
	return true;
}

static bool
read_timestamp(struct span text, int64_t *ret_timestamp)
{
	int64_t timestamp;

	if (!number_parse_int(text, &timestamp) || timestamp < 1)
		return false;
	*ret_timestamp = timestamp;
	return true;
}

/* All after the type: unknown and empty fields are skipped, the last of a kind counts. */
static enum counter
read_metric_fields(const struct decoder *decoder, struct span rest, struct message *message)
{
	while (rest.size != 0) {
		struct span field = field_cut(&rest);
		struct span value;

		if (field_is(field, SPAN_LITERAL("@"), &value)) {
			if (!read_rate(value, &message->metric.rate))
				return STAT_lines_rejected_bad_rate;
		} else if (field_is(field, SPAN_LITERAL("T"), &value)) {
			if (decoder->timestamps &&
				!read_timestamp(value, &message->metric.timestamp))
				return STAT_lines_rejected_bad_timestamp;
		} else {
			decode_shared_field(decoder, field, &message->fields);
		}
	}
	return STAT_NONE;
}

static bool
has_finite_value(const struct metric *metric)
{
	for (uint32_t i = 0; i < metric->n_values; i++) {
		if (isfinite(metric->values[i]))
			return true;
	}
	return false;
}

/* What only the whole line can tell. */
static enum counter
judge_metric(const struct metric *metric)
{
	if (metric->type != METRIC_SET && !has_finite_value(metric))
		return STAT_lines_rejected_nan_or_inf;
	if (metric->timestamp != 0 && metric->type != METRIC_COUNT && metric->type != METRIC_GAUGE)
		return STAT_lines_rejected_unsupported_timestamp;
	return STAT_NONE;
}

/* NAME ":" VALUES "|" TYPE *( "|" FIELD ); the first ':' ends the name. */
static enum counter
decode_metric(struct decoder *decoder, struct span line, struct message *message)
{
	struct metric *metric = &message->metric;
	struct span rest = line;
	struct span head = field_cut(&rest);
	size_t colon = span_find(head, ':');
	struct span value;
	enum counter reason = STAT_NONE;

	if (head.size == line.size)
		return STAT_lines_rejected_no_pipe;
	if (colon == head.size)
		return STAT_lines_rejected_no_colon;
	if (colon == 0)
		return STAT_lines_rejected_empty_name;
	value = span_from(head, colon + 1);
	if (value.size == 0)
		return STAT_lines_rejected_empty_value;
	metric->name = span_of(head.data, colon);
	metric->rate = 1;
	if (!read_type(field_cut(&rest), metric))
		return STAT_lines_rejected_bad_type;
	if (metric->type == METRIC_SET) {
		metric->member = value; /* colons included */
		metric->n_values = 1;
	} else {
		reason = read_values(decoder, value, metric);
	}
	if (reason == STAT_NONE)
		reason = read_metric_fields(decoder, rest, message);
	metric->weight = 1 / metric->rate;
	return reason == STAT_NONE ? judge_metric(metric) : reason;
}

enum counter
decode_values(struct decoder *decoder, struct span text, struct metric *metric)
{
	enum counter reason;

	if (text.size == 0)
		return STAT_lines_rejected_empty_value;
	if (metric->type == METRIC_SET) {
		metric->n_values = 1;
		return STAT_NONE;
	}
	reason = read_values(decoder, text, metric);
	return reason == STAT_NONE ? judge_metric(metric) : reason;
}

enum counter
decode_line(struct decoder *decoder, struct span line, struct message *ret_message)
{
	struct message message = {.kind = line_kind(line)};
	enum counter reason;

	assert(line.size != 0);
	if (message.kind == MESSAGE_EVENT)
		reason = decode_event(decoder, line, &message);
	else if (message.kind == MESSAGE_SERVICE_CHECK)
		reason = decode_check(decoder, line, &message);
	else
		reason = decode_metric(decoder, line, &message);
	if (reason == STAT_NONE)
		*ret_message = message;
	return reason;
}
