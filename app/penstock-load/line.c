/* SPDX-License-Identifier: BSD-3-Clause */
/* hot: no malloc, no syscall, no log, no lock */
#include "penstock-load/line.h"

#include "penstock-load/digits.h"
#include "penstock-load/malformed.h"
#include "penstock-load/notice.h"

size_t
line_size_max(const struct profile_options *options)
{
	uint32_t n_tags = options->naming.n_tags + (options->reordered > 0 ? 1 : 0);
	size_t rest = options->events > 0 || options->checks > 0 ? 512 : 160;

	return strlen(options->naming.prefix) + SERIES_NAME_MAX - SERIES_PREFIX_MAX +
		n_tags * (size_t)(SERIES_TAG_MAX + 1) + rest;
}

static char *
write_eighths(char *at, int32_t value)
{
	static const char fraction[EIGHTHS][5] = {"", ".125", ".25", ".375", ".5", ".625", ".75",
		".875"};
	uint32_t size = value < 0 ? -(uint32_t)value : (uint32_t)value;

	if (value < 0)
		*at++ = '-';
	at = digits_write(at, size / EIGHTHS, 1);
	for (const char *digit = fraction[size % EIGHTHS]; *digit != '\0'; digit++)
		*at++ = *digit;
	return at;
}

static char *
write_number(char *at, int32_t value, enum notation notation)
{
	switch (notation) {
	case NOTATION_PLUS:
		*at++ = '+';
		return write_eighths(at, value);
	case NOTATION_EXPONENT:
		at = write_eighths(at, value / 1000);
		return digits_literal(at, "e3");
	default:
		return write_eighths(at, value);
	}
}

/* A member may hold colons: the whole value is one member. */
static char *
write_member(char *at, int32_t member)
{
	at = member % 4 == 0 ? digits_literal(at, "id:") : digits_literal(at, "user-");
	return digits_write(at, (uint64_t)member, 1);
}

static char *
write_tags(const struct profile *profile, const struct line *line, bool is_reordered, char *at)
{
	uint32_t n = profile->options.naming.n_tags;
	uint32_t first = is_reordered ? line->variant % n : 0;

	at = digits_literal(at, "|#");
	for (uint32_t i = 0; i < n; i++) {
		if (i != 0)
			*at++ = ',';
		at = series_write_tag(line->context, (first + i) % n, at);
	}
	if (is_reordered) {
		*at++ = ',';
		at = series_write_tag(line->context, first, at);
	}
	return at;
}

static char *
write_metric(const struct profile *profile, const struct line *line, char *at)
{
	const char *type = series_type_text[line->type], *rate = rate_table[line->rate].text;

	at = series_write_name(&profile->options.naming, line->context, line->type, at);
	for (uint32_t i = 0; i < line->n_values; i++) {
		*at++ = ':';
		if (line->type == SERIES_SET)
			at = write_member(at, line->values[i]);
		else
			at = write_number(at, line->values[i], line->notation);
	}
	*at++ = '|';
	at = digits_append(at, type, strlen(type));
	if (line->rate != RATE_NONE) {
		at = digits_literal(at, "|@");
		at = digits_append(at, rate, strlen(rate));
	}
	if (line->timestamp != 0)
		at = digits_write(digits_literal(at, "|T"), (uint64_t)line->timestamp, 1);
	if (profile->options.naming.n_tags != 0)
		at = write_tags(profile, line, line->is_reordered, at);
	return at;
}

/* A newline of an event's text is written as the two characters "\n". */
static char *
write_escaped(char *at, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '\n')
			at = digits_literal(at, "\\n");
		else
			*at++ = *text;
	}
	return at;
}

static char *
write_field(char *at, const char *name, const char *value)
{
	if (*value == '\0')
		return at;
	at = digits_append(at, name, strlen(name));
	return digits_append(at, value, strlen(value));
}

static char *
write_time(char *at, int64_t timestamp)
{
	if (timestamp == 0)
		return at;
	return digits_write(digits_literal(at, "|d:"), (uint64_t)timestamp, 1);
}

static char *
write_event(const struct profile *profile, const struct line *line, char *at)
{
	struct notice notice;
	char title[2 * sizeof(notice.title)], text[2 * sizeof(notice.text)];
	size_t title_size, text_size;

	notice_of_event(profile, line, &notice);
	title_size = (size_t)(write_escaped(title, notice.title) - title);
	text_size = (size_t)(write_escaped(text, notice.text) - text);
	at = digits_write(digits_literal(at, "_e{"), title_size, 1);
	*at++ = ',';
	at = digits_write(at, text_size, 1);
	at = digits_append(digits_literal(at, "}:"), title, title_size);
	*at++ = '|';
	at = digits_append(at, text, text_size);
	at = write_time(at, notice.timestamp);
	at = write_field(at, "|h:", notice.host);
	at = write_field(at, "|k:", notice.key);
	if (notice.is_low)
		at = digits_literal(at, "|p:low");
	at = write_field(at, "|s:", NOTICE_SOURCE_TYPE);
	at = write_field(at, "|t:", notice_alert_text[notice.alert]);
	if (profile->options.naming.n_tags != 0)
		at = write_tags(profile, line, false, at);
	return at;
}

static char *
write_check(const struct profile *profile, const struct line *line, char *at)
{
	struct notice notice;

	notice_of_check(profile, line, &notice);
	at = digits_literal(at, "_sc|");
	at = notice_write_check_name(profile, line, at);
	*at++ = '|';
	at = digits_write(at, notice.status, 1);
	at = write_time(at, notice.timestamp);
	at = write_field(at, "|h:", notice.host);
	if (profile->options.naming.n_tags != 0)
		at = write_tags(profile, line, false, at);
	return write_field(at, "|m:", notice.text);
}

char *
line_write(const struct profile *profile, const struct line *line, char *at)
{
	switch (line->kind) {
	case LINE_EVENT:
		return write_event(profile, line, at);
	case LINE_CHECK:
		return write_check(profile, line, at);
	case LINE_MALFORMED:
		return malformed_write(profile, line, at);
	default:
		return write_metric(profile, line, at);
	}
}
