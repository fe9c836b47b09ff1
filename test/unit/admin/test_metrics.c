/* SPDX-License-Identifier: BSD-3-Clause */
/* The text is read by a strict parser of the exposition format, and counters are named as promtool
 * asks for. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "admin/metrics.h"
#include "fake_source.h"

#define FAMILIES_MAX 256
#define SAMPLES_MAX 1024

struct parsed {
	char *family[FAMILIES_MAX]; /* names, in order of their HELP */
	size_t n_families;
	char *sample[SAMPLES_MAX]; /* name and labels */
	char *value[SAMPLES_MAX];
	size_t n_samples;
};

static bool
is_name(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '_')
			return false;
	return size != 0 && !isdigit((unsigned char)text[0]);
}

static size_t
name_size(const char *line)
{
	size_t size = strcspn(line, " {");

	assert_true(is_name(line, size));
	return size;
}

/* "# HELP name text", then "# TYPE name type" of the same name, never seen before. */
static char *
parse_head(struct parsed *parsed, char *help, char *type)
{
	size_t size;

	assert_int_equal(strncmp(help, "# HELP ", 7), 0);
	help += 7;
	size = name_size(help);
	assert_true(help[size] == ' ' && help[size + 1] != '\0');
	assert_null(strchr(help + size, '\\'));
	help[size] = '\0';
	for (size_t i = 0; i < parsed->n_families; i++)
		assert_string_not_equal(parsed->family[i], help);
	parsed->family[parsed->n_families++] = help;

	assert_int_equal(strncmp(type, "# TYPE ", 7), 0);
	type += 7;
	assert_int_equal(strncmp(type, help, size), 0);
	assert_int_equal(type[size], ' ');
	type += size + 1;
	if (strcmp(type, "counter") == 0)
		assert_true(size > 6 && strcmp(help + size - 6, "_total") == 0);
	else
		assert_true((strcmp(type, "gauge") == 0 || strcmp(type, "histogram") == 0) &&
			(size < 6 || strcmp(help + size - 6, "_total") != 0));
	return help;
}

/* {name="value",…}; returns what is behind the brace. */
static char *
parse_labels(char *at)
{
	assert_int_equal(*at++, '{');
	for (;;) {
		size_t size = strcspn(at, "=");

		assert_true(is_name(at, size));
		at += size + 1;
		assert_int_equal(*at++, '"');
		for (; *at != '"'; at++) {
			assert_true(*at != '\0' && *at != '\n');
			if (*at == '\\')
				assert_non_null(strchr("\\\"n", *++at));
		}
		if (*++at == '}')
			return at + 1;
		assert_int_equal(*at++, ',');
	}
}

/* Only a histogram has samples of other names than its own. */
static bool
is_suffix(const char *family, const char *suffix, size_t size)
{
	static const char *const known[] = {"_bucket", "_sum", "_count"};

	if (strcmp(family, "penstock_worker_poll_gap_seconds") != 0)
		return size == 0;
	for (size_t i = 0; i < ARRAY_LENGTH(known); i++)
		if (strlen(known[i]) == size && strncmp(suffix, known[i], size) == 0)
			return true;
	return false;
}

static void
parse_sample(struct parsed *parsed, const char *family, char *line)
{
	size_t size = name_size(line);
	char *at = line + size, *end;

	assert_true(size >= strlen(family));
	assert_int_equal(strncmp(line, family, strlen(family)), 0);
	assert_true(is_suffix(family, line + strlen(family), size - strlen(family)));
	if (*at == '{')
		at = parse_labels(at);
	assert_int_equal(*at, ' ');
	*at++ = '\0';
	assert_true(*at != '\0' && !isspace((unsigned char)*at));
	strtod(at, &end);
	assert_int_equal(*end, '\0');
	for (size_t i = 0; i < parsed->n_samples; i++)
		assert_string_not_equal(parsed->sample[i], line);
	assert_true(parsed->n_samples < SAMPLES_MAX);
	parsed->sample[parsed->n_samples] = line;
	parsed->value[parsed->n_samples++] = at;
}

/* Ends the line as a string; returns the next one. */
static char *
cut_line(char *line)
{
	char *end = line + strcspn(line, "\n");

	if (*end == '\0')
		return end;
	*end = '\0';
	return end + 1;
}

