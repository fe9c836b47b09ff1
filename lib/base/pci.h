/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PCI devices as their addresses name them ("0000:3b:00.0", "3b:00.0") and as the kernel shows them
 * below /sys/bus/pci (Documentation/PCI/sysfs-pci.rst of Linux).
 */
#ifndef BASE_PCI_H
#define BASE_PCI_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#define PCI_ADDRESS_SIZE sizeof("0000:3b:00.0")
#define PCI_DRIVER_SIZE 64

/* Whether device, up to its end or a comma, is an address; written in full to ret_address then,
 * which may be NULL. */
bool pci_parse(const char *device, char ret_address[PCI_ADDRESS_SIZE]);

/* The last part of what a link in the device's folder below sys points to: link "driver" gives the
 * driver's name, "iommu_group" the group's. False: no such link, or a name that does not fit. */
bool pci_link(const char *address, const char *sys, const char *link, char *name, size_t size);

/* Whether DPDK could take the device over from the kernel, as things are below sys ("/sys"). 0 and
 * the name of its kernel driver, or -ENODEV or -EBUSY with error filled. */
int pci_look_up(const char *address, const char *sys, char ret_driver[PCI_DRIVER_SIZE],
	struct error *error);

#endif
