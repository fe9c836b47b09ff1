/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeps a device's memory in place while a thread is inside one of its burst functions.
 *
 * When a memif peer goes away, DPDK's interrupt thread unmaps the rings, whether or not a worker
 * is reading them: a sender that is killed under load would take the daemon along. The linker
 * sends memif's call through here (--wrap), and it waits until every burst under way has returned;
 * later ones see that the peer is gone.
 */
#ifndef DPDK_GUARD_H
#define DPDK_GUARD_H

#include <stdatomic.h>
#include <sys/queue.h>

/* One for each thread and device; zeroed at first. */
struct guard {
	_Atomic int inside; /* written by the bursting thread */
	LIST_ENTRY(guard) next;
};

/* Before the first burst, and after the last. Any thread. */
void guard_add(struct guard *guard);
void guard_remove(struct guard *guard);

/* Around each burst. Two plain stores: the rare side pays for their order (membarrier). */
static inline void
guard_enter(struct guard *guard)
{
	atomic_store_explicit(&guard->inside, 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
}

static inline void
guard_leave(struct guard *guard)
{
	atomic_store_explicit(&guard->inside, 0, memory_order_release);
}

#endif
