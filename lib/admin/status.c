/* SPDX-License-Identifier: BSD-3-Clause */
#include "admin/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"

const char *const state_name[STATE_COUNT] = {
	[STATE_STARTING] = "starting",
	[STATE_READY] = "ready",
	[STATE_DRAINING] = "draining",
	[STATE_STOPPING] = "stopping",
};

static void
write_output(const struct ledger_output *output, struct json *json)
{
	uint64_t dropped = 0;

	for (size_t i = 0; i < OUTPUT_REASON_COUNT; i++)
		dropped += output->counts.dropped[i];
	json_object_begin(json);
	json_key_text(json, "name", output->name);
	json_key_uint(json, "points", output->counts.points);
	json_key_uint(json, "delivered", output->counts.delivered);
	json_key_uint(json, "queued", output->counts.queued);
	json_key_uint(json, "dropped", dropped);
	json_object_end(json);
}

static void
write_worker(const struct status_worker *worker, struct json *json)
{
	json_object_begin(json);
	json_key_text(json, "name", worker->name);
	json_key_uint(json, "core", worker->cpu);
	if (worker->node >= 0)
		json_key_int(json, "node", worker->node);
	json_key_text(json, "idle", worker->idle);
	json_key_double(json, "busy", worker->busy / 1000.0);
	json_key_uint(json, "turns", worker->turns);
	json_key_uint(json, "busy_turns", worker->busy_turns);
	json_key_uint(json, "datagrams", worker->datagrams);
	json_key_uint(json, "lines", worker->lines);
	json_key(json, "seconds");
	json_object_begin(json);
	for (size_t i = 0; i < STAGE_COUNT; i++)
		json_key_double(json, stage_name[i], (double)worker->stage[i] / NS_PER_S);
	json_object_end(json);
	json_key_double(json, "poll_gap_max_s", (double)worker->gap_max / NS_PER_S);
	json_object_end(json);
}

static void
write_share(const struct status_share *share, struct json *json)
{
	json_object_begin(json);
	json_key_text(json, "worker", share->worker);
	json_key_uint(json, "queue", share->queue);
	json_key_bool(json, "steered", share->is_steered);
	json_key_uint(json, "frames", share->frames);
	json_object_end(json);
}

static void
write_workers(const struct status *status, struct json *json)
{
	json_key(json, "by_worker");
	json_array_begin(json);
	for (size_t i = 0; i < status->n_workers && i < STATUS_WORKERS_MAX; i++)
		write_worker(&status->worker[i], json);
	json_array_end(json);
}

static void
write_port(const struct status *status, const struct status_port *port, struct json *json)
{
	json_object_begin(json);
	json_key_text(json, "name", port->name);
	json_key_text(json, "driver", port->driver);
	status_link_write(&port->link, json);
	json_key_uint(json, "queues_wanted", port->queues_wanted);
	json_key_uint(json, "queues_granted", port->queues_granted);
	json_key_text(json, "hash_wanted", port->hash_wanted);
	json_key_text(json, "hash_granted", port->hash_granted);
	json_key_bool(json, "hashes_ports", port->hashes_ports);
	json_key_bool(json, "steered", port->is_steered);
	json_key(json, "shares");
	json_array_begin(json);
	for (size_t i = 0; i < status->n_shares; i++)
		if (strcmp(status->share[i].port, port->name) == 0)
			write_share(&status->share[i], json);
	json_array_end(json);
	json_object_end(json);
}

static void
write_memory(const struct status_memory *memory, struct json *json)
{
	json_object_begin(json);
	json_key_uint(json, "ceiling", memory->ceiling);
	json_key_uint(json, "resident", memory->resident);
	json_key_uint(json, "resident_peak", memory->resident_peak);
	json_key(json, "accounts");
	json_array_begin(json);
	for (size_t i = 0; i < memory->n_accounts; i++) {
		const struct status_account *account = &memory->account[i];

		json_object_begin(json);
		json_key_text(json, "name", account->name);
		json_key_uint(json, "used", account->used);
		json_key_uint(json, "peak", account->peak);
		json_key_uint(json, "reserve", account->reserve);
		json_key_uint(json, "cap", account->cap);
		json_key_uint(json, "refused", account->n_refused);
		json_object_end(json);
	}
	json_array_end(json);
	json_object_end(json);
}

void
status_write(const struct status *status, const struct ledger *ledger, struct json *json)
{
	json_object_begin(json);
	json_key_text(json, "state", state_name[status->state]);
	json_key_text(json, "version", PENSTOCK_VERSION);
	json_key_uint(json, "uptime_s", status->uptime);
	json_key_uint(json, "config_generation", status->config_generation);
	json_key_uint(json, "workers", status->n_workers);
	json_key_uint(json, "contexts", status->contexts);
	json_key_uint(json, "context_bytes", status->context_bytes);
	json_key_uint(json, "context_bytes_max", status->context_bytes_max);
	write_workers(status, json);
	json_key(json, "intake_memory");
	write_memory(&status->memory, json);
	json_key(json, "listeners");
	json_array_begin(json);
	for (size_t i = 0; i < status->n_listeners; i++) {
		json_object_begin(json);
		json_key_text(json, "name", status->listener[i].name);
		json_key_text(json, "address", status->listener[i].address);
		json_object_end(json);
	}
	json_array_end(json);
	json_key(json, "ports");
	json_array_begin(json);
	for (size_t i = 0; i < status->n_ports; i++)
		write_port(status, &status->port[i], json);
	json_array_end(json);
	json_key(json, "outputs");
	json_array_begin(json);
	for (size_t i = 0; i < ledger->n_outputs; i++)
		write_output(&ledger->output[i], json);
	json_array_end(json);
	json_object_end(json);
}

static int
compare_newest_first(const void *a, const void *b)
{
	const struct reject *x = a, *y = b;

	return (x->time < y->time) - (x->time > y->time);
}

/* RFC 3339 in UTC with milliseconds. */
static void
write_time(int64_t ns, struct json *json)
{
	time_t seconds = (time_t)(ns / NS_PER_S);
	char date[32], text[48];
	struct tm utc;

	gmtime_r(&seconds, &utc);
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(text, sizeof(text), "%s.%03dZ", date, (int)(ns % NS_PER_S / NS_PER_MS));
	json_text(json, text);
}

static void
write_reject(const struct reject *reject, const struct ledger *ledger, struct json *json)
{
	size_t size = reject->size < REJECT_BYTES ? reject->size : REJECT_BYTES;

	json_object_begin(json);
	json_key(json, "time");
	write_time(reject->time, json);
	json_key_text(json, "reason",
		reject->reason < STAT_COUNT ? stat_info[reject->reason].name : "");
	json_key_text(json, "listener",
		reject->listener < ledger->n_listeners ? ledger->listener[reject->listener] : "");
	json_key_uint(json, "size", reject->size);
	json_key(json, "line"); /* its beginning, where size is larger */
	json_escaped_bytes(json, span_of(reject->bytes, size));
	json_object_end(json);
}

void
status_write_rejects(struct reject *rejects, size_t n_rejects, const struct ledger *ledger,
	struct json *json)
{
	if (n_rejects != 0)
		qsort(rejects, n_rejects, sizeof(*rejects), compare_newest_first);
	json_object_begin(json);
	json_key(json, "rejects");
	json_array_begin(json);
	for (size_t i = 0; i < n_rejects; i++)
		write_reject(&rejects[i], ledger, json);
	json_array_end(json);
	json_object_end(json);
}
