/* SPDX-License-Identifier: BSD-3-Clause */
/* hot: no malloc, no log, no lock; system calls only in refresh */
#include "frame/reassembly.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/queue.h>

#include "mem/region.h"

#define SLOTS (REASSEMBLY_WAITING + REASSEMBLY_FINISHED)

static_assert(REASSEMBLY_SLOT % REGION_PAGE == 0, "slots are given back in pages");
static_assert(REASSEMBLY_SLOT >= UINT16_MAX + REASSEMBLY_TAILROOM, "a slot holds any datagram");

/* What one fragment brought. */
struct piece {
	uint16_t begin, end;
};

struct datagram {
	TAILQ_ENTRY(datagram) link; /* in one of the lists of struct reassembly */
	uint64_t began; /* monotonic ns */
	uint32_t id;
	uint8_t address_size;
	uint8_t addresses[32]; /* source, destination */
	uint8_t type; /* of the fragment at offset 0 */
	bool is_touched; /* its bytes may take memory */
	enum counter spoiled; /* why, or STAT_NONE */
	uint32_t n_bytes; /* that have come */
	uint32_t size; /* 0 until the last fragment has come */
	uint32_t n_pieces;
	struct piece piece[REASSEMBLY_FRAGMENTS]; /* ascending, apart from each other */
	uint8_t *bytes; /* REASSEMBLY_SLOT of the region */
};

TAILQ_HEAD(datagrams, datagram);

struct reassembly {
	struct stats *stats;
	struct datagrams waiting; /* oldest first */
	struct datagrams finished;
	struct datagrams unused; /* the last one used first: its memory is warm */
	uint32_t n_waiting;
	uint32_t tag[SLOTS]; /* of waiting ones, else 0: a look-up need not touch the slots */
	struct datagram slot[SLOTS];
	uint8_t *region;
};

int
reassembly_new(struct stats *stats, struct reassembly **ret_reassembly)
{
	struct reassembly *reassembly = calloc(1, sizeof(*reassembly));

	if (reassembly == NULL)
		return -ENOMEM;
	reassembly->region = region_map(REASSEMBLY_MEMORY);
	if (reassembly->region == NULL) {
		free(reassembly);
		return -ENOMEM;
	}
	reassembly->stats = stats;
	TAILQ_INIT(&reassembly->waiting);
	TAILQ_INIT(&reassembly->finished);
	TAILQ_INIT(&reassembly->unused);
	for (size_t i = 0; i < SLOTS; i++) {
		reassembly->slot[i].bytes = reassembly->region + i * REASSEMBLY_SLOT;
		TAILQ_INSERT_TAIL(&reassembly->unused, &reassembly->slot[i], link);
	}
	*ret_reassembly = reassembly;
	return 0;
}

void
reassembly_free(struct reassembly *reassembly)
{
	if (reassembly == NULL)
		return;
	region_unmap(reassembly->region, REASSEMBLY_MEMORY);
	free(reassembly);
}

/* Never 0. Equal ones cost a comparison each, REASSEMBLY_WAITING at most. */
static uint32_t
tag_of(const struct frame *fragment)
{
	uint32_t sender;

	memcpy(&sender, fragment->source + fragment->address_size - sizeof(sender), sizeof(sender));
	return (fragment->fragment.id ^ sender) | 1;
}

static bool
is_part_of(const struct datagram *datagram, const struct frame *fragment)
{
	return datagram->id == fragment->fragment.id &&
		datagram->address_size == fragment->address_size &&
		memcmp(datagram->addresses, fragment->source, (size_t)fragment->address_size * 2) ==
		0;
}

static struct datagram *
find(struct reassembly *reassembly, const struct frame *fragment)
{
	uint32_t tag = tag_of(fragment);

	for (size_t i = 0; i < SLOTS; i++)
		if (reassembly->tag[i] == tag && is_part_of(&reassembly->slot[i], fragment))
			return &reassembly->slot[i];
	return NULL;
}

/* It waits no longer. */
static void
take_off(struct reassembly *reassembly, struct datagram *datagram)
{
	TAILQ_REMOVE(&reassembly->waiting, datagram, link);
	reassembly->tag[datagram - reassembly->slot] = 0;
	reassembly->n_waiting--;
}

/* Drops the fragments that it has. */
static void
drop_pieces(struct reassembly *reassembly, struct datagram *datagram, enum counter reason)
{
	stats_move(reassembly->stats, STAT_frames_queued, reason, datagram->n_pieces);
	datagram->n_pieces = 0;
}

static void
give_up(struct reassembly *reassembly, struct datagram *datagram, enum counter reason)
{
	drop_pieces(reassembly, datagram, reason);
	take_off(reassembly, datagram);
	TAILQ_INSERT_HEAD(&reassembly->unused, datagram, link);
}

static void
expire(struct reassembly *reassembly, uint64_t now)
{
	struct datagram *oldest;

	while ((oldest = TAILQ_FIRST(&reassembly->waiting)) != NULL &&
		now >= oldest->began + REASSEMBLY_TIMEOUT)
		give_up(reassembly, oldest, STAT_frames_dropped_fragment_timeout);
}

