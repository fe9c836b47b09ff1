/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sequence of fragments, 4 bytes each:
 *
 *     0  bits 0-4: identification, 31: only time passes; bit 5: not the last; bit 6: other content
 *     1  offset in units of 8 bytes; of time, units of 16 ms
 *     2  size in units of 8 bytes, less 1
 *     3  bits 0-2: bytes more, if it is the last; bits 3-4: the sender, two of each IP version
 *
 * An oracle that marks each 8 bytes with the fragment that brought them (all begin at multiples of
 * 8, and only the last one ends elsewhere) says what must become of each: the bounds, the time-out
 * and the order in which datagrams give way included.
 */
#include <stdlib.h>

#include "base/compiler.h"
#include "frame/reassembly.h"

#define REQUIRE(condition) \
	do { \
		if (!(condition)) \
			__builtin_trap(); \
	} while (0)

#define IDS 32
#define SENDERS 4
#define UNITS (256 + 256 + 1) /* of 8 bytes */

struct oracle {
	bool is_alive;
	uint64_t began, order;
	enum counter spoiled;
	uint8_t bytes[UNITS * 8];
	uint16_t owner[UNITS + 1]; /* number of the fragment, from 1; 0: nobody */
	uint16_t n;
	uint32_t end; /* of the last fragment, or 0 */
	uint32_t furthest; /* end of any */
};

static struct oracle oracles[SENDERS][IDS];
static uint8_t addresses[SENDERS][32];
static uint64_t next_order;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
pass_time(uint64_t now)
{
	for (unsigned i = 0; i < SENDERS * IDS; i++) {
		struct oracle *oracle = &oracles[i / IDS][i % IDS];

		if (oracle->is_alive && now - oracle->began >= 2000000000)
			oracle->is_alive = false;
	}
}

static void
begin(struct oracle *oracle, uint64_t now)
{
	struct oracle *oldest = NULL;
	unsigned n_alive = 0;

	for (unsigned i = 0; i < SENDERS * IDS; i++) {
		struct oracle *other = &oracles[i / IDS][i % IDS];

		if (!other->is_alive)
			continue;
		n_alive++;
		if (oldest == NULL || other->order < oldest->order)
			oldest = other;
	}
	if (n_alive == 64)
		oldest->is_alive = false;
	memset(oracle, 0, sizeof(*oracle));
	oracle->is_alive = true;
	oracle->began = now;
	oracle->order = next_order++;
}

static bool
is_duplicate(const struct oracle *oracle, uint32_t from, struct span bytes)
{
	uint32_t first = from / 8, end = first + (uint32_t)(bytes.size + 7) / 8;
	uint16_t owner = oracle->owner[first];

	if (owner == 0 || memcmp(oracle->bytes + from, bytes.data, bytes.size) != 0)
		return false;
	for (uint32_t i = first; i < end; i++)
		if (oracle->owner[i] != owner)
			return false;
	return (first == 0 || oracle->owner[first - 1] != owner) && oracle->owner[end] != owner;
}

/* Of the units from first on; end is behind the last one. */
static bool
has_any(const struct oracle *oracle, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++)
		if (oracle->owner[i] != 0)
			return true;
	return false;
}

static bool
is_complete(const struct oracle *oracle)
{
	for (uint32_t i = 0; i < (oracle->end + 7) / 8; i++)
		if (oracle->owner[i] == 0)
			return false;
	return oracle->end != 0;
}

