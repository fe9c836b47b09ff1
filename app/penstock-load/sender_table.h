/* SPDX-License-Identifier: BSD-3-Clause */
/* Every sender: one file, one line here and one in the table of sender.c. */
#ifndef PENSTOCK_LOAD_SENDER_TABLE_H
#define PENSTOCK_LOAD_SENDER_TABLE_H

#include "penstock-load/sender.h"

extern const struct sender_driver sender_udp;
extern const struct sender_driver sender_unix;
extern const struct sender_driver sender_unix_stream;
extern const struct sender_driver sender_pcap;
extern const struct sender_driver sender_dpdk;

#endif
