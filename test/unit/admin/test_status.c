/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "fake_source.h"

static void
assert_text(struct json *json, const char *expected)
{
	assert_false(json->failed);
	assert_int_equal(json->size, strlen(expected));
	assert_memory_equal(json->text, expected, json->size);
	json_done(json);
}

static void
tells_state_and_numbers(void **state)
{
	struct json json = {0};
	struct fake fake;

	fake_init(&fake);
	fake_ports(&fake.status);
	status_write(&fake.status, &fake.ledger, &json);
	assert_text(&json,
		"{\"state\":\"ready\",\"version\":\"" PENSTOCK_VERSION
		"\",\"uptime_s\":65,\"config_generation\":1,\"workers\":2,\"contexts\":11,"
		"\"context_bytes\":2200,\"context_bytes_max\":1048576,"
		"\"by_worker\":[{\"name\":\"slow\",\"core\":2,\"idle\":\"sleep\",\"busy\":0.125,"
		"\"turns\":4,\"busy_turns\":3,\"datagrams\":30,\"lines\":60,\"seconds\":{"
		"\"poll\":1,\"decode\":2.5,\"housekeep\":0.5,\"idle\":4.000000001},"
		"\"poll_gap_max_s\":1.5},{\"name\":\"worker1\",\"core\":3,\"node\":1,\"idle\":"
		"\"poll\",\"busy\":0,\"turns\":0,\"busy_turns\":0,\"datagrams\":0,\"lines\":0,"
		"\"seconds\":{\"poll\":0,\"decode\":0,\"housekeep\":0,\"idle\":0},"
		"\"poll_gap_max_s\":0}],"
		"\"intake_memory\":{\"ceiling\":65536,\"resident\":4096,\"resident_peak\":8192,"
		"\"accounts\":[{\"name\":\"sockets\",\"used\":100,\"peak\":300,\"reserve\":400,"
		"\"cap\":500,\"refused\":2}]},\"listeners\":[{\"name\":"
		"\"udp\",\"address\":\"127.0.0.1:8125\"}],\"ports\":[{\"name\":\"port0\","
		"\"driver\":"
		"\"net_x\",\"device\":\"net_x0\",\"link\":\"up\",\"link_s\":5,\"speed_mbps\":10000,"
		"\"link_changes\":1,\"resets\":2,\"members\":2,\"members_active\":1,\"queues_"
		"wanted\":3,\"queues_granted\":1,\"hash_"
		"wanted\":\"ipv4 "
		"ipv4-udp\",\"hash_granted\":\"ipv4\",\"hashes_ports\":false,\"steered\":true,"
		"\"shares\":[{\"worker\":\"worker1\",\"queue\":0,\"steered\":false,\"frames\":60},"
		"{\"worker\":\"worker2\",\"queue\":0,\"steered\":true,\"frames\":40}]},{\"name\":"
		"\"up\",\"driver\":\"net_y\",\"device\":\"net_y0\",\"link\":\"gone\",\"link_s\":9,"
		"\"speed_mbps\":0,\"link_changes\":3,\"resets\":0,\"queues_wanted\":2,\"queues_"
		"granted\":2,"
		"\"hash_wanted\":\"ipv4 ipv4-udp\",\"hash_granted\":\"ipv4 ipv4-udp\","
		"\"hashes_ports\":true,\"steered\":false,\"shares\":[]}],\"outputs\":[{\"name\":"
		"\"file\","
		"\"points\":50,\"delivered\":40,\"queued\":6,\"dropped\":4}]}");
}

static void
names_the_states_of_the_contract(void **state)
{
	assert_string_equal(state_name[STATE_STARTING], "starting");
	assert_string_equal(state_name[STATE_READY], "ready");
	assert_string_equal(state_name[STATE_DRAINING], "draining");
	assert_string_equal(state_name[STATE_STOPPING], "stopping");
}

static void
lists_rejects_newest_first_with_their_bytes_escaped(void **state)
{
	struct json json = {0};
	struct fake fake;

	fake_init(&fake);
	fake.rejects[0] = (struct reject){.time = INT64_C(1700000000123000000),
		.size = 3,
		.reason = STAT_lines_rejected_no_pipe,
		.listener = 0,
		.bytes = "a\x01\""};
	fake.rejects[1] = (struct reject){.time = INT64_C(1700000001000000000),
		.size = 0,
		.reason = STAT_lines_rejected_bad_type,
		.listener = 9};
	status_write_rejects(fake.rejects, 2, &fake.ledger, &json);
	assert_text(&json,
		"{\"rejects\":[{\"time\":\"2023-11-14T22:13:21.000Z\",\"reason\":\"bad_type\","
		"\"listener\":\"\",\"size\":0,\"line\":\"\"},{\"time\":\"2023-11-14T22:13:20."
		"123Z\","
		"\"reason\":\"no_pipe\",\"listener\":\"udp\",\"size\":3,\"line\":\"a\\\\x01\\\"\"}"
		"]}");
}

static void
cuts_a_line_that_was_not_kept_whole(void **state)
{
	struct json json = {0};
	struct fake fake;
	char expected[512];

	fake_init(&fake);
	fake.rejects[0] = (struct reject){.size = 70000, .reason = STAT_lines_rejected_no_pipe};
	memset(fake.rejects[0].bytes, 'x', REJECT_BYTES);
	status_write_rejects(fake.rejects, 1, &fake.ledger, &json);
	snprintf(expected, sizeof(expected),
		"{\"rejects\":[{\"time\":\"1970-01-01T00:00:00.000Z\",\"reason\":\"no_pipe\","
		"\"listener\":\"udp\",\"size\":70000,\"line\":\"%.*s\"}]}",
		REJECT_BYTES, (const char *)fake.rejects[0].bytes);
	assert_text(&json, expected);
	status_write_rejects(NULL, 0, &fake.ledger, &json);
	assert_text(&json, "{\"rejects\":[]}");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_state_and_numbers),
		cmocka_unit_test(names_the_states_of_the_contract),
		cmocka_unit_test(lists_rejects_newest_first_with_their_bytes_escaped),
		cmocka_unit_test(cuts_a_line_that_was_not_kept_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