static void
parse(char *text, size_t size, struct parsed *ret_parsed)
{
	char *family = NULL;

	assert_int_equal(text[size - 1], '\n');
	assert_null(memchr(text, '\0', size));
	text[size - 1] = '\0'; /* the last newline; what it ends is a string */
	for (char *line = text; *line != '\0';) {
		char *next = cut_line(line);

		if (line[0] == '#') {
			char *type = next;

			next = cut_line(type);
			family = parse_head(ret_parsed, line, type);
		} else {
			assert_non_null(family);
			parse_sample(ret_parsed, family, line);
		}
		line = next;
	}
}

static const char *
value_of(const struct parsed *parsed, const char *sample)
{
	for (size_t i = 0; i < parsed->n_samples; i++)
		if (strcmp(parsed->sample[i], sample) == 0)
			return parsed->value[i];
	fail_msg("no sample %s", sample);
	return NULL;
}

static void
keeps_to_the_exposition_format(void **state)
{
	static const struct {
		const char *sample, *value;
	} known[] = {
		{"penstock_lines_received_total", "300"},
		{"penstock_lines_rejected_total{reason=\"no_pipe\"}", "5"},
		{"penstock_lines_rejected_total{reason=\"truncated\"}", "0"},
		{"penstock_frames_dropped_total{reason=\"not_udp\"}", "10"},
		{"penstock_datagrams_queued", "1"},
		{"penstock_datagrams_received_by_listener_total{listener=\"udp\"}", "30"},
		{"penstock_datagrams_received_by_listener_total{listener=\"port\\\"0\\\\\"}", "90"},
		{"penstock_port_queues{port=\"port0\",kind=\"wanted\"}", "3"},
		{"penstock_port_queues{port=\"port0\",kind=\"granted\"}", "1"},
		{"penstock_port_hashes_ports{port=\"port0\"}", "0"},
		{"penstock_port_hashes_ports{port=\"up\"}", "1"},
		{"penstock_port_steered{port=\"port0\"}", "1"},
		{"penstock_port_steered{port=\"up\"}", "0"},
		{"penstock_port_frames_total{port=\"port0\",queue=\"0\",worker=\"worker2\"}", "40"},
		{"penstock_output_points_total{output=\"file\"}", "50"},
		{"penstock_output_queued{output=\"file\"}", "6"},
		{"penstock_output_dropped_total{output=\"file\",reason=\"write_error\"}", "4"},
		{"penstock_worker_turns_total", "7"},
		{"penstock_worker_stage_seconds_total{worker=\"slow\",stage=\"poll\"}",
			"1.000000000"},
		{"penstock_worker_stage_seconds_total{worker=\"slow\",stage=\"idle\"}",
			"4.000000001"},
		{"penstock_worker_stage_seconds_total{worker=\"worker1\",stage=\"decode\"}",
			"0.000000000"},
		{"penstock_worker_busy_turns_by_worker_total{worker=\"slow\"}", "3"},
		{"penstock_lines_received_by_worker_total{worker=\"slow\"}", "60"},
		{"penstock_worker_poll_gap_seconds_bucket{worker=\"slow\",le=\"0.000001024\"}",
			"2"},
		{"penstock_worker_poll_gap_seconds_bucket{worker=\"slow\",le=\"1.073741824\"}",
			"2"},
		{"penstock_worker_poll_gap_seconds_bucket{worker=\"slow\",le=\"+Inf\"}", "3"},
		{"penstock_worker_poll_gap_seconds_sum{worker=\"slow\"}", "1.500001000"},
		{"penstock_worker_poll_gap_seconds_count{worker=\"slow\"}", "3"},
		{"penstock_worker_poll_gap_max_seconds{worker=\"slow\"}", "1.500000000"},
		{"penstock_state{state=\"ready\"}", "1"},
		{"penstock_state{state=\"draining\"}", "0"},
		{"penstock_uptime_seconds", "65"},
		{"penstock_contexts", "11"},
		{"penstock_ledger_difference", "0"},
		{"penstock_build_info{version=\"" PENSTOCK_VERSION "\"}", "1"},
	};
	static struct parsed parsed;
	struct fake fake;
	size_t size;
	char *text;

	fake_init(&fake);
	fake_ports(&fake.status);
	assert_int_equal(metrics_text(&fake.ledger, &fake.status, &text, &size), 0);
	parse(text, size, &parsed);
	for (size_t i = 0; i < ARRAY_LENGTH(known); i++)
		assert_string_equal(value_of(&parsed, known[i].sample), known[i].value);
	free(text);
}

