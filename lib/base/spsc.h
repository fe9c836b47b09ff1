/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A bounded queue of pointers for exactly one producer and one consumer thread, without locks.
 * The capacity is a power of two and fixed; a full queue refuses.
 */
#ifndef BASE_SPSC_H
#define BASE_SPSC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"

#define SPSC_CAPACITY 64

struct spsc {
	cache_aligned _Atomic size_t head; /* written by the producer */
	cache_aligned _Atomic size_t tail; /* written by the consumer */
	void *slot[SPSC_CAPACITY];
};

/* Producer only. */
static inline bool
spsc_is_full(const struct spsc *q)
{
	return atomic_load_explicit(&q->head, memory_order_relaxed) -
		atomic_load_explicit(&q->tail, memory_order_acquire) ==
		SPSC_CAPACITY;
}

/* Producer only. False when the queue is full. */
static inline bool
spsc_push(struct spsc *q, void *item)
{
	size_t head = atomic_load_explicit(&q->head, memory_order_relaxed);

	if (spsc_is_full(q))
		return false;
	q->slot[head % SPSC_CAPACITY] = item;
	atomic_store_explicit(&q->head, head + 1, memory_order_release);
	return true;
}

/* Consumer only. NULL when the queue is empty. */
static inline void *
spsc_pop(struct spsc *q)
{
	size_t tail = atomic_load_explicit(&q->tail, memory_order_relaxed);
	void *item;

	if (atomic_load_explicit(&q->head, memory_order_acquire) == tail)
		return NULL;
	item = q->slot[tail % SPSC_CAPACITY];
	atomic_store_explicit(&q->tail, tail + 1, memory_order_release);
	return item;
}

#endif
