/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the daemon has to say about itself while it runs: looked at once a second, said at most
 * once an interval, never a line per bad message.
 */
#ifndef PENSTOCKD_WATCH_H
#define PENSTOCKD_WATCH_H

#include "penstockd/balance.h"
#include "penstockd/daemon.h"

/* Lines rejected, lines dropped, datagrams dropped, frames dropped: each has a timer of its own, so
 * that one that goes on all day hides no other. */
#define WATCH_LOSSES 4

struct watch {
	struct {
		struct stats said; /* the counters when it last spoke of it */
		uint32_t seconds; /* until it may speak of it again */
	} loss[WATCH_LOSSES];
	uint64_t dropped_by_limit; /* of lines, seen so far */
	uint32_t quiet_seconds; /* without such a drop */
	bool at_limit; /* the breach was said, its end not yet */
	bool has_skew;
	struct balance balance;
};

/* Once a second. */
void watch_tick(struct watch *watch, struct daemon *daemon);

/* Between daemon_stop and daemon_close: losses that were not said yet; then what was taken in and
 * where it went, in one line. */
void watch_last(struct watch *watch, struct daemon *daemon);

#endif
