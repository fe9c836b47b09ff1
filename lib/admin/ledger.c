/* SPDX-License-Identifier: BSD-3-Clause */
#include "admin/ledger.h"

/* The levels that balance; what comes after them only counts. */
#define N_LEVELS STAT_LEVEL_worker

static uint64_t
distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static uint64_t
level_difference(const struct ledger *ledger, enum stat_level level)
{
	uint64_t total = 0, sum = 0;

	for (enum counter stat = STAT_NONE + 1; stat < STAT_COUNT; stat++) {
		if (stat_info[stat].level_index != level)
			continue;
		if (stat_info[stat].role == STAT_ROLE_TOTAL)
			total += ledger->stats.counter[stat];
		else if (stat_info[stat].role == STAT_ROLE_TERM)
			sum += ledger->stats.counter[stat];
	}
	return distance(total, sum);
}

static uint64_t
listener_difference(const struct ledger *ledger)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < STATS_LISTENERS_MAX; i++)
		sum += ledger->stats.listener[i];
	return distance(ledger->stats.counter[STAT_datagrams_received], sum);
}

static uint64_t
output_difference(const struct output_counts *counts)
{
	uint64_t sum = counts->delivered + counts->queued;

	for (size_t i = 0; i < OUTPUT_REASON_COUNT; i++)
		sum += counts->dropped[i];
	return distance(counts->points, sum);
}

uint64_t
ledger_difference(const struct ledger *ledger)
{
	uint64_t difference = listener_difference(ledger);

	for (enum stat_level level = 0; level < N_LEVELS; level++)
		difference += level_difference(ledger, level);
	for (size_t i = 0; i < ledger->n_outputs; i++)
		difference += output_difference(&ledger->output[i].counts);
	return difference;
}

static void
write_listeners(const struct ledger *ledger, struct json *json)
{
	json_key(json, "by_listener");
	json_object_begin(json);
	for (size_t i = 0; i < ledger->n_listeners; i++)
		json_key_uint(json, ledger->listener[i], ledger->stats.listener[i]);
	json_object_end(json);
}

/* Reasons of one group stand together in stats.def. */
static void
write_groups(const struct ledger *ledger, enum stat_level level, struct json *json)
{
	const char *group = NULL;

	for (enum counter stat = STAT_NONE + 1; stat < STAT_COUNT; stat++) {
		const struct stat_info *info = &stat_info[stat];

		if (info->level_index != level || info->group == NULL)
			continue;
		if (group == NULL || strcmp(group, info->group) != 0) {
			if (group != NULL)
				json_object_end(json);
			group = info->group;
			json_key(json, group);
			json_object_begin(json);
		}
		json_key_uint(json, info->name, ledger->stats.counter[stat]);
	}
	if (group != NULL)
		json_object_end(json);
}

static void
write_level(const struct ledger *ledger, enum stat_level level, struct json *json)
{
	json_object_begin(json);
	for (enum counter stat = STAT_NONE + 1; stat < STAT_COUNT; stat++) {
		const struct stat_info *info = &stat_info[stat];

		if (info->level_index != level || info->group != NULL)
			continue;
		json_key_uint(json, info->name, ledger->stats.counter[stat]);
		if (stat == STAT_datagrams_received)
			write_listeners(ledger, json);
	}
	write_groups(ledger, level, json);
	json_object_end(json);
}

static void
write_output(const struct output_counts *counts, struct json *json)
{
	json_object_begin(json);
	json_key_uint(json, "points", counts->points);
	json_key_uint(json, "delivered", counts->delivered);
	json_key_uint(json, "queued", counts->queued);
	json_key(json, "dropped");
	json_object_begin(json);
	for (size_t i = 0; i < OUTPUT_REASON_COUNT; i++)
		json_key_uint(json, output_reason_name[i], counts->dropped[i]);
	json_object_end(json);
	json_object_end(json);
}

void
ledger_write(const struct ledger *ledger, struct json *json)
{
	static const char *const names[N_LEVELS] = {[STAT_LEVEL_frames] = "frames",
		[STAT_LEVEL_datagrams] = "datagrams",
		[STAT_LEVEL_lines] = "lines",
		[STAT_LEVEL_samples] = "samples"};
	uint64_t difference = ledger_difference(ledger);

	json_object_begin(json);
	json_key_bool(json, "balanced", difference == 0);
	json_key_uint(json, "difference", difference);
	json_key_uint(json, "epoch", ledger->epoch);
	for (enum stat_level level = 0; level < N_LEVELS; level++) {
		json_key(json, names[level]);
		write_level(ledger, level, json);
	}
	json_key(json, "outputs");
	json_object_begin(json);
	for (size_t i = 0; i < ledger->n_outputs; i++) {
		json_key(json, ledger->output[i].name);
		write_output(&ledger->output[i].counts, json);
	}
	json_object_end(json);
	json_object_end(json);
}
