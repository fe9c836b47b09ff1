/* SPDX-License-Identifier: BSD-3-Clause */
#include "frame/claim.h"

#include "base/clock.h"

/* RFC 5227 section 1.1: PROBE_NUM, PROBE_MIN, ANNOUNCE_WAIT, ANNOUNCE_NUM, ANNOUNCE_INTERVAL. */
#define PROBES4 3
#define PROBE_INTERVAL (1 * (uint64_t)NS_PER_S)
#define PROBE_WAIT4 (2 * (uint64_t)NS_PER_S)
#define ANNOUNCEMENTS 2
#define ANNOUNCE_INTERVAL (2 * (uint64_t)NS_PER_S)

/* RFC 4862 section 5.1: DupAddrDetectTransmits, and RetransTimer of RFC 4861 section 10. */
#define PROBES6 1
#define PROBE_WAIT6 (1 * (uint64_t)NS_PER_S)

/* A lost address is tried again when nobody was heard with it for so long: RATE_LIMIT_INTERVAL. */
#define LOST_FOR (60 * (uint64_t)NS_PER_S)

static void
set_state(struct claim *claim, enum claim_state state)
{
	atomic_store_explicit(&claim->state, (uint8_t)state, memory_order_release);
}

void
claim_begin(struct claim *claim, unsigned address_size, uint64_t now)
{
	set_state(claim, CLAIM_PROBING);
	claim->probes_left = address_size == 4 ? PROBES4 : PROBES6;
	claim->announcements_left = ANNOUNCEMENTS;
	claim->due = now;
}

static enum claim_action
probe(struct claim *claim, unsigned address_size, uint64_t now)
{
	uint64_t last_wait = address_size == 4 ? PROBE_WAIT4 : PROBE_WAIT6;

	claim->probes_left--;
	claim->due = now + (claim->probes_left > 0 ? PROBE_INTERVAL : last_wait);
	return CLAIM_PROBE;
}

static enum claim_action
announce(struct claim *claim, uint64_t now)
{
	claim->announcements_left--;
	claim->due = now + ANNOUNCE_INTERVAL;
	return CLAIM_ANNOUNCE;
}

enum claim_action
claim_step(struct claim *claim, unsigned address_size, uint64_t now)
{
	uint32_t disputes = atomic_load_explicit(&claim->disputes, memory_order_acquire);

	if (disputes != atomic_load_explicit(&claim->settled, memory_order_relaxed)) {
		set_state(claim, CLAIM_LOST);
		atomic_store_explicit(&claim->settled, disputes, memory_order_release);
		claim->due = now + LOST_FOR;
		return CLAIM_NOTHING;
	}
	if (now + CLAIM_SLACK < claim->due)
		return CLAIM_NOTHING;
	if (claim_state(claim) == CLAIM_LOST)
		claim_begin(claim, address_size, now);
	if (claim->probes_left > 0)
		return probe(claim, address_size, now);
	set_state(claim, CLAIM_HELD);
	return claim->announcements_left > 0 ? announce(claim, now) : CLAIM_NOTHING;
}

/* A claim is held from its first announcement on. */
void
claim_unsent(struct claim *claim, uint64_t now)
{
	if (atomic_load_explicit(&claim->state, memory_order_relaxed) == CLAIM_PROBING)
		claim->probes_left++;
	else
		claim->announcements_left++;
	claim->due = now;
}

void
claim_dispute(struct claim *claim, const uint8_t mac[6])
{
	uint64_t rival = 0;

	for (int i = 0; i < 6; i++)
		rival = rival << 8 | mac[i];
	atomic_store_explicit(&claim->rival, rival, memory_order_relaxed);
	atomic_fetch_add_explicit(&claim->disputes, 1, memory_order_release);
}

/* Settled is read first: what is disputed between the two loads counts. */
enum claim_state
claim_state(const struct claim *claim)
{
	uint32_t settled = atomic_load_explicit(&claim->settled, memory_order_acquire);
	uint32_t disputes = atomic_load_explicit(&claim->disputes, memory_order_acquire);

	if (disputes != settled)
		return CLAIM_LOST;
	return (enum claim_state)atomic_load_explicit(&claim->state, memory_order_acquire);
}

void
claim_rival(const struct claim *claim, uint8_t ret_mac[6])
{
	uint64_t rival = atomic_load_explicit(&claim->rival, memory_order_relaxed);

	for (int i = 5; i >= 0; i--, rival >>= 8)
		ret_mac[i] = (uint8_t)rival;
}
