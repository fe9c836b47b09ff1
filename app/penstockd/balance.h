/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether the frames of each port spread over its workers. One that gets nearly all of them is the
 * port's limit, while the others rest: it is said once, and once more when that is over.
 */
#ifndef PENSTOCKD_BALANCE_H
#define PENSTOCKD_BALANCE_H

#include "admin/status.h"

struct balance {
	uint32_t seconds; /* of the period that runs */
	uint64_t frames[STATUS_SHARES_MAX]; /* of each share when it began */
	bool is_uneven[STATS_LISTENERS_MAX]; /* by port: that was said, its end not yet */
};

/* Once a second; the status has the same ports and shares each time. */
void balance_tick(struct balance *balance, const struct status *status);

#endif
