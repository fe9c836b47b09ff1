/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeps a device's memory in place while a thread is inside one of its burst functions, and keeps
 * threads out while the device is being reset or is gone.
 *
 * When a memif peer goes away, DPDK's interrupt thread unmaps the rings, whether or not a worker
 * is reading them: a sender that is killed under load would take the daemon along. The linker
 * sends memif's call through here (--wrap), and it waits until every burst under way has returned;
 * later ones see that the peer is gone.
 */
#ifndef DPDK_GUARD_H
#define DPDK_GUARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

/* One for each thread and device; zeroed at first. */
struct guard {
	_Atomic int inside; /* written by the bursting thread */
	_Atomic int shut; /* written by guard_shut and guard_open */
	uint16_t device;
	LIST_ENTRY(guard) next;
};

/* Before the first burst on the device, and after the last. Any thread. */
void guard_add(struct guard *guard, uint16_t device);
void guard_remove(struct guard *guard);

/* Waits for the bursts under way on the device; from then on its guards let nobody in, until
 * guard_open. Any thread but one that is inside. */
void guard_shut(uint16_t device);
void guard_open(uint16_t device);

/* Around each burst. Plain stores and a load: the rare side pays for their order (membarrier).
 * False: no burst now, and no guard_leave. */
static inline bool
guard_enter(struct guard *guard)
{
	atomic_store_explicit(&guard->inside, 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	if (atomic_load_explicit(&guard->shut, memory_order_acquire) == 0)
		return true;
	atomic_store_explicit(&guard->inside, 0, memory_order_release);
	return false;
}

static inline void
guard_leave(struct guard *guard)
{
	atomic_store_explicit(&guard->inside, 0, memory_order_release);
}

#endif
