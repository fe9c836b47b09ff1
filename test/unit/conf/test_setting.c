/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "conf/nearest.h"
#include "conf/setting.h"
#include "penstockd/setting_print.h"

struct gate {
	struct conf_place place;
	char *name;
	uint32_t width;
};

struct weir {
	bool open;
	uint32_t count;
	uint64_t size;
	uint32_t wait, mode;
	char *text, *cores;
	int colour;
	struct string_list words;
	struct object_list gates;
	uint64_t depth;
};

static const char *const colours[] = {"red", "green", NULL};

static enum setting_verdict
check_word(const char *text, char why[SETTING_WHY_SIZE])
{
	snprintf(why, SETTING_WHY_SIZE, "no %s here", text);
	if (strcmp(text, "bad") == 0)
		return SETTING_WRONG;
	return strcmp(text, "odd") == 0 ? SETTING_LEFT_OUT : SETTING_FITS;
}

#define AT(name) .offset = offsetof(struct weir, name)

static const struct setting gate_rows[] = {
	{.name = "name",
		.kind = SETTING_STRING,
		.offset = offsetof(struct gate, name),
		.value = "g"},
	{.name = "width",
		.kind = SETTING_UINT32,
		.offset = offsetof(struct gate, width),
		.value = "7",
		.min = 1,
		.max = 9},
	{0},
};
static const struct setting_table gate_table = {.what = "a gate",
	.row = gate_rows,
	.size = sizeof(struct gate)};

static const struct setting inner_rows[] = {
	{.name = "depth", .kind = SETTING_UINT64, AT(depth), .value = "3", .max = UINT64_MAX},
	{0},
};
static const struct setting_table inner_table = {.what = "inner", .row = inner_rows};

static const struct setting rows[] = {
	{.name = "open", .kind = SETTING_BOOL, AT(open), .value = "no"},
	{.name = "count", .kind = SETTING_UINT32, AT(count), .value = "1", .min = 1, .max = 10},
	{.name = "size", .kind = SETTING_SIZE, AT(size), .value = "1k", .max = 1ull << 40},
	{.name = "wait", .kind = SETTING_SECONDS, AT(wait), .value = "5", .max = 7200},
	{.name = "mode", .kind = SETTING_MODE, AT(mode), .value = "0722", .max = 0777},
	{.name = "text", .kind = SETTING_STRING, AT(text), .value = "x"},
	{.name = "cores", .kind = SETTING_CORES, AT(cores), .value = "auto", .max = 64},
	{.name = "colour", .kind = SETTING_ENUM, AT(colour), .value = "red", .names = colours},
	{.name = "words", .kind = SETTING_STRINGS, AT(words), .value = "a b", .check = check_word},
	{.name = "gates", .kind = SETTING_OBJECTS, AT(gates), .table = &gate_table},
	{.name = "inner", .kind = SETTING_OBJECT, .table = &inner_table},
	{.name = "foreign*", .agent = SETTING_UNSUPPORTED},
	{0},
};
static const struct setting_table table = {.what = "a weir", .row = rows};

/* What one text made of the defaults. */
struct outcome {
	struct weir weir;
	struct warnings warnings;
	int result;
	char message[1024]; /* of the error, or of the first warning */
};

static void
read_text(const char *text, struct outcome *outcome)
{
	struct conf_error error = {0};
	struct setting_source source = {"w.yaml", &outcome->warnings, &error};
	struct conf conf;

	memset(outcome, 0, sizeof(*outcome));
	assert_int_equal(setting_defaults(&table, &outcome->weir, &source), 0);
	assert_int_equal(conf_parse(span_from_string(text), "w.yaml", &conf, &error), 0);
	outcome->result = setting_read(&table, &outcome->weir, conf.root, &source);
	conf_free(&conf);
	if (outcome->result != 0)
		conf_error_text(&error, outcome->message, sizeof(outcome->message));
	else if (outcome->warnings.n != 0)
		conf_error_text(&outcome->warnings.item[0], outcome->message,
			sizeof(outcome->message));
}

