/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockd/hardware.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "penstockd/check.h"
#include "penstockd/machine_files.h"

#define ADDRESS_SIZE 16

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

/* As sysfs writes it, with the domain. */
static void
full_address(const char *device, char address[ADDRESS_SIZE])
{
	snprintf(address, ADDRESS_SIZE, strchr(device, ':') - device == 4 ? "%.12s" : "0000:%.7s",
		device);
}

static int
look_up_pci(const char *device, const char *sys, char text[HARDWARE_TEXT_SIZE])
{
	char address[ADDRESS_SIZE], path[PATH_MAX], link[PATH_MAX];
	const char *driver = NULL;
	ssize_t size;

	full_address(device, address);
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

int
hardware_node(const char *device, const char *sys)
{
	char address[ADDRESS_SIZE], interface[64], path[PATH_MAX], line[16];
	char *end;
	long node;

	if (check_is_pci(device)) {
		full_address(device, address);
		snprintf(path, sizeof(path), "%s/bus/pci/devices/%s/numa_node", sys, address);
	} else {
		hardware_argument(device, "iface", interface, sizeof(interface));
		if (interface[0] == '\0')
			return -1;
		snprintf(path, sizeof(path), "%s/class/net/%s/device/numa_node", sys, interface);
	}
	machine_read_line(path, line, sizeof(line));
	node = strtol(line, &end, 10);
	return end != line && node >= 0 && node <= INT16_MAX ? (int)node : -1;
}
