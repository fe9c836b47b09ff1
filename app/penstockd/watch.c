/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockd/watch.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/log.h"
#include "penstockd/ports.h"

#define SPEAK_EVERY 60 /* seconds */
#define RECOVERED_AFTER 10 /* seconds without a drop */

static const struct loss {
	enum stat_level level;
	const char *group, *what, *hint;
} losses[WATCH_LOSSES] = {
	{STAT_LEVEL_lines, "rejected", "lines rejected", "penstockctl rejects shows them"},
	{STAT_LEVEL_lines, "dropped", "lines dropped", "see penstockctl ledger"},
	{STAT_LEVEL_datagrams, "dropped", "datagrams dropped", "see penstockctl ledger"},
	{STAT_LEVEL_frames, "dropped", "frames dropped", "see penstockctl ledger"},
};

/* By how much all reasons of the group grew since before, and which one most. */
static uint64_t
growth(const struct stats *now, const struct stats *before, const struct loss *loss,
	const char **ret_most)
{
	uint64_t sum = 0, most = 0;

	for (enum counter stat = STAT_NONE + 1; stat < STAT_COUNT; stat++) {
		const struct stat_info *info = &stat_info[stat];
		uint64_t n = now->counter[stat] - before->counter[stat];

		if (info->level_index != loss->level || info->group == NULL ||
			strcmp(info->group, loss->group) != 0)
			continue;
		sum += n;
		if (n > most) {
			most = n;
			*ret_most = info->name;
		}
	}
	return sum;
}

/* Speaks of what grew since it was last said; is_last: without waiting for its time. */
static void
speak_of_losses(struct watch *watch, const struct stats *now, bool is_last)
{
	for (size_t i = 0; i < WATCH_LOSSES; i++) {
		const char *most = "";
		uint64_t n;

		if (watch->loss[i].seconds > 0 && !is_last) {
			watch->loss[i].seconds--;
			continue;
		}
		n = growth(now, &watch->loss[i].said, &losses[i], &most);
		if (n == 0)
			continue;
		log_warning("%" PRIu64 " %s, most for %s; %s", n, losses[i].what, most,
			losses[i].hint);
		watch->loss[i].said = *now;
		watch->loss[i].seconds = SPEAK_EVERY;
	}
}

/* Datagrams that were dropped were not taken in: they have no lines. */
static void
speak_of_all(const struct ledger *ledger)
{
	static const struct stats nothing;
	const uint64_t *counter = ledger->stats.counter;
	uint64_t sum[WATCH_LOSSES], points_dropped = 0;
	const char *most;

	for (size_t i = 0; i < WATCH_LOSSES; i++)
		sum[i] = growth(&ledger->stats, &nothing, &losses[i], &most);
	for (size_t i = 0; i < ledger->n_outputs; i++)
		for (size_t reason = 0; reason < OUTPUT_REASON_COUNT; reason++)
			points_dropped += ledger->output[i].counts.dropped[reason];
	log_info("took in %" PRIu64 " datagrams with %" PRIu64 " lines: %" PRIu64
		 " aggregated, %" PRIu64 " passed on, %" PRIu64 " rejected, %" PRIu64
		 " dropped; besides, dropped: %" PRIu64 " datagrams, %" PRIu64 " frames, %" PRIu64
		 " points by outputs; ledger difference %" PRIu64,
		counter[STAT_datagrams_delivered], counter[STAT_lines_received],
		counter[STAT_lines_aggregated], counter[STAT_lines_passed], sum[0], sum[1], sum[2],
		sum[3], points_dropped, ledger_difference(ledger));
}

static void
speak_of_limits(struct watch *watch, const struct daemon *d, const struct ledger *now)
{
	const uint64_t *counter = now->stats.counter;
	uint64_t dropped = counter[STAT_lines_dropped_context_limit] +
		counter[STAT_lines_dropped_memory_limit];

	if (dropped != watch->dropped_by_limit) {
		watch->dropped_by_limit = dropped;
		watch->quiet_seconds = 0;
		if (watch->at_limit)
			return;
		watch->at_limit = true;
		log_warning("limit reached (max_contexts %" PRIu64
			    ", max_context_bytes %zu): lines "
			    "of new contexts are dropped and counted, known ones go on",
			atomic_load(&d->limit.max), atomic_load(&d->budget.limit));
		return;
	}
	if (!watch->at_limit || ++watch->quiet_seconds < RECOVERED_AFTER)
		return;
	watch->at_limit = false;
	log_info("below the limit again: %" PRIu64 " contexts, %" PRIu64
		 " lines were dropped so far",
		atomic_load(&d->limit.used), dropped);
}

static void
speak_of_skew(struct watch *watch, const struct daemon *d)
{
	int64_t interval = d->options->aggregate_window_duration_seconds * NS_PER_S;
	struct flusher_status status;
	bool has_skew;

	flusher_status(d->flusher, &status);
	has_skew = llabs(status.skew) > interval;
	if (has_skew && !watch->has_skew)
		log_warning("the wall clock was set by %.3f s: buckets follow by a tenth of an "
			    "interval each, so that none is missing or doubled",
			(double)status.skew / (double)NS_PER_S);
	watch->has_skew = has_skew;
}

static void
speak_of_balance(struct watch *watch, struct daemon *d)
{
	struct status status = {0};

	ports_status(d->plan, &status);
	balance_tick(&watch->balance, &status);
}

void
watch_tick(struct watch *watch, struct daemon *d)
{
	struct ledger now;

	daemon_ledger(d, &now);
	speak_of_losses(watch, &now.stats, false);
	speak_of_limits(watch, d, &now);
	speak_of_skew(watch, d);
	speak_of_balance(watch, d);
}

/* What a stop had no time for. */
static void
speak_of_haste(const struct daemon *d, const struct ledger *ledger)
{
	uint64_t stopped = ledger->stats.counter[STAT_datagrams_dropped_stopped];

	for (uint32_t i = 0; i < d->n_workers; i++)
		if (d->worker[i]->has_left_unread)
			log_warning("stop_timeout was too short: worker %s left sockets or queues "
				    "unread, and what was in them is lost and not counted",
				d->worker[i]->name);
	if (stopped != 0)
		log_warning("stop_timeout was too short: %" PRIu64 " datagrams were not decoded",
			stopped);
}

void
watch_last(struct watch *watch, struct daemon *d)
{
	struct ledger ledger;

	daemon_ledger(d, &ledger);
	speak_of_haste(d, &ledger);
	speak_of_losses(watch, &ledger.stats, true);
	speak_of_all(&ledger);
}
