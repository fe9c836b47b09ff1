/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Datagrams that are made once and sent over and over, so that sending costs as little as it can:
 * every series comes up to four times, each time in another order.
 */
#ifndef PENSTOCK_LOAD_REPLAY_H
#define PENSTOCK_LOAD_REPLAY_H

#include "penstock-load/datagram.h"

#define REPLAY_CONTEXTS_MAX 1000000

struct replay {
	struct datagram *datagrams; /* owned */
	uint32_t n;
	uint64_t n_lines; /* of all */
};

/* Of a profile with REPLAY_CONTEXTS_MAX contexts at most. 0 or -ENOMEM; replay_done is fine after
 * both. */
int replay_init(struct replay *replay, const struct profile *profile,
	const struct packing *packing);
void replay_done(struct replay *replay);

#endif
