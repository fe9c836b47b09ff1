/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/pci.h"

static void
an_address_is_written_in_full(void **state)
{
	char address[PCI_ADDRESS_SIZE];

	(void)state;
	assert_true(pci_parse("0000:3b:00.0", address));
	assert_string_equal(address, "0000:3b:00.0");
	assert_true(pci_parse("3B:0F.7,key=value", address));
	assert_string_equal(address, "0000:3b:0f.7");
	assert_true(pci_parse("abcd:3b:00.0,x=1", NULL));
}

static void
other_texts_are_no_address(void **state)
{
	static const char *const texts[] = {"", "net_memif0", "3b:00.8", "3b:00", "3b:00.01",
		"3b:00.0x", "03b:00.0", "0:3b:00.0", "0000:3g:00.0", "0000:3b:00.0 "};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(texts); i++)
		if (pci_parse(texts[i], NULL))
			fail_msg("'%s' was taken for an address", texts[i]);
}

static void
look_up(const char *root, const char *address, int status, const char *said)
{
	char driver[PCI_DRIVER_SIZE] = "untouched";
	struct error error = {""};

	assert_int_equal(pci_look_up(address, root, driver, &error), status);
	if (status == 0) {
		assert_string_equal(driver, said);
		return;
	}
	assert_string_equal(driver, "untouched");
	if (strstr(error.text, said) == NULL)
		fail_msg("%s", error.text);
}

/* The links are as the kernel makes them. */
static void
a_device_is_ours_when_its_driver_hands_it_over(void **state)
{
	char root[] = "/tmp/pci-sys-XXXXXX", command[1024], group[64];

	(void)state;
	assert_non_null(mkdtemp(root));
	snprintf(command, sizeof(command),
		"cd %s && mkdir -p bus/pci/devices && cd bus/pci/devices && "
		"for i in 0 1 2 3; do mkdir 0000:01:00.$i; done && "
		"ln -s ../../../bus/pci/drivers/vfio-pci 0000:01:00.0/driver && "
		"ln -s ../../../kernel/iommu_groups/17 0000:01:00.0/iommu_group && "
		"ln -s ../../../bus/pci/drivers/ixgbe 0000:01:00.1/driver && "
		"ln -s ../../../bus/pci/drivers/mlx5_core 0000:01:00.2/driver",
		root);
	assert_int_equal(system(command), 0);
	look_up(root, "0000:01:00.0", 0, "vfio-pci");
	look_up(root, "0000:01:00.1", -EBUSY, "dpdk-devbind.py -b vfio-pci 0000:01:00.1");
	look_up(root, "0000:01:00.2", -ENODEV, "mlx5_core driver, and this build has no DPDK");
	look_up(root, "0000:01:00.3", -EBUSY, "bound to no driver");
	look_up(root, "0000:01:00.4", -ENODEV, "there is no PCI device 0000:01:00.4");
	assert_true(pci_link("0000:01:00.0", root, "iommu_group", group, sizeof(group)));
	assert_string_equal(group, "17");
	assert_false(pci_link("0000:01:00.0", root, "driver", group, 8)); /* "vfio-pci" is 9 */
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_address_is_written_in_full),
		cmocka_unit_test(other_texts_are_no_address),
		cmocka_unit_test(a_device_is_ours_when_its_driver_hands_it_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
