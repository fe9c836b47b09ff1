/* SPDX-License-Identifier: BSD-3-Clause */
/* The penstockd at the other end, asked for its ledger over the admin socket. */
#ifndef PENSTOCK_LOAD_RECEIVER_H
#define PENSTOCK_LOAD_RECEIVER_H

#include <stdint.h>

#include "base/error.h"

struct receiver_counts {
	uint64_t lines; /* received */
	uint64_t dropped; /* frames, datagrams and lines, under any reason */
};

/* path: of the admin socket. 0, or -errno with error filled; a ledger that does not balance is an
 * error, too. */
int receiver_ask(const char *path, struct receiver_counts *ret_counts, struct error *error);

#endif
