/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a worker does when more comes than it decodes at once. Without pressure a burst is decoded
 * where the input put it. When polls come back full several times in a row, or the device says that
 * its ring fills up, the input is emptied first: its datagrams are copied into a backlog, their
 * buffers go back at once, and the backlog is decoded a burst a turn. As long as a backlog is not
 * empty all that its inputs bring goes to its end, so that each sender's order is kept.
 *
 * At the ceiling what is polled is dropped and counted, so that no ring stands still. But polling
 * only to drop may cost no more than a tenth of the time spent on decoding: a worker that is
 * offered many times what it can carry still carries nearly as much as without overload, and device
 * or kernel drop the rest and count it.
 *
 * A backlog that is at the ceiling again a second after it first was, and was not empty meanwhile,
 * holds no burst any more but a flood: decoding cold copies costs pace then, and all they gain is
 * delay. So it is closed to the input that floods it and decoded to its end, and that input is
 * decoded in place, its surplus dropped as above, until it brings no more than is decoded. Others
 * that wait on the same account go on as before.
 */
#ifndef WORKER_INTAKE_H
#define WORKER_INTAKE_H

#include "base/clock.h"
#include "input/input.h"
#include "worker/backlog.h"

#define INTAKE_QUEUES_MAX 2 /* ports and sockets */

/* The backlog of all inputs that wait on one account. */
struct intake_queue {
	struct backlog backlog;
	int64_t allowance; /* ns that may be spent on polling for nothing but to drop */
	uint64_t full_since; /* when it reached the ceiling, if it was not empty since; else 0 */
	bool is_closed; /* nothing of the flooder goes in until it is empty, or the flood is over */
	const struct intake_source *flooder; /* who closed it last */
};

struct intake_source {
	struct input *input;
	struct intake_queue *queue; /* NULL: it is never spilled */
	uint32_t n_full; /* polls in a row that came back full */
	uint32_t n_came; /* datagrams in the last turn that spilled some */
	bool is_flooded; /* decoded in place, whatever comes */
};

struct intake {
	struct chunk_pool *pool; /* NULL: nothing is spilled */
	struct stats *stats;
	const struct clock *clock;
	struct intake_queue queue[INTAKE_QUEUES_MAX];
	uint32_t n_queues;
};

void intake_init(struct intake *intake, struct chunk_pool *pool, struct stats *stats,
	const struct clock *clock);

/* Fills source for the input. 0, or -ENOSPC: more accounts than a worker can have. */
int intake_add(struct intake *intake, struct input *input, struct intake_source *source);

/* After a poll whose datagrams are decoded in place. */
void intake_note(struct intake_source *source);

/* Whether the input's datagrams have to go to the backlog now. */
bool intake_spills(const struct intake_source *source);

/* Polls the input until it is empty, within bounds, and spills or drops what comes. Returns the
 * number of datagrams. burst is only scratch. */
uint32_t intake_spill(struct intake *intake, struct intake_source *source, struct burst *burst);

/* After a burst of a flooded input was decoded in place: drops what has come meanwhile, as far as
 * its share of the time goes. Returns the number of datagrams. */
uint32_t intake_shed(struct intake *intake, struct intake_source *source, struct burst *burst);

/* The next burst of one queue's backlog, to be decoded; false when there is none. */
bool intake_take(struct intake *intake, uint32_t queue, struct burst *burst);

/* It was decoded, or was dropped. */
void intake_release(struct intake *intake, uint32_t queue, const struct burst *burst);

/* Drops what waits, for want of time to decode it. */
void intake_discard(struct intake *intake);

#endif
