/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a port sends of its own accord, and when: RFC 5227 section 1.1 for IPv4, RFC 4862
 * section 5.4 and RFC 4861 section 7.2.6 for IPv6. The checksums come from the same separate
 * Python function as those in test_answerer.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "frame/host.h"

#define BYTES(...) ((const uint8_t[]){__VA_ARGS__})
#define US 2, 0, 0, 0, 0, 10
#define EVERYBODY 0xff, 0xff, 0xff, 0xff, 0xff, 0xff
#define NET4(n) 192, 0, 2, n
#define NET6(n) 0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, n
#define ARP_REQUEST_FROM_US 8, 6, 0, 1, 8, 0, 6, 4, 0, 1, US
#define PAD18 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0

static const struct prefix own4 = {.address = {NET4(10)}, .address_size = 4, .length = 24};
static const struct prefix own6 = {.address = {NET6(0x10)}, .address_size = 16, .length = 64};
static const struct prefix gateway4 = {.address = {NET4(254)}, .address_size = 4, .length = 32};

static const uint8_t probe4[60] = {EVERYBODY, US, ARP_REQUEST_FROM_US, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	NET4(10), PAD18};
static const uint8_t announcement4[60] = {EVERYBODY, US, ARP_REQUEST_FROM_US, NET4(10), 0, 0, 0, 0,
	0, 0, NET4(10), PAD18};
static const uint8_t question4[60] = {EVERYBODY, US, ARP_REQUEST_FROM_US, NET4(10), 0, 0, 0, 0, 0,
	0, NET4(254), PAD18};
static const uint8_t probe6[78] = {0x33, 0x33, 0xff, 0, 0, 0x10, US, 0x86, 0xdd, 0x60, 0, 0, 0, 0,
	24, 58, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 2, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 1, 0xff, 0, 0, 0x10, 135, 0, 0x4c, 0xcf, 0, 0, 0, 0, NET6(0x10)};
static const uint8_t announcement6[86] = {0x33, 0x33, 0, 0, 0, 1, US, 0x86, 0xdd, 0x60, 0, 0, 0, 0,
	32, 58, 255, NET6(0x10), 0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 136, 0, 0xf9, 3,
	0x20, 0, 0, 0, NET6(0x10), 2, 1, US};

static struct host host;
static uint64_t began;

static void
begin(const struct prefix *own, const struct prefix *gateway)
{
	assert_int_equal(host_init(&host, own, 1, gateway, gateway != NULL), 0);
	memcpy(host.mac, BYTES(US), 6);
	began = 5000 * NS_PER_S;
	host_link(&host, true, began);
}

/* The next that is due after so many tenths of a second: this frame, or nothing (size 0). */
static void
expect_next(unsigned tenths, const void *frame, size_t size)
{
	uint8_t buffer[HOST_FRAME_MAX];

	assert_int_equal(host_next(&host, began + tenths * 100 * NS_PER_MS, buffer), size);
	if (size > 0)
		assert_memory_equal(buffer, frame, size);
}

/* It alone. */
static void
expect_at(unsigned tenths, const void *frame, size_t size)
{
	expect_next(tenths, frame, size);
	expect_next(tenths, NULL, 0);
}

static void
probes_three_times_and_announces_twice_over_ipv4(void **state)
{
	(void)state;
	begin(&own4, NULL);
	expect_at(0, probe4, sizeof(probe4));
	expect_at(9, NULL, 0);
	expect_at(10, probe4, sizeof(probe4));
	expect_at(20, probe4, sizeof(probe4));
	expect_at(39, NULL, 0);
	assert_int_equal(claim_state(&host.addresses[0].claim), CLAIM_PROBING);
	expect_at(40, announcement4, sizeof(announcement4));
	assert_int_equal(claim_state(&host.addresses[0].claim), CLAIM_HELD);
	expect_at(59, NULL, 0);
	expect_at(60, announcement4, sizeof(announcement4));
	expect_at(600, NULL, 0);
	host_done(&host);
}

