/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockd/watch.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/log.h"

#define SPEAK_EVERY 60 /* seconds */
#define RECOVERED_AFTER 10 /* seconds without a drop */

/* The reason of the group that grew most since before, and by how much all of the group grew. */
static uint64_t
growth(const struct ledger *now, const struct ledger *before, enum stat_level level,
	const char *group, const char **ret_most)
{
	uint64_t sum = 0, most = 0;

	for (enum counter stat = STAT_NONE + 1; stat < STAT_COUNT; stat++) {
		const struct stat_info *info = &stat_info[stat];
		uint64_t n = now->stats.counter[stat] - before->stats.counter[stat];

		if (info->level_index != level || info->group == NULL ||
			strcmp(info->group, group) != 0)
			continue;
		sum += n;
		if (n > most) {
			most = n;
			*ret_most = info->name;
		}
	}
	return sum;
}

static void
speak_of_losses(struct watch *watch, const struct ledger *now)
{
	static const struct {
		enum stat_level level;
		const char *group, *what, *hint;
	} group[] = {
		{STAT_LEVEL_lines, "rejected", "lines rejected", "penstockctl rejects shows them"},
		{STAT_LEVEL_datagrams, "dropped", "datagrams dropped", "see penstockctl ledger"},
		{STAT_LEVEL_frames, "dropped", "frames dropped", "see penstockctl ledger"},
	};
	bool has_spoken = false;

	if (watch->seconds > 0) {
		watch->seconds--;
		return;
	}
	for (size_t i = 0; i < ARRAY_LENGTH(group); i++) {
		const char *most = "";
		uint64_t n = growth(now, &watch->before, group[i].level, group[i].group, &most);

		if (n == 0)
			continue;
		log_warning("%" PRIu64 " %s, most for %s; %s", n, group[i].what, most,
			group[i].hint);
		has_spoken = true;
	}
	if (!has_spoken)
		return;
	watch->before = *now;
	watch->seconds = SPEAK_EVERY;
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
			d->limit.max, d->budget.limit);
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

void
watch_tick(struct watch *watch, struct daemon *d)
{
	struct ledger now;

	daemon_ledger(d, &now);
	speak_of_losses(watch, &now);
	speak_of_limits(watch, d, &now);
	speak_of_skew(watch, d);
}

void
watch_last(struct daemon *d)
{
	struct ledger ledger;
	const uint64_t *counter = ledger.stats.counter;

	daemon_ledger(d, &ledger);
	for (uint32_t i = 0; i < d->n_workers; i++)
		if (d->worker[i]->has_left_unread)
			log_warning("stop_timeout was too short: worker %s left sockets or queues "
				    "unread, and what was in them is lost and not counted",
				d->worker[i]->name);
	if (counter[STAT_datagrams_dropped_stopped] != 0)
		log_warning("stop_timeout was too short: %" PRIu64 " datagrams were not decoded",
			counter[STAT_datagrams_dropped_stopped]);
	log_info("took in %" PRIu64 " datagrams with %" PRIu64 " lines: %" PRIu64
		 " aggregated, %" PRIu64 " passed on; ledger difference %" PRIu64,
		counter[STAT_datagrams_received], counter[STAT_lines_received],
		counter[STAT_lines_aggregated], counter[STAT_lines_passed],
		ledger_difference(&ledger));
}
