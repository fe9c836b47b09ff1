/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/rejects.h"

void
rejects_add(struct rejects *rejects, enum stat reason, uint16_t listener, int64_t time,
	struct span line)
{
	uint64_t n = atomic_load_explicit(&rejects->written, memory_order_relaxed);
	size_t at = n % REJECTS_KEPT;
	struct reject *reject = &rejects->slot[at].reject;
	uint32_t sequence = atomic_load_explicit(&rejects->slot[at].sequence, memory_order_relaxed);

	atomic_store_explicit(&rejects->slot[at].sequence, sequence + 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	reject->number = n + 1;
	reject->time = time;
	reject->size = (uint32_t)line.size;
	reject->reason = (uint16_t)reason;
	reject->listener = listener;
	if (line.size != 0)
		memcpy(reject->bytes, line.data,
			line.size < REJECT_BYTES ? line.size : REJECT_BYTES);
	atomic_store_explicit(&rejects->slot[at].sequence, sequence + 2, memory_order_release);
	atomic_store_explicit(&rejects->written, n + 1, memory_order_release);
}

size_t
rejects_read(struct rejects *rejects, struct reject *out, size_t n_max)
{
	uint64_t written = atomic_load_explicit(&rejects->written, memory_order_acquire);
	size_t n = 0;

	for (uint64_t back = 0; back < REJECTS_KEPT && back < written && n < n_max; back++) {
		size_t at = (written - 1 - back) % REJECTS_KEPT;
		uint32_t before =
			atomic_load_explicit(&rejects->slot[at].sequence, memory_order_acquire);

		out[n] = rejects->slot[at].reject;
		atomic_thread_fence(memory_order_acquire);
		if (before % 2 == 0 && before == atomic_load_explicit(&rejects->slot[at].sequence,
							 memory_order_relaxed))
			n++;
	}
	return n;
}