/* What must become of the fragment. */
static enum counter
foretell(struct oracle *oracle, const struct fragment *fragment, struct span bytes, uint64_t now)
{
	uint32_t from = fragment->offset, end = from + (uint32_t)bytes.size;
	uint32_t first = from / 8, last_end = (end + 7) / 8;

	pass_time(now);
	if (!oracle->is_alive)
		begin(oracle, now);
	if (oracle->spoiled != STAT_NONE)
		return oracle->spoiled;
	if (oracle->end != 0 && (fragment->more ? end >= oracle->end : end != oracle->end))
		return oracle->spoiled = STAT_frames_dropped_fragment_overlap;
	if (!fragment->more && oracle->furthest > end)
		return oracle->spoiled = STAT_frames_dropped_fragment_overlap;
	if (is_duplicate(oracle, from, bytes))
		return STAT_frames_dropped_fragment_duplicate;
	if (has_any(oracle, first, last_end))
		return oracle->spoiled = STAT_frames_dropped_fragment_overlap;
	if (oracle->n == 128)
		return oracle->spoiled = STAT_frames_dropped_fragment_limit;
	oracle->n++;
	for (uint32_t i = first; i < last_end; i++)
		oracle->owner[i] = oracle->n;
	memcpy(oracle->bytes + from, bytes.data, bytes.size);
	if (!fragment->more)
		oracle->end = end;
	if (end > oracle->furthest)
		oracle->furthest = end;
	if (!is_complete(oracle))
		return STAT_frames_queued;
	oracle->is_alive = false;
	return STAT_NONE;
}

static void
add(struct reassembly *reassembly, struct stats *stats, const uint8_t *code, uint64_t now)
{
	unsigned sender = code[3] >> 3 & (SENDERS - 1);
	struct oracle *oracle = &oracles[sender][code[0] & 31];
	struct fragment fragment = {code[0] & 31, (uint16_t)(code[1] * 8), (code[0] & 32) != 0, 17};
	size_t size = (size_t)code[2] * 8 + 8 + (fragment.more ? 0 : code[3] & 7);
	uint8_t *bytes = malloc(size); /* ends where the fragment ends: a sanitizer sees more */
	struct frame frame = {.payload = span_of(bytes, size),
		.source = addresses[sender],
		.address_size = (sender & 1) != 0 ? 16 : 4,
		.fragment = fragment};
	struct packet packet;
	enum counter reason;

	REQUIRE(bytes != NULL);
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(code[1] + i / 8 + (code[0] & 64));
	reason = reassembly_add(reassembly, &frame, now, &packet);
	REQUIRE(reason == foretell(oracle, &fragment, frame.payload, now));
	free(bytes);
	if (reason == STAT_NONE) {
		REQUIRE(span_equal(packet.body, span_of(oracle->bytes, oracle->end)));
		reassembly_release(reassembly);
	}
	stats_add(stats, reason == STAT_NONE ? STAT_frames_delivered : reason, 1);
}

/* Every fragment is counted once, and what waits is as many as the oracle has. */
static void
check_counts(const struct stats *stats, uint64_t n_added)
{
	uint64_t sum = 0, n_waiting = 0;

	for (enum counter stat = STAT_NONE + 1; stat < STAT_COUNT; stat++)
		sum += stats->counter[stat];
	for (unsigned i = 0; i < SENDERS * IDS; i++) {
		const struct oracle *oracle = &oracles[i / IDS][i % IDS];

		if (oracle->is_alive && oracle->spoiled == STAT_NONE)
			n_waiting += oracle->n;
	}
	REQUIRE(sum == n_added);
	REQUIRE(stats->counter[STAT_frames_queued] == n_waiting);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stats stats = {0};
	struct reassembly *reassembly;
	uint64_t now = 0, n_added = 0;

	for (unsigned i = 0; i < SENDERS * IDS; i++)
		oracles[i / IDS][i % IDS].is_alive = false;
	for (unsigned i = 0; i < SENDERS; i++)
		addresses[i][3] = (uint8_t)(i >> 1); /* the last byte of an IPv4 source */
	REQUIRE(reassembly_new(&stats, &reassembly) == 0);
	for (; size >= 4; data += 4, size -= 4) {
		if ((data[0] & 31) == 31) {
			now += (uint64_t)data[1] << 24;
			reassembly_refresh(reassembly, now);
			pass_time(now);
		} else {
			add(reassembly, &stats, data, now);
			n_added++;
		}
		check_counts(&stats, n_added);
	}
	reassembly_stop(reassembly);
	REQUIRE(stats.counter[STAT_frames_queued] == 0);
	reassembly_free(reassembly);
	return 0;
}
