/* SPDX-License-Identifier: BSD-3-Clause */
/* On the path of every datagram under pressure: no malloc, no log, no lock. Only a chunk without
 * pages costs a system call. */
#include "worker/intake.h"

#include <errno.h>

#define PRESSED_AFTER 2 /* full polls in a row; the smallest ring holds four of them */
#define SPILL_POLLS 16 /* in one turn */
#define SPILL_BYTES ((size_t)1 << 20) /* of payload in one turn, about; some 100 us of copying */
#define DROP_SHARE 10 /* polling to drop costs at most 1 / DROP_SHARE of the decoding */
#define ALLOWANCE_MAX NS_PER_MS
#define FLOOD_AFTER NS_PER_S /* at the ceiling */

void
intake_init(struct intake *intake, struct chunk_pool *pool, struct stats *stats,
	const struct clock *clock)
{
	*intake = (struct intake){.pool = pool, .stats = stats, .clock = clock};
}

static struct intake_queue *
queue_of(struct intake *intake, struct account *account)
{
	struct intake_queue *queue = intake->queue;

	for (uint32_t i = 0; i < intake->n_queues; i++, queue++)
		if (queue->backlog.account == account)
			return queue;
	if (intake->n_queues == INTAKE_QUEUES_MAX)
		return NULL;
	intake->n_queues++;
	backlog_init(&queue->backlog, intake->pool, account);
	return queue;
}

int
intake_add(struct intake *intake, struct input *input, struct intake_source *source)
{
	struct account *account = input_account(input);

	*source = (struct intake_source){.input = input};
	if (intake->pool == NULL || account == NULL || input_keeps_unread(input))
		return 0;
	source->queue = queue_of(intake, account);
	return source->queue != NULL ? 0 : -ENOSPC;
}

void
intake_note(struct intake_source *source)
{
	if (likely(source->queue == NULL || !input_has_more(source->input))) {
		source->n_full = 0;
		source->is_flooded = false;
	} else if (++source->n_full < PRESSED_AFTER && input_is_filling(source->input))
		source->n_full = PRESSED_AFTER;
}

/* An empty backlog for which there is no memory, since others hold all of it, helps nobody. */
bool
intake_spills(const struct intake_source *source)
{
	const struct intake_queue *queue = source->queue;

	if (queue == NULL)
		return false;
	if (queue->backlog.n != 0)
		return true;
	return source->n_full >= PRESSED_AFTER && !source->is_flooded &&
		account_has_room(queue->backlog.account, queue->backlog.pool->chunk_size);
}

/* Whether the queue is closed to this input. */
static bool
is_shut_out(const struct intake_source *source)
{
	return source->queue->is_closed && source->queue->flooder == source;
}

static bool
is_refused(const struct intake_source *source)
{
	return is_shut_out(source) || backlog_is_full(&source->queue->backlog);
}

/* Copies the burst, or what there is room for. Returns how many datagrams were dropped. */
static uint32_t
put(struct intake *intake, struct intake_source *source, const struct burst *burst, size_t *bytes)
{
	struct intake_queue *queue = source->queue;
	size_t before = *bytes;
	uint32_t n = 0;

	for (uint32_t i = 0; i < burst->n; i++) {
		if (is_shut_out(source) || !backlog_add(&queue->backlog, &burst->dgram[i]))
			continue;
		*bytes += burst->dgram[i].payload.size;
		n++;
	}
	stats_add(intake->stats, STAT_datagrams_queued, n);
	stats_add(intake->stats, STAT_worker_spilled, n);
	stats_add(intake->stats, STAT_worker_spilled_bytes, *bytes - before);
	stats_add(intake->stats, STAT_datagrams_dropped_memory_ceiling, burst->n - n);
	return burst->n - n;
}

/* One poll; the part of its time that went to what was dropped comes out of the allowance. */
static void
spill_burst(struct intake *intake, struct intake_source *source, struct burst *burst, size_t *bytes)
{
	uint64_t began = clock_monotonic(intake->clock);
	struct intake_queue *queue = source->queue;
	uint32_t n_dropped;

	input_poll(source->input, burst);
	if (burst->n == 0)
		return;
	n_dropped = put(intake, source, burst, bytes);
	input_release(source->input, burst);
	if (n_dropped != 0)
		queue->allowance -=
			(int64_t)(clock_monotonic(intake->clock) - began) * n_dropped / burst->n;
}