/* RFC 5227 section 2.1.1 wants probes on the wire, not the wish to send some. */
static void
probes_and_announces_again_what_could_not_be_sent(void **state)
{
	(void)state;
	begin(&own4, NULL);
	expect_next(0, probe4, sizeof(probe4));
	host_unsent(&host, began);
	expect_at(10, probe4, sizeof(probe4));
	expect_at(20, probe4, sizeof(probe4));
	expect_at(30, probe4, sizeof(probe4));
	expect_at(49, NULL, 0);
	expect_next(50, announcement4, sizeof(announcement4));
	host_unsent(&host, began + 5 * NS_PER_S);
	expect_at(60, announcement4, sizeof(announcement4));
	expect_at(80, announcement4, sizeof(announcement4));
	expect_at(600, NULL, 0);
	host_done(&host);
}

static void
asks_for_a_gateway_again_when_that_could_not_be_sent(void **state)
{
	uint8_t buffer[HOST_FRAME_MAX];

	(void)state;
	begin(&own4, &gateway4);
	host_hear(&host, BYTES(NET4(254)), 4, BYTES(2, 0, 0, 0, 0, 254), true);
	for (unsigned second = 0; second < 4; second++)
		while (host_next(&host, began + second * NS_PER_S, buffer) != 0)
			;
	expect_next(40, announcement4, sizeof(announcement4));
	expect_next(40, question4, sizeof(question4));
	host_unsent(&host, began + 4 * NS_PER_S);
	expect_at(50, question4, sizeof(question4));
	host_done(&host);
}

/* Who comes about once a second comes 40 ms early now and then. */
static void
asks_for_a_gateway_though_it_is_a_little_early(void **state)
{
	uint8_t buffer[HOST_FRAME_MAX];
	uint64_t asked = 0;

	(void)state;
	begin(&own4, &gateway4);
	for (unsigned second = 0; second <= 10; second++)
		while (host_next(&host, began + second * NS_PER_S, buffer) != 0)
			asked = began + second * NS_PER_S;
	assert_int_equal(asked, began + 10 * NS_PER_S);
	assert_int_equal(host_next(&host, asked + 960 * NS_PER_MS, buffer), sizeof(question4));
	assert_memory_equal(buffer, question4, sizeof(question4));
	assert_int_equal(host_next(&host, asked + 1900 * NS_PER_MS, buffer), 0);
	host_done(&host);
}

static void
solicits_once_and_advertises_twice_over_ipv6(void **state)
{
	(void)state;
	begin(&own6, NULL);
	expect_at(0, probe6, sizeof(probe6));
	expect_at(9, NULL, 0);
	assert_int_equal(claim_state(&host.addresses[0].claim), CLAIM_PROBING);
	expect_at(10, announcement6, sizeof(announcement6));
	assert_int_equal(claim_state(&host.addresses[0].claim), CLAIM_HELD);
	expect_at(30, announcement6, sizeof(announcement6));
	expect_at(600, NULL, 0);
	host_done(&host);
}

static void
begins_again_when_the_link_comes_back(void **state)
{
	(void)state;
	begin(&own6, NULL);
	expect_at(0, probe6, sizeof(probe6));
	expect_at(10, announcement6, sizeof(announcement6));
	host_link(&host, false, began + 2 * NS_PER_S);
	expect_at(50, NULL, 0);
	host_link(&host, true, began + 6 * NS_PER_S);
	assert_int_equal(claim_state(&host.addresses[0].claim), CLAIM_PROBING);
	expect_at(60, probe6, sizeof(probe6));
	host_link(&host, true, began + 6 * NS_PER_S); /* no news */
	expect_at(70, announcement6, sizeof(announcement6));
	host_done(&host);
}

