/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The text that names a device, and the way from it to a port number of DPDK: a PCI address
 * ("0000:3b:00.0", "3b:00.0") or a virtual device ("net_memif0"), both with ",key=value" behind.
 */
#ifndef DPDK_DEVICE_H
#define DPDK_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dpdk/eal.h"

bool device_is_pci(const char *device);

/* The value of ",key=value" behind the device's name; false when it is not given or too long. */
bool device_argument(const char *device, const char *key, char *value, size_t size);

/* Whether this build could have such a device; touches nothing. 0, or -EINVAL with error filled. */
int device_check(const char *device, struct error *error);

/* Claims the device for owner, a port's name; it is brought to life where it is not yet. 0, or
 * -errno with error filled. */
int device_attach(const char *device, const char *owner, uint16_t *ret_number, struct error *error);

/* Stops it, closes it and gives it back. */
void device_detach(uint16_t number);

#endif
