/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "frame/filter.h"

static const uint8_t sender[] = {192, 0, 2, 1}, receiver[] = {192, 0, 2, 10};
static const struct frame datagram = {.source = sender,
	.destination = receiver,
	.address_size = 4,
	.destination_port = 8125};

static void
lets_everything_in_by_default(void **state)
{
	const struct filter filter = {0};

	(void)state;
	assert_int_equal(filter_judge(&filter, &datagram), STAT_NONE);
}

static void
asks_for_the_udp_port(void **state)
{
	struct filter filter = {.udp_port = 8125};

	(void)state;
	assert_int_equal(filter_judge(&filter, &datagram), STAT_NONE);
	filter.udp_port = 8126;
	assert_int_equal(filter_judge(&filter, &datagram), STAT_frames_dropped_wrong_port);
}

static void
asks_for_one_of_its_addresses_and_not_its_subnet(void **state)
{
	struct prefix addresses[2];
	struct filter filter = {.addresses = addresses, .n_addresses = 2};

	(void)state;
	assert_int_equal(prefix_parse("2001:db8::10/64", &addresses[0]), 0);
	assert_int_equal(prefix_parse("192.0.2.10/24", &addresses[1]), 0);
	assert_int_equal(filter_judge(&filter, &datagram), STAT_NONE);
	assert_int_equal(prefix_parse("192.0.2.11/24", &addresses[1]), 0);
	assert_int_equal(filter_judge(&filter, &datagram), STAT_frames_dropped_wrong_address);
}

static void
asks_for_an_allowed_source(void **state)
{
	struct prefix allow[2];
	struct filter filter = {.allow = allow, .n_allow = 2};

	(void)state;
	assert_int_equal(prefix_parse("198.51.100.0/24", &allow[0]), 0);
	assert_int_equal(prefix_parse("192.0.2.0/24", &allow[1]), 0);
	assert_int_equal(filter_judge(&filter, &datagram), STAT_NONE);
	assert_int_equal(prefix_parse("192.0.2.2/31", &allow[1]), 0);
	assert_int_equal(filter_judge(&filter, &datagram), STAT_frames_dropped_source_refused);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lets_everything_in_by_default),
		cmocka_unit_test(asks_for_the_udp_port),
		cmocka_unit_test(asks_for_one_of_its_addresses_and_not_its_subnet),
		cmocka_unit_test(asks_for_an_allowed_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
