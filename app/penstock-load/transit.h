/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Datagrams that left this program and may still be lost, the oldest first: only one that has
 * arrived as far as its sender can tell is counted as sent.
 */
#ifndef PENSTOCK_LOAD_TRANSIT_H
#define PENSTOCK_LOAD_TRANSIT_H

#include "penstock-load/datagram.h"

#define TRANSIT_MAX (1U << 14) /* slots of the longest memif ring */

struct transit {
	struct datagram *datagrams; /* without their data */
	uint32_t first, n;
};

/* 0 or -ENOMEM. */
int transit_init(struct transit *transit);
void transit_done(struct transit *transit);

/* Below TRANSIT_MAX. */
void transit_add(struct transit *transit, const struct datagram *datagram);

/* The oldest, valid until the next call; at least one is there. */
struct datagram *transit_take(struct transit *transit);

#endif
