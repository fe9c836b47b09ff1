/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "conf/conf.h"

static void
parse(const char *text, struct conf *conf)
{
	struct conf_error error = {0};

	assert_int_equal(conf_parse(span_from_string(text), "a.yaml", conf, &error), 0);
}

static void
expect_refused(struct span text, const char *message)
{
	struct conf_error error;
	struct conf conf;
	char written[1024];

	assert_true(conf_parse(text, "a.yaml", &conf, &error) < 0);
	conf_error_text(&error, written, sizeof(written));
	assert_string_equal(written, message);
}

static void
every_node_knows_its_place(void **state)
{
	const struct conf_node *list;
	struct conf conf;

	(void)state;
	/* Columns count characters, not bytes: "é" is two bytes. */
	parse("é: 1\nlist:\n  - a\n  -   'b'\nmap: {x: y}\n", &conf);
	assert_int_equal(conf.root->kind, CONF_MAP);
	assert_int_equal(conf.root->first->line, 1);
	assert_int_equal(conf.root->first->column, 4);
	list = conf_find(conf.root, "list");
	assert_int_equal(list->key_line, 2);
	assert_int_equal(list->key_column, 1);
	assert_int_equal(list->kind, CONF_LIST);
	assert_string_equal(list->first->text, "a");
	assert_true(list->first->is_plain);
	assert_int_equal(list->first->next->line, 4);
	assert_int_equal(list->first->next->column, 7);
	assert_false(list->first->next->is_plain);
	assert_null(list->first->next->next);
	assert_string_equal(conf_find(conf_find(conf.root, "map"), "x")->text, "y");
	assert_null(conf_find(conf.root, "none"));
	assert_null(conf_find(list, "a"));
	conf_free(&conf);
}

static void
an_empty_file_has_no_root(void **state)
{
	static const char *const texts[] = {"", "\n\n", "# only a comment\n", "\xef\xbb\xbf"};
	struct conf conf;

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(texts); i++) {
		parse(texts[i], &conf);
		assert_null(conf.root);
		conf_free(&conf);
	}
}

static void
only_a_plain_null_is_null(void **state)
{
	const struct conf_node *node;
	struct conf conf;

	(void)state;
	parse("[ ~, null, Null, NULL, 'null', nil, '' ]", &conf);
	node = conf.root->first;
	for (int i = 0; i < 4; i++, node = node->next)
		assert_true(conf_is_null(node));
	for (; node != NULL; node = node->next)
		assert_false(conf_is_null(node));
	conf_free(&conf);
}

static void
what_could_grow_or_hide_is_refused_at_its_place(void **state)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{"a: &x 1\n",
			"a.yaml:1:4: anchors and aliases ('x') are not supported: write the "
			"value out"},
		{"a: 1\nb: *x\n",
			"a.yaml:2:4: anchors and aliases ('x') are not supported: write "
			"the value out"},
		{"*x : 1\n",
			"a.yaml:1:1: anchors and aliases ('x') are not supported: write the "
			"value out"},
		{"a: !!binary aGk=\n",
			"a.yaml:1:4: tags ('tag:yaml.org,2002:binary') are not "
			"supported: write the plain value"},
		{"a: 1\nb: 2\na: 3\n", "a.yaml:3:1: 'a' is given twice, first in line 1"},
		{"a: 1\n---\nb: 2\n", "a.yaml:2:1: a second document: only one is read"},
		{"? [a]\n: 1\n",
			"a.yaml:1:3: expected the name of a setting, not a list or "
			"mapping"},
		{"? {a: b}\n: 1\n",
			"a.yaml:1:3: expected the name of a setting, not a list or "
			"mapping"},
		{"'': 1\n", "a.yaml:1:1: expected the name of a setting"},
		{"a: \"x\\0y\"\n", "a.yaml:1:4: a NUL character inside a text"},
		{"a: [[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]\n",
			"a.yaml:1:19: more than 16 lists and mappings inside each other"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(bad); i++)
		expect_refused(span_from_string(bad[i].text), bad[i].message);
}

