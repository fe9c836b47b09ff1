/* SPDX-License-Identifier: BSD-3-Clause */
/* hot: no malloc, no log, no lock; system calls only in refresh */
#include "dpdk/joiner.h"

#include <assert.h>
#include <errno.h>

#include <rte_mbuf.h>

static_assert(JOINER_MEMORY % REGION_PAGE == 0, "memory is given back in pages");

int
joiner_init(struct joiner *joiner)
{
	*joiner = (struct joiner){.region = region_map(JOINER_MEMORY)};
	return joiner->region != NULL ? 0 : -ENOMEM;
}

void
joiner_free(struct joiner *joiner)
{
	region_unmap(joiner->region, JOINER_MEMORY);
}

struct span
joiner_join(struct joiner *joiner, const struct rte_mbuf *mbuf)
{
	uint8_t *at = joiner->region + joiner->used, *end = at;

	if (mbuf->pkt_len > JOINER_FRAME_MAX)
		return span_of(NULL, 0);
	for (; mbuf != NULL; mbuf = mbuf->next) {
		/* Never past the slot, whatever the driver says about the sum. */
		size_t left = JOINER_FRAME_MAX - (size_t)(end - at);
		size_t size = RTE_MIN((size_t)mbuf->data_len, left);

		memcpy(end, rte_pktmbuf_mtod(mbuf, const uint8_t *), size);
		end += size;
	}
	joiner->used += ((size_t)(end - at) + BURST_TAILROOM + 63) & ~(size_t)63;
	joiner->touched = RTE_MAX(joiner->touched, joiner->used);
	return span_of(at, (size_t)(end - at));
}

void
joiner_refresh(struct joiner *joiner)
{
	size_t kept = (joiner->used + REGION_PAGE - 1) & ~(size_t)(REGION_PAGE - 1);

	if (joiner->touched > kept)
		region_give_back(joiner->region + kept, JOINER_MEMORY - kept);
	joiner->touched = joiner->used;
}