static struct datagram *
begin(struct reassembly *reassembly, const struct frame *fragment, uint64_t now)
{
	struct datagram *datagram;

	if (reassembly->n_waiting == REASSEMBLY_WAITING)
		give_up(reassembly, TAILQ_FIRST(&reassembly->waiting),
			STAT_frames_dropped_fragment_flood);
	datagram = TAILQ_FIRST(&reassembly->unused);
	assert(datagram != NULL);
	TAILQ_REMOVE(&reassembly->unused, datagram, link);
	TAILQ_INSERT_TAIL(&reassembly->waiting, datagram, link);
	reassembly->n_waiting++;
	reassembly->tag[datagram - reassembly->slot] = tag_of(fragment);
	datagram->began = now;
	datagram->id = fragment->fragment.id;
	datagram->address_size = fragment->address_size;
	memcpy(datagram->addresses, fragment->source, (size_t)fragment->address_size * 2);
	datagram->is_touched = true;
	datagram->spoiled = STAT_NONE;
	datagram->n_bytes = 0;
	datagram->size = 0;
	datagram->n_pieces = 0;
	return datagram;
}

/* Whether a fragment with that end contradicts what is known of the datagram's. */
static bool
disagrees_about_end(const struct datagram *datagram, uint32_t end, bool more)
{
	if (datagram->size != 0)
		return more ? end >= datagram->size : end != datagram->size;
	return !more && datagram->n_pieces > 0 && datagram->piece[datagram->n_pieces - 1].end > end;
}

/* Whether the fragment brings what this piece has brought. */
static bool
is_duplicate(const struct datagram *datagram, const struct piece *piece,
	const struct frame *fragment)
{
	struct span bytes = fragment->payload;

	return piece->begin == fragment->fragment.offset &&
		(size_t)(piece->end - piece->begin) == bytes.size &&
		memcmp(datagram->bytes + piece->begin, bytes.data, bytes.size) == 0;
}

/* STAT_NONE: it has its place now. Otherwise nothing has changed. */
static enum counter
place(struct datagram *datagram, const struct frame *fragment)
{
	struct piece new = {fragment->fragment.offset,
		(uint16_t)(fragment->fragment.offset + fragment->payload.size)};
	struct piece *before, *after = datagram->piece + datagram->n_pieces;

	if (disagrees_about_end(datagram, new.end, fragment->fragment.more))
		return STAT_frames_dropped_fragment_overlap;
	/* From the end, since most come in order. */
	while (after > datagram->piece && after[-1].begin > new.begin)
		after--;
	before = after > datagram->piece ? after - 1 : NULL;
	if (before != NULL && is_duplicate(datagram, before, fragment))
		return STAT_frames_dropped_fragment_duplicate;
	if ((before != NULL && before->end > new.begin) ||
		(after < datagram->piece + datagram->n_pieces && after->begin < new.end))
		return STAT_frames_dropped_fragment_overlap;
	if (datagram->n_pieces == REASSEMBLY_FRAGMENTS)
		return STAT_frames_dropped_fragment_limit;
	memmove(after + 1, after,
		(size_t)(datagram->piece + datagram->n_pieces - after) * sizeof(*after));
	*after = new;
	datagram->n_pieces++;
	return STAT_NONE;
}

static void
fill(struct datagram *datagram, const struct frame *fragment)
{
	const struct fragment *at = &fragment->fragment;
	struct span bytes = fragment->payload;

	memcpy(datagram->bytes + at->offset, bytes.data, bytes.size);
	datagram->n_bytes += (uint32_t)bytes.size;
	if (at->offset == 0)
		datagram->type = at->type;
	if (!at->more)
		datagram->size = at->offset + (uint32_t)bytes.size;
}

static void
finish(struct reassembly *reassembly, struct datagram *datagram, struct packet *ret_packet)
{
	take_off(reassembly, datagram);
	TAILQ_INSERT_TAIL(&reassembly->finished, datagram, link);
	/* The last one is in the caller's hands and was never counted as waiting. */
	stats_move(reassembly->stats, STAT_frames_queued, STAT_frames_reassembled,
		datagram->n_pieces - 1);
	*ret_packet = (struct packet){datagram->addresses, datagram->address_size, datagram->type,
		span_of(datagram->bytes, datagram->size)};
}

enum counter
reassembly_add(struct reassembly *reassembly, const struct frame *fragment, uint64_t now,
	struct packet *ret_packet)
{
	struct datagram *datagram;
	enum counter reason;

	expire(reassembly, now);
	datagram = find(reassembly, fragment);
	if (datagram == NULL)
		datagram = begin(reassembly, fragment, now);
	if (datagram->spoiled != STAT_NONE)
		return datagram->spoiled;
	reason = place(datagram, fragment);
	if (reason == STAT_frames_dropped_fragment_duplicate)
		return reason;
	if (reason != STAT_NONE) {
		/* It keeps its place, so that what is still to come of it is known as such. */
		datagram->spoiled = reason;
		drop_pieces(reassembly, datagram, reason);
		return reason;
	}
	fill(datagram, fragment);
	if (datagram->n_bytes != datagram->size)
		return STAT_frames_queued;
	finish(reassembly, datagram, ret_packet);
	return STAT_NONE;
}

void
reassembly_release(struct reassembly *reassembly)
{
	struct datagram *datagram;

	while ((datagram = TAILQ_FIRST(&reassembly->finished)) != NULL) {
		TAILQ_REMOVE(&reassembly->finished, datagram, link);
		TAILQ_INSERT_HEAD(&reassembly->unused, datagram, link);
	}
}

void
reassembly_refresh(struct reassembly *reassembly, uint64_t now)
{
	struct datagram *datagram;

	expire(reassembly, now);
	TAILQ_FOREACH(datagram, &reassembly->unused, link)
	if (datagram->is_touched) {
		region_give_back(datagram->bytes, REASSEMBLY_SLOT);
		datagram->is_touched = false;
	}
}

void
reassembly_stop(struct reassembly *reassembly)
{
	struct datagram *datagram;

	while ((datagram = TAILQ_FIRST(&reassembly->waiting)) != NULL)
		give_up(reassembly, datagram, STAT_frames_dropped_fragment_stopped);
}