static void
what_is_not_utf8_is_refused_at_its_byte(void **state)
{
	(void)state;
	/* The fifth byte of the line is where a sequence of two should go on. */
	expect_refused(span_from_string("a: 1\nb: \xc3(\n"),
		"a.yaml:2:5: expected UTF-8 text: invalid trailing UTF-8 octet");
	expect_refused(span_from_string("a: \x01\n"),
		"a.yaml:1:4: expected UTF-8 text: control characters are not allowed");
	/* UTF-16 with its mark would be a different text than the editor shows. */
	expect_refused(span_of("\xff\xfe"
			       "a\0:\0 \0",
			       8),
		"a.yaml:1:1: expected UTF-8 text: invalid leading UTF-8 octet");
}

static void
bad_syntax_is_refused_at_its_place(void **state)
{
	struct conf_error error;
	struct conf conf;

	(void)state;
	assert_true(conf_parse(span_from_string("a: 1\n\tb: 2\n"), "a.yaml", &conf, &error) < 0);
	assert_int_equal(error.line, 2);
	assert_int_equal(error.column, 1);
	assert_non_null(strstr(error.text, "not valid YAML"));
	assert_true(conf_parse(span_from_string("a: [1, 2\n"), "a.yaml", &conf, &error) < 0);
	assert_int_equal(error.line, 2);
}

static void
sizes_are_bounded(void **state)
{
	size_t size = CONF_SIZE_MAX + 1, used = 0;
	char *text = malloc(size);

	(void)state;
	assert_non_null(text);
	memset(text, ' ', size);
	expect_refused(span_of(text, size), "a.yaml: larger than 1048576 bytes");
	for (int i = 0; i <= CONF_KEYS_MAX; i++)
		used += (size_t)snprintf(text + used, size - used, "k%d: 1\n", i);
	expect_refused(span_of(text, used), "a.yaml:1001:1: more than 1000 keys in one mapping");
	free(text);
}

static void
a_file_that_is_missing_is_named(void **state)
{
	struct conf_error error;
	struct conf conf;

	(void)state;
	assert_true(conf_read("/nonexistent/a.yaml", &conf, &error) < 0);
	assert_string_equal(error.file, "/nonexistent/a.yaml");
	assert_string_equal(error.text, "cannot be read: No such file or directory");
	assert_true(conf_read("/", &conf, &error) < 0);
	assert_string_equal(error.text, "cannot be read: Is a directory");
}

static void
quoting_stays_inside_its_room(void **state)
{
	char out[CONF_QUOTED_SIZE], text[300];

	(void)state;
	assert_string_equal(conf_quote("a\nb", out), "'a?b'");
	for (int byte = 1; byte < 256; byte++) {
		memset(text, byte, sizeof(text) - 1);
		text[sizeof(text) - 1] = '\0';
		assert_true(strlen(conf_quote(text, out)) < CONF_QUOTED_SIZE);
	}
	/* A character of three bytes is never cut. */
	for (size_t i = 0; i + 4 < sizeof(text); i += 3)
		memcpy(text + i, "€", 4);
	conf_quote(text, out);
	assert_int_equal((strlen(out) - strlen("'…'")) % 3, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_node_knows_its_place),
		cmocka_unit_test(an_empty_file_has_no_root),
		cmocka_unit_test(only_a_plain_null_is_null),
		cmocka_unit_test(what_could_grow_or_hide_is_refused_at_its_place),
		cmocka_unit_test(what_is_not_utf8_is_refused_at_its_byte),
		cmocka_unit_test(bad_syntax_is_refused_at_its_place),
		cmocka_unit_test(sizes_are_bounded),
		cmocka_unit_test(a_file_that_is_missing_is_named),
		cmocka_unit_test(quoting_stays_inside_its_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
