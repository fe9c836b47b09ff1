/* SPDX-License-Identifier: BSD-3-Clause */
/* What can be said of a bond without a network; how one works is in integration/port_bond.sh. */
#include "dpdk/lab.h"

#include <errno.h>

#include "dpdk/bond.h"

static void
check(const char *device, const char *const *members, size_t n, const char *said)
{
	struct error error = {""};

	assert_int_equal(bond_check(device, members, n, &error), said != NULL ? -EINVAL : 0);
	if (said != NULL && strstr(error.text, said) == NULL)
		fail_msg("%s", error.text);
}

static void
device_and_members_go_together(void **state)
{
	static const char *const taps[] = {"net_tap0", "net_tap1,iface=east"};
	static const char *const wrong[] = {"net_tap0", "net_bonding1,mode=1"};
	static const char *const unknown[] = {"net_foo0"};
	static const char *const kernel[] = {"net_af_packet0,iface=eth0"};
	const char *many[BOND_MEMBERS_MAX + 1];

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(many); i++)
		many[i] = "0000:3b:00.0";
	check("net_tap0", NULL, 0, NULL);
	check("net_bonding0,mode=1", taps, 2, NULL);
	check("net_bonding0,mode=4", many, BOND_MEMBERS_MAX, NULL);
	check("net_bonding0,mode=4", many, ARRAY_LENGTH(many), "has 9 members, but 8 is the most");
	check("net_tap2", taps, 2, "members: only a bond has any, but the device is 'net_tap2'");
	check("net_bonding0,mode=1", NULL, 0, "'net_bonding0,mode=1' has no members");
	check("net_bonding0,slave=net_tap0", taps, 2, "into the list members of the port");
	check("net_bonding0", wrong, 2, "a bond cannot be the member of a bond");
	check("net_bonding0", unknown, 1, "no driver for 'net_foo0'");
	check("net_bonding0", kernel, 1, "use the kernel's own bond");
}

static void
bond_a_memif(void)
{
	static const char *const members[] = {"net_memif0"};
	struct port_spec spec = {.name = "port0",
		.device = "net_bonding0,mode=1",
		.members = members,
		.n_members = 1,
		.queues = 1};
	struct eal_options options = {.main_cpu = -1, .memory = port_memory(&spec, 0)};
	struct error error = {""};
	struct port *port = NULL;

	CHECK(eal_start(&options, &error) == 0);
	/* Twice: what was attached is given back, so that it can be had again. */
	for (int i = 0; i < 2; i++) {
		CHECK(port_open(&spec, &port, &error) == -ENOTSUP);
		CHECK(port == NULL);
		CHECK(strstr(error.text,
			      "'net_memif0' cannot be the member of a bond: its driver takes no "
			      "other MAC address") == error.text);
	}
}

static void
a_member_that_takes_no_mac_is_refused(void **state)
{
	(void)state;
	expect_child(bond_a_memif);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(device_and_members_go_together),
		cmocka_unit_test(a_member_that_takes_no_mac_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
