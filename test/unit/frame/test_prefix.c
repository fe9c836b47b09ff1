/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include <cmocka.h>

#include "frame/prefix.h"

static bool
has(const char *text, const char *address)
{
	struct prefix prefix;
	uint8_t bytes[16];
	bool is_v6 = strchr(address, ':') != NULL;

	assert_int_equal(prefix_parse(text, &prefix), 0);
	assert_int_equal(inet_pton(is_v6 ? AF_INET6 : AF_INET, address, bytes), 1);
	return prefix_has(&prefix, bytes, is_v6 ? 16 : 4);
}

static void
reads_both_families_with_and_without_length(void **state)
{
	struct prefix prefix;

	(void)state;
	assert_int_equal(prefix_parse("192.0.2.10/24", &prefix), 0);
	assert_int_equal(prefix.address_size, 4);
	assert_int_equal(prefix.length, 24);
	assert_int_equal(prefix.address[3], 10);
	assert_int_equal(prefix_parse("192.0.2.10", &prefix), 0);
	assert_int_equal(prefix.length, 32);
	assert_int_equal(prefix_parse("2001:db8::10", &prefix), 0);
	assert_int_equal(prefix.address_size, 16);
	assert_int_equal(prefix.length, 128);
	assert_int_equal(prefix_parse("::/0", &prefix), 0);
	assert_int_equal(prefix.length, 0);
}

static void
refuses_what_is_no_prefix(void **state)
{
	static const char *const bad[] = {"", "/24", "192.0.2.10/", "192.0.2.10/33", "192.0.2/24",
		"192.0.2.10/ 24", "192.0.2.10/+24", "192.0.2.10/0x8", "192.0.2.10/024 ",
		"192.0.2.10/024", "192.0.2.10/00", "192.0.2.10/4294967320", "2001:db8::/129",
		"2001:db8::/64/64", "localhost",
		"2001:0db8:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000"};
	struct prefix prefix = {.length = 77};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(prefix_parse(bad[i], &prefix), -EINVAL);
	assert_int_equal(prefix.length, 77);
}

static void
matches_to_the_bit(void **state)
{
	(void)state;
	assert_true(has("192.0.2.10/24", "192.0.2.255"));
	assert_false(has("192.0.2.10/24", "192.0.3.10"));
	assert_true(has("192.0.2.128/25", "192.0.2.255"));
	assert_false(has("192.0.2.128/25", "192.0.2.127"));
	assert_true(has("192.0.2.4/31", "192.0.2.5"));
	assert_false(has("192.0.2.4/31", "192.0.2.6"));
	assert_true(has("192.0.2.4", "192.0.2.4"));
	assert_false(has("192.0.2.4", "192.0.2.5"));
	assert_true(has("0.0.0.0/0", "255.255.255.255"));
	assert_true(has("2001:db8:8000::/33", "2001:db8:ffff::1"));
	assert_false(has("2001:db8:8000::/33", "2001:db8:7fff::1"));
	assert_true(has("::/0", "2001:db8::1"));
}

static void
keeps_the_families_apart(void **state)
{
	(void)state;
	assert_false(has("0.0.0.0/0", "2001:db8::1"));
	assert_false(has("::/0", "192.0.2.1"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_both_families_with_and_without_length),
		cmocka_unit_test(refuses_what_is_no_prefix),
		cmocka_unit_test(matches_to_the_bit),
		cmocka_unit_test(keeps_the_families_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