static void
done(struct outcome *outcome)
{
	setting_free(&table, &outcome->weir);
	warnings_free(&outcome->warnings);
}

static void
expect_refused(const char *text, const char *message)
{
	struct outcome outcome;

	read_text(text, &outcome);
	assert_int_equal(outcome.result, -EINVAL);
	assert_string_equal(outcome.message, message);
	done(&outcome);
}

static void
defaults_hold_where_nothing_is_given(void **state)
{
	struct outcome outcome;

	(void)state;
	read_text("{text: ~, count: null, gates: , inner: {}}", &outcome);
	assert_int_equal(outcome.result, 0);
	assert_false(outcome.weir.open);
	assert_int_equal(outcome.weir.count, 1);
	assert_int_equal(outcome.weir.size, 1024);
	assert_int_equal(outcome.weir.wait, 5);
	assert_int_equal(outcome.weir.mode, 0722);
	assert_string_equal(outcome.weir.text, "x");
	assert_string_equal(outcome.weir.cores, "auto");
	assert_int_equal(outcome.weir.words.n, 2);
	assert_int_equal(outcome.weir.gates.n, 0);
	assert_int_equal(outcome.weir.depth, 3);
	done(&outcome);
}

static void
values_are_read_in_every_spelling(void **state)
{
	struct outcome outcome;

	(void)state;
	read_text("open: Yes\ncount: '10'\nsize: 3 MiB\nwait: 2h\nmode: 0o640\n"
		  "text: \"a b\"\ncores: 2, 4-6\ncolour: green\nwords: [c, \"d e\"]\n"
		  "gates: [{width: 9}, {name: n}]\ninner: {depth: 18446744073709551615}\n",
		&outcome);
	assert_int_equal(outcome.result, 0);
	assert_true(outcome.weir.open);
	assert_int_equal(outcome.weir.count, 10);
	assert_int_equal(outcome.weir.size, 3145728);
	assert_int_equal(outcome.weir.wait, 7200);
	assert_int_equal(outcome.weir.mode, 0640);
	assert_string_equal(outcome.weir.text, "a b");
	assert_string_equal(outcome.weir.cores, "[2,4,5,6]");
	assert_int_equal(outcome.weir.colour, 1);
	assert_int_equal(outcome.weir.words.n, 2);
	assert_string_equal(outcome.weir.words.item[1], "d e");
	assert_int_equal(outcome.weir.gates.n, 2);
	assert_int_equal(((struct gate *)outcome.weir.gates.item)[0].width, 9);
	assert_string_equal(((struct gate *)outcome.weir.gates.item)[0].name, "g");
	assert_int_equal(((struct gate *)outcome.weir.gates.item)[0].place.column, 9);
	assert_true(outcome.weir.depth == UINT64_MAX);
	done(&outcome);
}

static void
a_list_of_cores_is_no_count(void **state)
{
	static const struct {
		const char *text, *cores;
	} good[] = {
		{"cores: 2", "2"},
		{"cores: [2]", "[2]"},
		{"cores: '[2]'", "[2]"},
		{"cores: [2, 3]", "[2,3]"},
		{"cores: 3-5", "[3,4,5]"},
		{"cores: [1, 3-5]", "[1,3,4,5]"},
		{"cores: auto", "auto"},
	};
	struct outcome outcome;

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(good); i++) {
		read_text(good[i].text, &outcome);
		assert_string_equal(outcome.weir.cores, good[i].cores);
		done(&outcome);
	}
	expect_refused("cores: [2, 2]",
		"w.yaml:1:8: cores: expected auto, a count from 0 to 64, or "
		"a list of cores such as [2, 3], not '[2,2]'");
	expect_refused("cores: 65",
		"w.yaml:1:8: cores: expected auto, a count from 0 to 64, or a "
		"list of cores such as [2, 3], not '65'");
	expect_refused("cores: [5-4]",
		"w.yaml:1:8: cores: expected auto, a count from 0 to 64, or "
		"a list of cores such as [2, 3], not '[5-4]'");
	expect_refused("cores: [4096]",
		"w.yaml:1:8: cores: expected auto, a count from 0 to 64, or "
		"a list of cores such as [2, 3], not '[4096]'");
}

