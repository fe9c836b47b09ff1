/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/rejects.h"

#include <assert.h>

static_assert(sizeof(struct reject) % sizeof(uint64_t) == 0, "copied word by word");

void
rejects_add(struct rejects *rejects, enum counter reason, uint16_t listener, int64_t time,
	struct span line)
{
	uint64_t n = atomic_load_explicit(&rejects->written, memory_order_relaxed);
	_Atomic uint32_t *sequence = &rejects->slot[n % REJECTS_KEPT].sequence;
	_Atomic uint64_t *word = rejects->slot[n % REJECTS_KEPT].word;
	uint32_t before = atomic_load_explicit(sequence, memory_order_relaxed);
	struct reject reject = {
		.number = n + 1,
		.time = time,
		.size = (uint32_t)line.size,
		.reason = (uint16_t)reason,
		.listener = listener,
	};
	uint64_t copy[REJECT_WORDS];

	if (line.size != 0)
		memcpy(reject.bytes, line.data,
			line.size < REJECT_BYTES ? line.size : REJECT_BYTES);
	memcpy(copy, &reject, sizeof(copy));
	atomic_store_explicit(sequence, before + 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	for (size_t i = 0; i < REJECT_WORDS; i++)
		atomic_store_explicit(&word[i], copy[i], memory_order_relaxed);
	atomic_store_explicit(sequence, before + 2, memory_order_release);
	atomic_store_explicit(&rejects->written, n + 1, memory_order_release);
}

/* False when the slot is being overwritten. */
static bool
read_slot(struct rejects *rejects, size_t at, struct reject *out)
{
	_Atomic uint32_t *sequence = &rejects->slot[at].sequence;
	uint32_t before = atomic_load_explicit(sequence, memory_order_acquire);
	uint64_t copy[REJECT_WORDS];

	for (size_t i = 0; i < REJECT_WORDS; i++)
		copy[i] = atomic_load_explicit(&rejects->slot[at].word[i], memory_order_relaxed);
	atomic_thread_fence(memory_order_acquire);
	if (before % 2 != 0 || before != atomic_load_explicit(sequence, memory_order_relaxed))
		return false;
	memcpy(out, copy, sizeof(copy));
	return true;
}

size_t
rejects_read(struct rejects *rejects, struct reject *out, size_t n_max)
{
	uint64_t written = atomic_load_explicit(&rejects->written, memory_order_acquire);
	size_t n = 0;

	for (uint64_t back = 1; back <= REJECTS_KEPT && back <= written && n < n_max; back++)
		if (read_slot(rejects, (written - back) % REJECTS_KEPT, &out[n]))
			n++;
	return n;
}
