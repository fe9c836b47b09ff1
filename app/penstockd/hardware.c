/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockd/hardware.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "penstockd/check.h"

/* Kernel drivers through which DPDK reaches a device; the last three share it with the kernel. */
static const char *const usable_driver[] = {
	"vfio-pci",
	"uio_pci_generic",
	"igb_uio",
	"mlx4_core",
	"mlx5_core",
	"mana",
};

void
hardware_argument(const char *device, const char *name, char *value, size_t size)
{
	size_t name_size = strlen(name);

	value[0] = '\0';
	for (const char *at = strchr(device, ','); at != NULL; at = strchr(at, ',')) {
		at++;
		if (strncmp(at, name, name_size) != 0 || at[name_size] != '=')
			continue;
		at += name_size + 1;
		snprintf(value, size, "%.*s", (int)strcspn(at, ","), at);
		return;
	}
}

static int
look_up_pci(const char *device, const char *sys, char text[HARDWARE_TEXT_SIZE])
{
	char address[16], path[PATH_MAX], link[PATH_MAX];
	const char *driver = NULL;
	ssize_t size;

	snprintf(address, sizeof(address),
		strchr(device, ':') - device == 4 ? "%.12s" : "0000:%.7s", device);
	snprintf(path, sizeof(path), "%s/bus/pci/devices/%s", sys, address);
	if (access(path, F_OK) != 0) {
		snprintf(text, HARDWARE_TEXT_SIZE,
			"there is no PCI device %s: 'ls /sys/bus/pci/devices' lists what there is",
			address);
		return -ENODEV;
	}
	snprintf(path, sizeof(path), "%s/bus/pci/devices/%s/driver", sys, address);
	size = readlink(path, link, sizeof(link) - 1);
	if (size > 0) {
		link[size] = '\0';
		driver = strrchr(link, '/') != NULL ? strrchr(link, '/') + 1 : link;
	}
	for (size_t i = 0; i < ARRAY_LENGTH(usable_driver); i++) {
		if (driver != NULL && strcmp(driver, usable_driver[i]) == 0) {
			snprintf(text, HARDWARE_TEXT_SIZE, "PCI device, driver %.64s", driver);
			return 0;
		}
	}
	if (driver == NULL)
		snprintf(text, HARDWARE_TEXT_SIZE,
			"%s is bound to no driver: 'dpdk-devbind.py -b vfio-pci %s' (of the "
			"package dpdk)",
			address, address);
	else
		snprintf(text, HARDWARE_TEXT_SIZE,
			"%s is bound to the %.64s driver, which DPDK cannot use: "
			"'dpdk-devbind.py -b vfio-pci %s' (of the package dpdk)",
			address, driver, address);
	return -ENODEV;
}

int
hardware_look_up(const char *device, const char *sys, char text[HARDWARE_TEXT_SIZE])
{
	char interface[64], path[PATH_MAX];

	if (check_is_pci(device))
		return look_up_pci(device, sys, text);
	hardware_argument(device, "iface", interface, sizeof(interface));
	/* A tap device makes its interface itself. */
	if (interface[0] != '\0' && strncmp(device, "net_af_", 7) == 0) {
		snprintf(path, sizeof(path), "%s/class/net/%s", sys, interface);
		if (access(path, F_OK) != 0) {
			snprintf(text, HARDWARE_TEXT_SIZE,
				"there is no network interface %s: 'ls /sys/class/net' lists what "
				"there is",
				interface);
			return -ENODEV;
		}
	}
	snprintf(text, HARDWARE_TEXT_SIZE, "virtual device");
	return 0;
}