static void
has_what_each_port_says(void **state)
{
	static struct xstats xstats = {.n = 2,
		.item = {{.name = "rx_good_packets", .value = 77}, {.name = "a \"b\"\\"}}};
	static struct parsed parsed;
	struct fake fake;
	size_t size;
	char *text;

	(void)state;
	fake_init(&fake);
	fake.status.port[0] = (struct status_port){.name = "east",
		.link = {.state = LINK_UP,
			.changes = 4,
			.resets = 2,
			.members = 2,
			.members_active = 1,
			.xstats = &xstats}};
	fake.status.port[1] = (struct status_port){.name = "west", .link.state = LINK_GONE};
	fake.status.n_ports = 2;
	assert_int_equal(metrics_text(&fake.ledger, &fake.status, &text, &size), 0);
	parse(text, size, &parsed);
	assert_string_equal(value_of(&parsed, "penstock_port_link{port=\"east\"}"), "1");
	assert_string_equal(value_of(&parsed, "penstock_port_link{port=\"west\"}"), "0");
	assert_string_equal(value_of(&parsed, "penstock_port_link_changes_total{port=\"east\"}"),
		"4");
	assert_string_equal(value_of(&parsed, "penstock_port_resets_total{port=\"east\"}"), "2");
	assert_string_equal(value_of(&parsed, "penstock_port_members_active{port=\"east\"}"), "1");
	assert_string_equal(
		value_of(&parsed, "penstock_port_xstat{port=\"east\",name=\"rx_good_packets\"}"),
		"77");
	assert_string_equal(
		value_of(&parsed, "penstock_port_xstat{port=\"east\",name=\"a \\\"b\\\"\\\\\"}"),
		"0");
	free(text);
}

static void
has_every_row_of_the_list(void **state)
{
	static struct parsed parsed;
	struct fake fake;
	char *text, sample[160];
	size_t size;

	fake_init(&fake);
	for (enum counter stat = STAT_NONE + 1; stat < STAT_COUNT; stat++)
		fake.ledger.stats.counter[stat] = 1000 + stat;
	assert_int_equal(metrics_text(&fake.ledger, &fake.status, &text, &size), 0);
	parse(text, size, &parsed);
	for (enum counter stat = STAT_NONE + 1; stat < STAT_COUNT; stat++) {
		const struct stat_info *info = &stat_info[stat];

		if (info->group != NULL)
			snprintf(sample, sizeof(sample), "penstock_%s_%s_total{reason=\"%s\"}",
				info->level, info->group, info->name);
		else
			snprintf(sample, sizeof(sample), "penstock_%s_%s%s", info->level,
				info->name, strcmp(info->name, "queued") != 0 ? "_total" : "");
		assert_int_equal(strtol(value_of(&parsed, sample), NULL, 10), 1000 + stat);
	}
	free(text);
}

static void
has_every_family_of_the_other_list(void **state)
{
	static const char *const names[] = {
#define METRIC(enumerator, name, type, labels, help) name,
#include "admin/metrics.def"
#undef METRIC
	};
	static struct parsed parsed;
	struct fake fake;
	size_t size;
	char *text;

	fake_init(&fake);
	assert_int_equal(metrics_text(&fake.ledger, &fake.status, &text, &size), 0);
	parse(text, size, &parsed);
	for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
		bool found = false;

		for (size_t j = 0; j < parsed.n_families; j++)
			found |= strcmp(parsed.family[j], names[i]) == 0;
		if (!found)
			fail_msg("no family %s", names[i]);
	}
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_to_the_exposition_format),
		cmocka_unit_test(has_what_each_port_says),
		cmocka_unit_test(has_every_row_of_the_list),
		cmocka_unit_test(has_every_family_of_the_other_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
