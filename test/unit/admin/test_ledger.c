/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <jansson.h>

#include "fake_source.h"

static json_t *
read_back(struct json *json)
{
	json_t *read = json_loadb(json->text, json->size, JSON_REJECT_DUPLICATES, NULL);

	assert_false(json->failed);
	assert_non_null(read);
	json_done(json);
	return read;
}

static json_t *
ledger_of(const struct ledger *ledger)
{
	struct json json = {0};

	ledger_write(ledger, &json);
	return read_back(&json);
}

/* A number by its path, "lines.rejected.no_pipe". */
static json_int_t
number(const json_t *object, const char *path)
{
	char key[64];

	while (*path != '\0') {
		size_t size = strcspn(path, ".");

		snprintf(key, sizeof(key), "%.*s", (int)size, path);
		object = json_object_get(object, key);
		assert_non_null(object);
		path += size + (path[size] == '.');
	}
	assert_true(json_is_integer(object));
	return json_integer_value(object);
}

static void
has_the_shape_of_the_contract(void **state)
{
	struct fake fake;
	json_t *ledger;

	fake_init(&fake);
	ledger = ledger_of(&fake.ledger);
	assert_true(json_is_true(json_object_get(ledger, "balanced")));
	assert_int_equal(number(ledger, "difference"), 0);
	assert_int_equal(number(ledger, "epoch"), 9);
	assert_int_equal(number(ledger, "frames.received"), 100);
	assert_int_equal(number(ledger, "frames.dropped.not_udp"), 10);
	assert_int_equal(number(ledger, "datagrams.by_listener.udp"), 30);
	assert_int_equal(number(ledger, "datagrams.queued"), 1);
	assert_int_equal(number(ledger, "datagrams.truncated"), 3);
	assert_int_equal(number(ledger, "lines.metrics"), 298);
	assert_int_equal(number(ledger, "lines.rejected.no_pipe"), 5);
	assert_int_equal(number(ledger, "samples.dropped.context_limit"), 3);
	assert_int_equal(number(ledger, "outputs.file.points"), 50);
	assert_int_equal(number(ledger, "outputs.file.dropped.write_error"), 4);
	assert_null(json_object_get(ledger, "worker"));
	json_decref(ledger);
}

static void
lists_every_row_that_is_zero(void **state)
{
	struct ledger empty = {0};
	json_t *ledger = ledger_of(&empty);
	char path[96];

	for (enum counter stat = STAT_NONE + 1; stat < STAT_COUNT; stat++) {
		if (stat_info[stat].level_index >= STAT_LEVEL_worker)
			continue;
		stat_name(stat, path, sizeof(path));
		assert_int_equal(number(ledger, path), 0);
	}
	assert_int_equal(json_object_size(json_object_get(ledger, "outputs")), 0);
	json_decref(ledger);
}

static void
shows_each_counter_that_lies(void **state)
{
	struct fake fake;

	for (enum counter stat = STAT_NONE + 1; stat < STAT_COUNT; stat++) {
		bool is_part = stat_info[stat].role != STAT_ROLE_NOTE;
		/* Total of its level and sum of the listeners, too. */
		uint64_t expected = stat == STAT_datagrams_received ? 2 : is_part;

		fake_init(&fake);
		fake.ledger.stats.counter[stat]++;
		assert_int_equal(ledger_difference(&fake.ledger), expected);
	}
	fake_init(&fake);
	fake.ledger.stats.listener[1]--;
	assert_int_equal(ledger_difference(&fake.ledger), 1);
	fake_init(&fake);
	fake.ledger.output[0].counts.queued += 5;
	assert_int_equal(ledger_difference(&fake.ledger), 5);
}

static void
adds_differences_of_both_signs(void **state)
{
	struct fake fake;
	json_t *ledger;

	fake_init(&fake);
	fake.ledger.stats.counter[STAT_lines_received] += 3;
	fake.ledger.stats.counter[STAT_samples_received] -= 2;
	assert_int_equal(ledger_difference(&fake.ledger), 5);
	ledger = ledger_of(&fake.ledger);
	assert_true(json_is_false(json_object_get(ledger, "balanced")));
	assert_int_equal(number(ledger, "difference"), 5);
	json_decref(ledger);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_the_shape_of_the_contract),
		cmocka_unit_test(lists_every_row_that_is_zero),
		cmocka_unit_test(shows_each_counter_that_lies),
		cmocka_unit_test(adds_differences_of_both_signs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
