/* SPDX-License-Identifier: BSD-3-Clause */
/* What can be known of a port's device without touching it. */
#ifndef PENSTOCKD_HARDWARE_H
#define PENSTOCKD_HARDWARE_H

#include <stddef.h>

#define HARDWARE_TEXT_SIZE 384

/* Looks the device up below sys ("/sys"). 0, with a description in text; or -errno when it is
 * missing or DPDK could not take it, with the reason and the way out in text. */
int hardware_look_up(const char *device, const char *sys, char text[HARDWARE_TEXT_SIZE]);

/* The NUMA node of the device, or of the interface that a virtual one looks at; -1: none, or the
 * machine does not say. */
int hardware_node(const char *device, const char *sys);

/* Writes the value of an argument ("iface" of "net_af_packet0,iface=eth1"), or "". */
void hardware_argument(const char *device, const char *name, char *value, size_t size);

#endif
