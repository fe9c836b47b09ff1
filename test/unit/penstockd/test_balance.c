/* SPDX-License-Identifier: BSD-3-Clause */
/* When it is said that one worker carries a port, and when that it is over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "penstockd/balance.h"
#include "penstockd/said.h"

/* port0 with a queue for each of two workers and a third worker behind the first. */
static struct status
status_of_three(void)
{
	struct status status = {.n_ports = 2, .n_shares = 4};

	status.port[0].name = "port0";
	status.port[1].name = "up";
	status.share[0] = (struct status_share){"port0", "worker1", 0, false, 0};
	status.share[1] = (struct status_share){"port0", "worker2", 1, false, 0};
	status.share[2] = (struct status_share){"port0", "worker3", 0, true, 0};
	status.share[3] = (struct status_share){"up", "worker1", 0, false, 0};
	return status;
}

/* Ten seconds in which the shares get so many frames each second. */
static void
pass(struct balance *balance, struct status *status, const uint64_t frames[4])
{
	for (int second = 0; second < 10; second++) {
		for (size_t i = 0; i < 4; i++)
			status->share[i].frames += frames[i];
		balance_tick(balance, status);
	}
}

static void
one_worker_with_more_than_four_fifths_is_said_once(void **state)
{
	struct status status = status_of_three();
	struct balance balance = {0};

	(void)state;
	pass(&balance, &status, (const uint64_t[]){100, 1700, 200, 0}); /* 85 % */
	assert_string_equal(said(),
		"warning port port0: 85 % of its frames are for one of 3 workers, worker2 (queue "
		"1): they are of one flow, or whoever chooses the queue does not go by UDP "
		"ports\n");
	pass(&balance, &status, (const uint64_t[]){0, 2000, 0, 0});
	assert_string_equal(said(), "");
	pass(&balance, &status, (const uint64_t[]){200, 1600, 200, 0}); /* exactly 80 % */
	assert_string_equal(said(),
		"info port port0: its frames spread again, 80 % for worker2 at most\n");
	pass(&balance, &status, (const uint64_t[]){100, 100, 1801, 0});
	assert_string_equal(said(),
		"warning port port0: 90 % of its frames are for one of 3 workers, worker3 (queue "
		"0, steered): they are of one flow, or whoever chooses the queue does not go by "
		"UDP "
		"ports\n");
}

static void
too_few_frames_say_nothing(void **state)
{
	struct status status = status_of_three();
	struct balance balance = {0};

	(void)state;
	pass(&balance, &status, (const uint64_t[]){1000, 0, 0, 0}); /* 10000 are not more */
	assert_string_equal(said(), "");
	pass(&balance, &status, (const uint64_t[]){1001, 0, 0, 0});
	assert_non_null(strstr(said(), "100 % of its frames are for one of 3 workers, worker1"));
	/* Nor do they end it. */
	pass(&balance, &status, (const uint64_t[]){300, 300, 300, 0});
	assert_string_equal(said(), "");
}

static void
a_port_with_one_worker_cannot_be_uneven(void **state)
{
	struct status status = status_of_three();
	struct balance balance = {0};

	(void)state;
	pass(&balance, &status, (const uint64_t[]){0, 0, 0, 1000000});
	assert_string_equal(said(), "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_worker_with_more_than_four_fifths_is_said_once),
		cmocka_unit_test(too_few_frames_say_nothing),
		cmocka_unit_test(a_port_with_one_worker_cannot_be_uneven),
	};

	return cmocka_run_group_tests(tests, open_log, close_log);
}
