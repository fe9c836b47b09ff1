/* SPDX-License-Identifier: BSD-3-Clause */
/* What is said of losses, and when. The log is read back from a file that stands in for stderr. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "penstockd/said.h"
#include "penstockd/watch.c"

/* The watch asks the daemon and its flusher; these tests hand it the counters. */
void
daemon_ledger(struct daemon *daemon, struct ledger *ret_ledger)
{
	(void)daemon;
	memset(ret_ledger, 0, sizeof(*ret_ledger));
}

static void
tick(struct watch *watch, const struct stats *now, int seconds)
{
	for (int i = 0; i < seconds; i++)
		speak_of_losses(watch, now, false);
}

static void
a_loss_is_said_at_once_and_then_once_a_minute(void **state)
{
	struct watch watch = {0};
	struct stats now = {0};

	(void)state;
	tick(&watch, &now, 1);
	assert_string_equal(said(), "");
	now.counter[STAT_lines_rejected_no_pipe] = 1;
	now.counter[STAT_lines_rejected_bad_type] = 3;
	tick(&watch, &now, 1);
	assert_string_equal(said(),
		"warning 4 lines rejected, most for bad_type; penstockctl rejects shows them\n");
	now.counter[STAT_lines_rejected_no_pipe] = 10;
	tick(&watch, &now, 60);
	assert_string_equal(said(), "");
	tick(&watch, &now, 1);
	assert_string_equal(said(),
		"warning 9 lines rejected, most for no_pipe; penstockctl rejects shows them\n");
}

static void
a_drop_is_not_hidden_by_rejects_before_it(void **state)
{
	struct watch watch = {0};
	struct stats now = {0};

	(void)state;
	now.counter[STAT_lines_rejected_no_pipe] = 1;
	tick(&watch, &now, 1);
	said();
	now.counter[STAT_datagrams_dropped_kernel] = 7;
	tick(&watch, &now, 1);
	assert_string_equal(said(),
		"warning 7 datagrams dropped, most for kernel; see penstockctl ledger\n");
	now.counter[STAT_frames_dropped_missed] = 2;
	now.counter[STAT_lines_dropped_weight_limit] = 5;
	tick(&watch, &now, 1);
	assert_string_equal(said(),
		"warning 5 lines dropped, most for weight_limit; see penstockctl ledger\n"
		"warning 2 frames dropped, most for missed; see penstockctl ledger\n");
}

static void
what_was_not_said_is_said_at_the_stop(void **state)
{
	struct watch watch = {0};
	struct stats now = {0};

	(void)state;
	now.counter[STAT_datagrams_dropped_kernel] = 7;
	tick(&watch, &now, 1);
	said();
	now.counter[STAT_datagrams_dropped_kernel] = 9;
	tick(&watch, &now, 1);
	assert_string_equal(said(), "");
	speak_of_losses(&watch, &now, true);
	assert_string_equal(said(),
		"warning 2 datagrams dropped, most for kernel; see penstockctl ledger\n");
	speak_of_losses(&watch, &now, true);
	assert_string_equal(said(), "");
}

/* 12 datagrams came, 3 of them the kernel dropped: 9 were taken in. */
static void
the_last_line_accounts_for_everything(void **state)
{
	struct ledger ledger = {.n_outputs = 1};
	uint64_t *counter = ledger.stats.counter;

	(void)state;
	counter[STAT_frames_received] = 4;
	counter[STAT_frames_dropped_not_udp] = 4;
	counter[STAT_datagrams_received] = 12;
	counter[STAT_datagrams_delivered] = 9;
	counter[STAT_datagrams_dropped_kernel] = 3;
	counter[STAT_lines_received] = 20;
	counter[STAT_lines_aggregated] = 11;
	counter[STAT_lines_passed] = 4;
	counter[STAT_lines_rejected_no_pipe] = 3;
	counter[STAT_lines_dropped_context_limit] = 2;
	ledger.output[0].counts.points = 8;
	ledger.output[0].counts.delivered = 7;
	ledger.output[0].counts.dropped[OUTPUT_WRITE_ERROR] = 1;
	ledger.stats.listener[0] = 12;
	ledger.n_listeners = 1;
	ledger.listener[0] = "udp";
	speak_of_all(&ledger);
	assert_string_equal(said(),
		"info took in 9 datagrams with 20 lines: 11 aggregated, 4 passed on, 3 rejected, "
		"2 dropped; besides, dropped: 3 datagrams, 4 frames, 1 points by outputs; ledger "
		"difference 0\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_loss_is_said_at_once_and_then_once_a_minute,
			open_log, close_log),
		cmocka_unit_test_setup_teardown(a_drop_is_not_hidden_by_rejects_before_it, open_log,
			close_log),
		cmocka_unit_test_setup_teardown(what_was_not_said_is_said_at_the_stop, open_log,
			close_log),
		cmocka_unit_test_setup_teardown(the_last_line_accounts_for_everything, open_log,
			close_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
