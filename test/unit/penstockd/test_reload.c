/* SPDX-License-Identifier: BSD-3-Clause */
/* Which changes of a configuration a running daemon takes, and how it names those that it cannot.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "penstockd/reload.h"
#include "penstockd/settings.h"

static const char *no_variables[] = {NULL};

static void
load(const char *text, struct options *options)
{
	struct warnings warnings = {0};
	struct conf_error error;

	assert_int_equal(options_parse(span_from_string(text), "p.yaml", no_variables, options,
				 &warnings, &error),
		0);
	warnings_free(&warnings);
}

static void
compare(const char *before, const char *after, struct reload_changes *changes)
{
	struct options running, wanted;

	load(before, &running);
	load(after, &wanted);
	assert_int_equal(reload_compare(&running, &wanted, changes), 0);
	options_free(&running);
	options_free(&wanted);
}

static void
expect_refused(const char *before, const char *after, const char *text)
{
	struct reload_changes changes;

	compare(before, after, &changes);
	assert_string_equal(changes.refused.text, text);
	assert_int_equal(changes.taken.n, 0);
}

static void
the_same_configuration_has_no_changes(void **state)
{
	struct reload_changes changes;

	(void)state;
	compare("", "", &changes);
	assert_int_equal(changes.taken.n + changes.refused.n, 0);
	/* Written in another way. */
	compare("dogstatsd_tags: [a, b]\npenstock:\n  max_context_bytes: 1GiB\n  stop_timeout: "
		"60\n",
		"penstock: {stop_timeout: 1m, max_context_bytes: 1048576k}\ndogstatsd_tags: a b\n",
		&changes);
	assert_int_equal(changes.taken.n + changes.refused.n, 0);
}

static void
a_change_that_needs_a_restart_is_named_with_both_values(void **state)
{
	(void)state;
	expect_refused("dogstatsd_port: 8125\n", "dogstatsd_port: 8126\n",
		"dogstatsd_port has changed from \"8125\" to \"8126\"");
	expect_refused("", "dogstatsd_tags: [a, b:c]\ndogstatsd_buffer_size: 9000\n",
		"dogstatsd_tags has changed from [] to [\"a\", \"b:c\"], dogstatsd_buffer_size has "
		"changed from 8192 to 9000");
	expect_refused("penstock: {admin: {http: ''}}", "penstock: {admin: {http: '[::1]:1'}}",
		"penstock: admin: http has changed from \"\" to \"[::1]:1\"");
	expect_refused("penstock: {ports: [{device: net_null0}, {device: net_null1}]}",
		"penstock: {ports: [{device: net_null0}, {device: net_null1, queues: 2}]}",
		"penstock: ports[1]: queues has changed from \"auto\" to \"2\"");
	expect_refused("", "penstock: {ports: [{device: net_null0}]}",
		"penstock: ports has changed from 0 items to 1 items");
	expect_refused("penstock: {outputs: [{type: file}]}", "penstock: {outputs: [{type: null}]}",
		"penstock: outputs[0]: type has changed from \"file\" to \"null\", "
		"penstock: outputs[0]: name has changed from \"file\" to \"null\", "
		"penstock: outputs[0]: path has changed from \"/var/lib/penstock/metrics.ndjson\" "
		"to \"\"");
}

/* A value of 101 bytes whose 100th byte is in the middle of a character. */
static void
long_values_are_cut_between_characters(void **state)
{
	char before[256], expected[256], a[99];

	(void)state;
	memset(a, 'a', sizeof(a) - 1);
	a[sizeof(a) - 1] = '\0';
	snprintf(before, sizeof(before), "hostname: x\ntags: ['%s\xc3\xa9']\n", a);
	/* As it is printed: [" and then 98 letters; é would be the bytes 101 and 102. */
	snprintf(expected, sizeof(expected), "tags has changed from [\"%s… to []", a);
	expect_refused(before, "hostname: x\n", expected);
}

static void
changes_without_room_are_counted(void **state)
{
	char text[8192];
	struct reload_changes changes;
	size_t used = (size_t)snprintf(text, sizeof(text), "penstock:\n  outputs:\n");

	(void)state;
	for (int i = 0; i < 16; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
			"    - {type: file, path: /tmp/%d}\n", i);
	compare("penstock: {outputs: [{type: null}, {type: null}, {type: null}, {type: null}, "
		"{type: null}, {type: null}, {type: null}, {type: null}, {type: null}, "
		"{type: null}, {type: null}, {type: null}, {type: null}, {type: null}, "
		"{type: null}, {type: null}]}",
		text, &changes);
	/* Type, name and path of each. */
	assert_int_equal(changes.refused.n + changes.refused.n_omitted, 48);
	assert_true(changes.refused.n_omitted > 0);
	assert_true(strlen(changes.refused.text) < sizeof(changes.refused.text));
}

/* Every row that says that a reload takes it changes here, and is the same afterwards. */
static void
what_a_reload_takes_is_taken(void **state)
{
	static const char before[] = "";
	static const char after[] = "use_dogstatsd: false\n"
				    "histogram_aggregates: [max, sum]\n"
				    "histogram_percentiles: [0.5, 0.99]\n"
				    "penstock:\n"
				    "  max_contexts: 5\n"
				    "  max_context_bytes: 1GiB\n"
				    "  flush_on_stop: false\n"
				    "  zero_fill: false\n"
				    "  stop_timeout: 3\n";
	struct options running, wanted;
	struct reload_changes changes;

	(void)state;
	load(before, &running);
	load(after, &wanted);
	assert_int_equal(reload_compare(&running, &wanted, &changes), 0);
	assert_int_equal(changes.refused.n, 0);
	assert_int_equal(changes.taken.n, 8);
	assert_non_null(strstr(changes.taken.text,
		"penstock: max_contexts has changed from 1000000 to 5, penstock: max_context_bytes "
		"has changed from 512MiB to 1GiB"));
	reload_take(&running, &wanted);
	options_free(&wanted);

	load(after, &wanted);
	assert_int_equal(reload_compare(&running, &wanted, &changes), 0);
	assert_int_equal(changes.taken.n + changes.refused.n, 0);
	assert_true(running.histogram.sum && !running.histogram.avg);
	assert_int_equal(running.histogram.n_percentiles, 2);
	options_free(&wanted);
	options_free(&running);
}

static size_t
count_rows(const struct setting_table *table)
{
	size_t n = 0;

	for (const struct setting *row = table->row; row->name != NULL; row++)
		n += row->can_reload + (row->table != NULL ? count_rows(row->table) : 0);
	return n;
}

/* A row that says so needs a line in reload_take, and one in the test above. */
static void
eight_settings_can_be_reloaded(void **state)
{
	(void)state;
	assert_int_equal(count_rows(&settings_table), 8);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_configuration_has_no_changes),
		cmocka_unit_test(a_change_that_needs_a_restart_is_named_with_both_values),
		cmocka_unit_test(long_values_are_cut_between_characters),
		cmocka_unit_test(changes_without_room_are_counted),
		cmocka_unit_test(what_a_reload_takes_is_taken),
		cmocka_unit_test(eight_settings_can_be_reloaded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
