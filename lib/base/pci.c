/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/pci.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Kernel drivers that hand the whole device to a process. */
static const char *const passing_on[] = {"vfio-pci", "uio_pci_generic", "igb_uio"};

/* Kernel drivers that a DPDK driver works beside, none of which lib/dpdk/meson.build lists:
 * vfio-pci would not help with these devices. */
static const char *const shared[] = {"mlx4_core", "mlx5_core", "mana"};

/* Takes n hexadecimal digits and then the separator from *at. */
static bool
take_hex(const char **at, size_t n, char separator)
{
	for (size_t i = 0; i < n; i++)
		if (!isxdigit((unsigned char)(*at)[i]))
			return false;
	if ((*at)[n] != separator)
		return false;
	*at += n + 1;
	return true;
}

bool
pci_parse(const char *device, char ret_address[PCI_ADDRESS_SIZE])
{
	const char *at = device;
	bool has_domain = take_hex(&at, 4, ':');

	if (!take_hex(&at, 2, ':') || !take_hex(&at, 2, '.') || at[0] < '0' || at[0] > '7' ||
		(at[1] != '\0' && at[1] != ','))
		return false;
	if (ret_address == NULL)
		return true;
	snprintf(ret_address, PCI_ADDRESS_SIZE, has_domain ? "%.12s" : "0000:%.7s", device);
	for (char *c = ret_address; *c != '\0'; c++)
		*c = (char)tolower((unsigned char)*c);
	return true;
}

bool
pci_link(const char *address, const char *sys, const char *link, char *name, size_t size)
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *slash;
	ssize_t n;

	snprintf(path, sizeof(path), "%s/bus/pci/devices/%s/%s", sys, address, link);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return false;
	target[n] = '\0';
	slash = strrchr(target, '/');
	return (size_t)snprintf(name, size, "%s", slash != NULL ? slash + 1 : target) < size;
}

static bool
is_one_of(const char *name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(name, list[i]) == 0)
			return true;
	return false;
}

int
pci_look_up(const char *address, const char *sys, char ret_driver[PCI_DRIVER_SIZE],
	struct error *error)
{
	char path[PATH_MAX], driver[PCI_DRIVER_SIZE];

	snprintf(path, sizeof(path), "%s/bus/pci/devices/%s", sys, address);
	if (access(path, F_OK) != 0)
		return error_fill(error, ENODEV,
			"there is no PCI device %s: 'ls /sys/bus/pci/devices' lists what there is",
			address);
	if (!pci_link(address, sys, "driver", driver, sizeof(driver)))
		return error_fill(error, EBUSY,
			"%s is bound to no driver: 'dpdk-devbind.py -b vfio-pci %s' (of the "
			"package dpdk) gives it to DPDK",
			address, address);
	if (is_one_of(driver, shared, ARRAY_LENGTH(shared)))
		return error_fill(error, ENODEV,
			"%s is bound to the %s driver, and this build has no DPDK driver that "
			"works beside it: take another NIC, or its interface by "
			"net_af_packet0,iface=",
			address, driver);
	if (!is_one_of(driver, passing_on, ARRAY_LENGTH(passing_on)))
		return error_fill(error, EBUSY,
			"%s is bound to the %s driver, which DPDK cannot use: 'dpdk-devbind.py -b "
			"vfio-pci %s' (of the package dpdk) gives it to DPDK, and the kernel loses "
			"the interface",
			address, driver, address);
	memcpy(ret_driver, driver, sizeof(driver));
	return 0;
}