static void
asks_for_a_gateway_until_it_is_heard_and_then_seldom(void **state)
{
	(void)state;
	begin(&own4, &gateway4);
	for (unsigned at = 0; at <= 20; at += 10)
		expect_at(at, probe4, sizeof(probe4));
	expect_at(30, NULL, 0); /* it has no address to ask from */
	expect_next(40, announcement4, sizeof(announcement4));
	expect_at(40, question4, sizeof(question4));
	expect_at(49, NULL, 0);
	expect_at(50, question4, sizeof(question4));
	host_hear(&host, BYTES(NET4(254)), 4, BYTES(2, 0, 0, 0, 0, 254), true);
	expect_next(60, announcement4, sizeof(announcement4));
	expect_at(60, question4, sizeof(question4)); /* was due before it was heard */
	expect_at(80, NULL, 0);
	host_done(&host);
}

static void
asks_a_known_gateway_again_after_half_a_minute(void **state)
{
	uint8_t buffer[HOST_FRAME_MAX];

	(void)state;
	begin(&own4, &gateway4);
	host_hear(&host, BYTES(NET4(254)), 4, BYTES(2, 0, 0, 0, 0, 254), true);
	for (unsigned second = 0; second < 10; second++)
		while (host_next(&host, began + second * NS_PER_S, buffer) != 0)
			;
	expect_at(339, NULL, 0);
	expect_at(340, question4, sizeof(question4));
	host_done(&host);
}

static void
keeps_a_gateway_unless_it_is_overridden(void **state)
{
	const uint8_t first[] = {2, 0, 0, 0, 0, 1}, second[] = {2, 0, 0, 0, 0, 2},
		      *far = BYTES(198, 51, 100, 1);
	uint8_t mac[6];

	(void)state;
	begin(&own4, &gateway4);
	assert_false(host_route(&host, far, 4, first, mac));
	host_hear(&host, BYTES(NET4(253)), 4, second, true); /* some other station */
	assert_false(host_route(&host, far, 4, first, mac));
	host_hear(&host, BYTES(NET4(254)), 4, first, false);
	host_hear(&host, BYTES(NET4(254)), 4, second, false);
	assert_true(host_route(&host, far, 4, second, mac));
	assert_memory_equal(mac, first, 6);
	host_hear(&host, BYTES(NET4(254)), 4, second, true);
	assert_true(host_route(&host, far, 4, first, mac));
	assert_memory_equal(mac, second, 6);
	host_done(&host);
}

static void
answers_its_own_networks_directly(void **state)
{
	const uint8_t asker[] = {2, 0, 0, 0, 0, 1};
	uint8_t mac[6];

	(void)state;
	begin(&own6, NULL);
	assert_true(host_route(&host, BYTES(NET6(7)), 16, asker, mac));
	assert_memory_equal(mac, asker, 6);
	/* fe80::/10 is every network's own. */
	assert_true(host_route(&host, BYTES(0xfe, 0xbf, NET6(7)), 16, asker, mac));
	assert_false(host_route(&host, BYTES(0xfe, 0xc0, NET6(7)), 16, asker, mac));
	assert_false(host_route(&host, BYTES(NET4(1)), 4, asker, mac));
	host_done(&host);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(probes_three_times_and_announces_twice_over_ipv4),
		cmocka_unit_test(probes_and_announces_again_what_could_not_be_sent),
		cmocka_unit_test(asks_for_a_gateway_again_when_that_could_not_be_sent),
		cmocka_unit_test(asks_for_a_gateway_though_it_is_a_little_early),
		cmocka_unit_test(solicits_once_and_advertises_twice_over_ipv6),
		cmocka_unit_test(begins_again_when_the_link_comes_back),
		cmocka_unit_test(asks_for_a_gateway_until_it_is_heard_and_then_seldom),
		cmocka_unit_test(asks_a_known_gateway_again_after_half_a_minute),
		cmocka_unit_test(keeps_a_gateway_unless_it_is_overridden),
		cmocka_unit_test(answers_its_own_networks_directly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