static void
bad_values_are_refused_with_place_and_expectation(void **state)
{
	(void)state;
	expect_refused("open: maybe", "w.yaml:1:7: open: expected true or false, not 'maybe'");
	expect_refused("\ncount:  11",
		"w.yaml:2:9: count: expected a whole number from 1 to 10, not '11'");
	expect_refused("count: 0",
		"w.yaml:1:8: count: expected a whole number from 1 to 10, not "
		"'0'");
	expect_refused("count: 07",
		"w.yaml:1:8: count: expected a whole number from 1 to 10, not "
		"'07'");
	expect_refused("count: 1.0",
		"w.yaml:1:8: count: expected a whole number from 1 to 10, not "
		"'1.0'");
	expect_refused("count: 18446744073709551617",
		"w.yaml:1:8: count: expected a whole number from 1 to 10, not "
		"'18446744073709551617'");
	expect_refused("size: 99999999999TiB",
		"w.yaml:1:7: size: expected a size from 0 to 1TiB, such as 256MiB, not "
		"'99999999999TiB'");
	expect_refused("size: 1 QiB",
		"w.yaml:1:7: size: expected a size from 0 to 1TiB, such as "
		"256MiB, not '1 QiB'");
	expect_refused("wait: 3h",
		"w.yaml:1:7: wait: expected a time from 0 to 7200 seconds, not "
		"'3h'");
	expect_refused("wait: 500ms",
		"w.yaml:1:7: wait: expected a time from 0 to 7200 seconds, "
		"not '500ms'");
	expect_refused("mode: 0789",
		"w.yaml:1:7: mode: expected an octal mode from 0 to 0777, not "
		"'0789'");
	expect_refused("colour: grean",
		"w.yaml:1:9: colour: expected red or green, not 'grean'; "
		"did you mean 'green'?");
}

static void
wrong_kinds_are_refused(void **state)
{
	(void)state;
	expect_refused("count: [1]",
		"w.yaml:1:8: count: expected a whole number from 1 to 10, not "
		"a list");
	expect_refused("text: {a: b}", "w.yaml:1:7: text: expected a text, not a mapping");
	expect_refused("words: {a: b}",
		"w.yaml:1:8: words: expected a list of texts, not a "
		"mapping");
	expect_refused("words: [[a]]", "w.yaml:1:9: words: expected a text as item of the list");
	expect_refused("words: [a, ]\ngates: {}",
		"w.yaml:2:8: gates: expected a list of mappings, "
		"not a mapping");
	expect_refused("gates: [1]", "w.yaml:1:9: gates: expected a mapping that describes a gate");
	expect_refused("inner: 4", "w.yaml:1:8: inner: expected a mapping, not a single value");
	expect_refused("cores: [a, [1]]", "w.yaml:1:12: cores: expected a core's number");
}

static void
unknown_keys_are_refused_with_the_nearest_name(void **state)
{
	(void)state;
	expect_refused("count: 2\ncuont: 3\n",
		"w.yaml:2:1: 'cuont' is not a setting of a weir; did you mean 'count'?");
	expect_refused("gates:\n  - {name: a}\n  - {widht: 3}\n",
		"w.yaml:3:6: 'widht' is not a setting of a gate; did you mean 'width'?");
	expect_refused("zzzzzzzz: 1", "w.yaml:1:1: 'zzzzzzzz' is not a setting of a weir");
}

static void
a_foreign_key_is_a_warning(void **state)
{
	struct outcome outcome;

	(void)state;
	read_text("foreign_thing: {a: [b]}\n", &outcome);
	assert_int_equal(outcome.result, 0);
	assert_int_equal(outcome.warnings.n, 1);
	assert_string_equal(outcome.message,
		"w.yaml:1:1: foreign_thing is a setting of the Datadog Agent that Penstock does "
		"not "
		"support yet; it has no effect");
	done(&outcome);
}