/* Closes the queue to an input that keeps it at the ceiling for so long that it is no burst. */
static void
look_at_flood(struct intake *intake, struct intake_source *source)
{
	struct intake_queue *queue = source->queue;
	uint64_t now = clock_monotonic(intake->clock);

	if (queue->full_since == 0)
		queue->full_since = now;
	else if (!queue->is_closed && now - queue->full_since > FLOOD_AFTER &&
		source->n_came >= BURST_MAX) {
		queue->is_closed = true;
		queue->flooder = source;
	}
	source->is_flooded = is_shut_out(source);
}

/* In the time of one burst no more than one came: the rest of the backlog is an ordinary one. */
static void
end_flood(struct intake_source *source)
{
	source->queue->is_closed = false;
	source->queue->full_since = 0;
	source->is_flooded = false;
}

/* Polls until the input is empty, within bounds. */
static uint32_t
empty(struct intake *intake, struct intake_source *source, struct burst *burst, bool *ret_is_empty)
{
	struct intake_queue *queue = source->queue;
	size_t bytes = 0;
	uint32_t n = 0;

	*ret_is_empty = false;
	for (int i = 0; i < SPILL_POLLS && bytes < SPILL_BYTES && !*ret_is_empty; i++) {
		if (is_refused(source) && queue->allowance <= 0)
			break;
		spill_burst(intake, source, burst, &bytes);
		n += burst->n;
		*ret_is_empty = !input_has_more(source->input);
	}
	return n;
}

uint32_t
intake_spill(struct intake *intake, struct intake_source *source, struct burst *burst)
{
	bool is_empty;
	uint32_t n;

	source->n_full = 0;
	if (unlikely(is_refused(source)))
		look_at_flood(intake, source);
	n = empty(intake, source, burst, &is_empty);
	if (n != 0)
		source->n_came = n;
	if (source->is_flooded && is_empty && n < BURST_MAX)
		end_flood(source);
	return n;
}

static void
earn(struct intake *intake, struct intake_queue *queue, uint64_t began)
{
	queue->allowance += (int64_t)(clock_monotonic(intake->clock) - began) / DROP_SHARE;
	if (queue->allowance > ALLOWANCE_MAX)
		queue->allowance = ALLOWANCE_MAX;
}

uint32_t
intake_shed(struct intake *intake, struct intake_source *source, struct burst *burst)
{
	bool is_empty;
	uint32_t n;

	earn(intake, source->queue, burst->time);
	source->queue->is_closed = true;
	source->queue->flooder = source;
	n = empty(intake, source, burst, &is_empty);
	source->queue->is_closed = false;
	return n;
}

bool
intake_take(struct intake *intake, uint32_t i, struct burst *burst)
{
	struct intake_queue *queue = &intake->queue[i];

	backlog_take(&queue->backlog, burst);
	if (burst->n == 0)
		return false;
	/* When it came does not matter any more: it counts from when it is recorded, and time must
	 * not go back for the series and lines that it touches. */
	burst->time = clock_monotonic(intake->clock);
	return true;
}

void
intake_release(struct intake *intake, uint32_t i, const struct burst *burst)
{
	struct intake_queue *queue = &intake->queue[i];

	backlog_release(&queue->backlog, burst);
	intake->stats->counter[STAT_datagrams_queued] -= burst->n;
	earn(intake, queue, burst->time);
	if (queue->backlog.n == 0) {
		queue->is_closed = false;
		queue->full_since = 0;
	}
}

void
intake_discard(struct intake *intake)
{
	for (uint32_t i = 0; i < intake->n_queues; i++) {
		uint64_t n = backlog_clear(&intake->queue[i].backlog);

		intake->stats->counter[STAT_datagrams_queued] -= n;
		stats_add(intake->stats, STAT_datagrams_dropped_stopped, n);
	}
}
