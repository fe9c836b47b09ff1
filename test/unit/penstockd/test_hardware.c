/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "penstockd/hardware.h"

/* Makes the folders of path that are missing below root. */
static void
make_path(const char *root, const char *path)
{
	char command[512];

	snprintf(command, sizeof(command), "mkdir -p %s/%s", root, path);
	assert_int_equal(system(command), 0);
}

static void
a_pci_device_is_described_by_its_driver(void **state)
{
	char root[] = "/tmp/plan-sys-XXXXXX", command[512], text[HARDWARE_TEXT_SIZE];

	(void)state;
	assert_non_null(mkdtemp(root));
	make_path(root, "bus/pci/devices/0000:01:00.0");
	make_path(root, "bus/pci/devices/0000:02:00.0");
	snprintf(command, sizeof(command),
		"ln -s ../../drivers/vfio-pci %s/bus/pci/devices/0000:01:00.0/driver; "
		"ln -s ../../drivers/ixgbe %s/bus/pci/devices/0000:02:00.0/driver",
		root, root);
	assert_int_equal(system(command), 0);
	assert_int_equal(hardware_look_up("01:00.0", root, text), 0);
	assert_string_equal(text, "PCI device, driver vfio-pci");
	assert_true(hardware_look_up("0000:02:00.0", root, text) < 0);
	assert_string_equal(text,
		"0000:02:00.0 is bound to the ixgbe driver, which DPDK cannot "
		"use: 'dpdk-devbind.py -b vfio-pci 0000:02:00.0' (of the package dpdk) "
		"gives it to DPDK, and the kernel loses the interface");
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

static void
arguments_are_found_by_their_whole_name(void **state)
{
	char value[16];

	(void)state;
	hardware_argument("net_x0,myiface=a,iface=eth1,q=2", "iface", value, sizeof(value));
	assert_string_equal(value, "eth1");
	hardware_argument("net_x0,iface=eth1", "if", value, sizeof(value));
	assert_string_equal(value, "");
	hardware_argument("iface=eth1", "iface", value, sizeof(value));
	assert_string_equal(value, "");
	hardware_argument("net_x0,iface=a-name-that-is-too-long", "iface", value, sizeof(value));
	assert_string_equal(value, "a-name-that-is-");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pci_device_is_described_by_its_driver),
		cmocka_unit_test(arguments_are_found_by_their_whole_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