static void
a_check_can_refuse_an_item_or_leave_it_out(void **state)
{
	struct outcome outcome;

	(void)state;
	expect_refused("words: [a, bad]", "w.yaml:1:12: words: no bad here");
	expect_refused("words: a bad", "w.yaml:1:8: words: no bad here");
	read_text("words:\n  - a\n  - odd\n", &outcome);
	assert_int_equal(outcome.result, 0);
	assert_int_equal(outcome.weir.words.n, 1);
	assert_string_equal(outcome.message, "w.yaml:3:5: words: no odd here");
	done(&outcome);
}

static void
print(const struct weir *weir, char **ret_text)
{
	size_t size;
	FILE *out = open_memstream(ret_text, &size);

	assert_non_null(out);
	setting_print(&table, weir, out);
	fclose(out);
}

static void
what_is_printed_reads_back_to_the_same(void **state)
{
	struct outcome first, second;
	char *once, *twice;

	(void)state;
	/* U+0085, U+2028 and U+FEFF end lines or are refused when they stand in a file. */
	read_text("text: \"\\N\\L\\uFEFF\\\"\\\\\\t\\x07 é 😀 ~\"\nwords: [' a', '#', '', \"\\n\"]\n"
		  "gates: [{name: 'null'}, {name: '- x: y'}]\ncores: [7]\nsize: 5000\n",
		&first);
	assert_int_equal(first.result, 0);
	print(&first.weir, &once);
	read_text(once, &second);
	assert_int_equal(second.result, 0);
	assert_string_equal(first.weir.text, second.weir.text);
	assert_string_equal(second.weir.words.item[3], "\n");
	assert_string_equal(second.weir.words.item[2], "");
	assert_int_equal(second.weir.size, 5000);
	print(&second.weir, &twice);
	assert_string_equal(once, twice);
	free(once);
	free(twice);
	done(&first);
	done(&second);
}

static void
warnings_beyond_the_limit_are_counted(void **state)
{
	struct warnings warnings = {0};

	(void)state;
	for (int i = 0; i < WARNINGS_MAX + 5; i++)
		warnings_add(&warnings, "f", 1, 1, "%d", i);
	assert_int_equal(warnings.n, WARNINGS_MAX);
	assert_int_equal(warnings.n_omitted, 5);
	warnings_free(&warnings);
}

static void
nearest_counts_edits(void **state)
{
	struct nearest nearest = {.name = "dogstatsd-prot"};

	(void)state;
	nearest_offer(&nearest, "hostname");
	assert_null(nearest.best);
	nearest_offer(&nearest, "dogstatsd_port"); /* one swap; '-' is '_' */
	assert_string_equal(nearest.best, "dogstatsd_port");
	assert_int_equal(nearest.distance, 1);
	nearest_offer(&nearest, "dogstatsd_parts");
	assert_string_equal(nearest.best, "dogstatsd_port");
	/* kitten -> sitting is three edits, the classic example. */
	nearest = (struct nearest){.name = "kitten"};
	nearest_offer(&nearest, "sitting");
	assert_int_equal(nearest.distance, 3);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_hold_where_nothing_is_given),
		cmocka_unit_test(values_are_read_in_every_spelling),
		cmocka_unit_test(a_list_of_cores_is_no_count),
		cmocka_unit_test(bad_values_are_refused_with_place_and_expectation),
		cmocka_unit_test(wrong_kinds_are_refused),
		cmocka_unit_test(unknown_keys_are_refused_with_the_nearest_name),
		cmocka_unit_test(a_foreign_key_is_a_warning),
		cmocka_unit_test(a_check_can_refuse_an_item_or_leave_it_out),
		cmocka_unit_test(what_is_printed_reads_back_to_the_same),
		cmocka_unit_test(warnings_beyond_the_limit_are_counted),
		cmocka_unit_test(nearest_counts_edits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
