/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockd/hardware.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/pci.h"
#include "penstockd/machine_files.h"

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
look_up_pci(const char *address, const char *sys, char text[HARDWARE_TEXT_SIZE])
{
	char driver[PCI_DRIVER_SIZE];
	struct error error;
	int result = pci_look_up(address, sys, driver, &error);

	if (result == 0)
		snprintf(text, HARDWARE_TEXT_SIZE, "PCI device, driver %s", driver);
	else
		snprintf(text, HARDWARE_TEXT_SIZE, "%.*s", HARDWARE_TEXT_SIZE - 1, error.text);
	return result;
}

int
hardware_look_up(const char *device, const char *sys, char text[HARDWARE_TEXT_SIZE])
{
	char interface[64], path[PATH_MAX], address[PCI_ADDRESS_SIZE];

	if (pci_parse(device, address))
		return look_up_pci(address, sys, text);
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
	char address[PCI_ADDRESS_SIZE], interface[64], path[PATH_MAX], line[16];
	char *end;
	long node;

	if (pci_parse(device, address)) {
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
