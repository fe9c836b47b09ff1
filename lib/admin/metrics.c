/* SPDX-License-Identifier: BSD-3-Clause */
#include "admin/metrics.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"

enum family {
#define METRIC(enumerator, name, type, labels, help) FAMILY_##enumerator,
#include "admin/metrics.def"
#undef METRIC
};

static const struct family_info {
	const char *name, *type, *help;
} families[] = {
#define METRIC(enumerator, name, type, labels, help) {name, type, help},
#include "admin/metrics.def"
#undef METRIC
};

struct text {
	char *bytes;
	size_t size, capacity;
	bool failed; /* out of memory: nothing more is added */
};

static void
append(struct text *text, const char *bytes, size_t size)
{
	if (text->failed)
		return;
	if (size > text->capacity - text->size) {
		size_t capacity = 2 * text->capacity + size + 4096;
		char *larger = realloc(text->bytes, capacity);

		if (larger == NULL) {
			text->failed = true;
			return;
		}
		text->bytes = larger;
		text->capacity = capacity;
	}
	memcpy(text->bytes + text->size, bytes, size);
	text->size += size;
}

static void
append_string(struct text *text, const char *string)
{
	append(text, string, strlen(string));
}

static void
begin(struct text *text, const char *name, const char *type, const char *help)
{
	const char *parts[] = {"# HELP ", name, " ", help, "\n# TYPE ", name, " ", type, "\n"};

	for (size_t i = 0; i < ARRAY_LENGTH(parts); i++)
		append_string(text, parts[i]);
}

/* The value of a sample, and the end of its line. */
static void
end(struct text *text, uint64_t value)
{
	char digits[32];
	int size = snprintf(digits, sizeof(digits), " %" PRIu64 "\n", value);

	append(text, digits, (size_t)size);
}

static void
sample(struct text *text, const char *name, uint64_t value)
{
	append_string(text, name);
	end(text, value);
}

/* Begins a family of the list; returns its name. */
static const char *
begin_family(struct text *text, enum family family)
{
	const struct family_info *info = &families[family];

	begin(text, info->name, info->type, info->help);
	return info->name;
}

/* A family of the list with one sample. */
static void
write_one(struct text *text, enum family family, uint64_t value)
{
	sample(text, begin_family(text, family), value);
}

/* name="value"; in the value '\\', '"' and newline are escaped. */
static void
label(struct text *text, const char *name, const char *value)
{
	append_string(text, name);
	append_string(text, "=\"");
	for (; *value != '\0'; value++) {
		if (*value == '\n')
			append_string(text, "\\n");
		else if (*value == '\\' || *value == '"')
			append(text, (const char[]){'\\', *value}, 2);
		else
			append(text, value, 1);
	}
	append_string(text, "\"");
}

/* The value of a sample that is in ns, as seconds, and the end of its line. */
static void
end_seconds(struct text *text, uint64_t ns)
{
	char digits[48];
	int size = snprintf(digits, sizeof(digits), " %" PRIu64 ".%09" PRIu64 "\n",
		ns / (uint64_t)NS_PER_S, ns % (uint64_t)NS_PER_S);

	append(text, digits, (size_t)size);
}

static void
labelled(struct text *text, const char *name, const char *label_name, const char *value, uint64_t n)
{
	append_string(text, name);
	append_string(text, "{");
	label(text, label_name, value);
	append_string(text, "}");
	end(text, n);
}

/* What waits in a queue goes up and down; all other rows only grow. */
static bool
is_gauge(const struct stat_info *info)
{
	return strcmp(info->name, "queued") == 0;
}

static void
write_plain(struct text *text, const struct ledger *ledger)
{
	char name[96];

	for (enum counter stat = STAT_NONE + 1; stat < STAT_COUNT; stat++) {
		const struct stat_info *info = &stat_info[stat];

		if (info->group != NULL)
			continue;
		snprintf(name, sizeof(name), "penstock_%s_%s%s", info->level, info->name,
			is_gauge(info) ? "" : "_total");
		begin(text, name, is_gauge(info) ? "gauge" : "counter", info->help);
		sample(text, name, ledger->stats.counter[stat]);
	}
}

/* Reasons of one group stand together in stats.def. */
static void
write_reasons(struct text *text, const struct ledger *ledger)
{
	const struct stat_info *last = NULL;
	char name[96], help[96];

	for (enum counter stat = STAT_NONE + 1; stat < STAT_COUNT; stat++) {
		const struct stat_info *info = &stat_info[stat];

		if (info->group == NULL)
			continue;
		snprintf(name, sizeof(name), "penstock_%s_%s_total", info->level, info->group);
		if (last == NULL || last->level_index != info->level_index ||
			strcmp(last->group, info->group) != 0) {
			snprintf(help, sizeof(help), "%s %s, by reason", info->level, info->group);
			begin(text, name, "counter", help);
		}
		labelled(text, name, "reason", info->name, ledger->stats.counter[stat]);
		last = info;
	}
}

static void
write_listeners(struct text *text, const struct ledger *ledger)
{
	const char *name = begin_family(text, FAMILY_LISTENERS);

	for (size_t i = 0; i < ledger->n_listeners; i++)
		labelled(text, name, "listener", ledger->listener[i], ledger->stats.listener[i]);
}

/* Things of one kind, each with a name: one sample of a family for each. */
struct rows {
	const char *label; /* that the name goes under */
	const void *first;
	size_t n, size; /* bytes of one */
	const char *(*name)(const void *row);
};

static const char *
name_of_worker(const void *row)
{
	return ((const struct status_worker *)row)->name;
}

static const char *
name_of_account(const void *row)
{
	return ((const struct status_account *)row)->name;
}

static const char *
name_of_port(const void *row)
{
	return ((const struct status_port *)row)->name;
}

static const char *
name_of_output(const void *row)
{
	return ((const struct ledger_output *)row)->name;
}

/* offset: in the row, of a uint64_t. */
static void
write_column(struct text *text, enum family family, const struct rows *rows, size_t offset)
{
	const char *name = begin_family(text, family), *row = rows->first;

	for (size_t i = 0; i < rows->n; i++, row += rows->size) {
		uint64_t value;

		memcpy(&value, row + offset, sizeof(value));
		labelled(text, name, rows->label, rows->name(row), value);
	}
}

/* name{worker="…"; the caller goes on. */
static void
begin_worker(struct text *text, const char *name, const char *suffix,
	const struct status_worker *worker)
{
	append_string(text, name);
	append_string(text, suffix);
	append_string(text, "{");
	label(text, "worker", worker->name);
}

static void
write_worker_counts(struct text *text, const struct status_worker *worker, size_t n)
{
	const struct rows rows = {"worker", worker, n, sizeof(*worker), name_of_worker};

	write_column(text, FAMILY_WORKER_TURNS, &rows, offsetof(struct status_worker, turns));
	write_column(text, FAMILY_WORKER_BUSY_TURNS, &rows,
		offsetof(struct status_worker, busy_turns));
	write_column(text, FAMILY_WORKER_DATAGRAMS, &rows,
		offsetof(struct status_worker, datagrams));
	write_column(text, FAMILY_WORKER_LINES, &rows, offsetof(struct status_worker, lines));
}

/* The buckets of an exposed histogram include those before them. */
static void
write_gaps(struct text *text, const char *name, const struct status_worker *worker)
{
	uint64_t n = 0;
	char limit[32];

	for (unsigned i = 0; i < STAGE_GAPS; i++) {
		uint64_t ns = UINT64_C(1) << (STAGE_GAP_SHIFT + i);

		snprintf(limit, sizeof(limit), "%" PRIu64 ".%09" PRIu64, ns / (uint64_t)NS_PER_S,
			ns % (uint64_t)NS_PER_S);
		n += worker->gap[i];
		begin_worker(text, name, "_bucket", worker);
		append_string(text, ",");
		label(text, "le", i + 1 < STAGE_GAPS ? limit : "+Inf");
		append_string(text, "}");
		end(text, n);
	}
	begin_worker(text, name, "_sum", worker);
	append_string(text, "}");
	end_seconds(text, worker->gaps);
	begin_worker(text, name, "_count", worker);
	append_string(text, "}");
	end(text, n);
}

static void
write_workers(struct text *text, const struct status *status)
{
	size_t n = status->n_workers < STATUS_WORKERS_MAX ? status->n_workers : STATUS_WORKERS_MAX;
	const struct status_worker *worker = status->worker;
	const char *name = begin_family(text, FAMILY_WORKER_STAGE);

	for (size_t i = 0; i < n; i++) {
		for (size_t stage = 0; stage < STAGE_COUNT; stage++) {
			begin_worker(text, name, "", &worker[i]);
			append_string(text, ",");
			label(text, "stage", stage_name[stage]);
			append_string(text, "}");
			end_seconds(text, worker[i].stage[stage]);
		}
	}
	write_worker_counts(text, worker, n);
	name = begin_family(text, FAMILY_WORKER_GAP);
	for (size_t i = 0; i < n; i++)
		write_gaps(text, name, &worker[i]);
	name = begin_family(text, FAMILY_WORKER_GAP_MAX);
	for (size_t i = 0; i < n; i++) {
		begin_worker(text, name, "", &worker[i]);
		append_string(text, "}");
		end_seconds(text, worker[i].gap_max);
	}
}

static void
write_shares(struct text *text, const struct status *status)
{
	const char *name = begin_family(text, FAMILY_PORT_FRAMES);
	char queue[16];

	for (size_t i = 0; i < status->n_shares; i++) {
		const struct status_share *share = &status->share[i];

		snprintf(queue, sizeof(queue), "%u", share->queue);
		append_string(text, name);
		append_string(text, "{");
		label(text, "port", share->port);
		append_string(text, ",");
		label(text, "queue", queue);
		append_string(text, ",");
		label(text, "worker", share->worker);
		append_string(text, "}");
		end(text, share->frames);
	}
}

static void
write_queues(struct text *text, const struct status_port *port, const char *kind, uint16_t n)
{
	append_string(text, families[FAMILY_PORT_QUEUES].name);
	append_string(text, "{");
	label(text, "port", port->name);
	append_string(text, ",");
	label(text, "kind", kind);
	append_string(text, "}");
	end(text, n);
}

static void
write_ports(struct text *text, const struct status *status)
{
	const char *name;

	begin_family(text, FAMILY_PORT_QUEUES);
	for (size_t i = 0; i < status->n_ports; i++) {
		const struct status_port *port = &status->port[i];

		write_queues(text, port, "wanted", port->queues_wanted);
		write_queues(text, port, "granted", port->queues_granted);
	}
	name = begin_family(text, FAMILY_PORT_HASHES_PORTS);
	for (size_t i = 0; i < status->n_ports; i++)
		labelled(text, name, "port", status->port[i].name, status->port[i].hashes_ports);
	name = begin_family(text, FAMILY_PORT_STEERED);
	for (size_t i = 0; i < status->n_ports; i++)
		labelled(text, name, "port", status->port[i].name, status->port[i].is_steered);
	write_shares(text, status);
}

static void
write_drops(struct text *text, const struct ledger *ledger)
{
	const char *name = begin_family(text, FAMILY_OUTPUT_DROPPED);

	for (size_t i = 0; i < ledger->n_outputs; i++) {
		for (size_t reason = 0; reason < OUTPUT_REASON_COUNT; reason++) {
			append_string(text, name);
			append_string(text, "{");
			label(text, "output", ledger->output[i].name);
			append_string(text, ",");
			label(text, "reason", output_reason_name[reason]);
			append_string(text, "}");
			end(text, ledger->output[i].counts.dropped[reason]);
		}
	}
}

static void
write_outputs(struct text *text, const struct ledger *ledger)
{
	const struct rows rows = {"output", ledger->output, ledger->n_outputs,
		sizeof(ledger->output[0]), name_of_output};

	write_column(text, FAMILY_OUTPUT_POINTS, &rows,
		offsetof(struct ledger_output, counts.points));
	write_column(text, FAMILY_OUTPUT_DELIVERED, &rows,
		offsetof(struct ledger_output, counts.delivered));
	write_column(text, FAMILY_OUTPUT_QUEUED, &rows,
		offsetof(struct ledger_output, counts.queued));
	write_drops(text, ledger);
}

static void
write_memory(struct text *text, const struct status_memory *memory)
{
	const struct rows rows = {"account", memory->account, memory->n_accounts,
		sizeof(memory->account[0]), name_of_account};

	write_one(text, FAMILY_INTAKE_CEILING, memory->ceiling);
	write_one(text, FAMILY_INTAKE_RESIDENT, memory->resident);
	write_one(text, FAMILY_INTAKE_RESIDENT_PEAK, memory->resident_peak);
	write_column(text, FAMILY_INTAKE_USED, &rows, offsetof(struct status_account, used));
	write_column(text, FAMILY_INTAKE_PEAK, &rows, offsetof(struct status_account, peak));
	write_column(text, FAMILY_INTAKE_RESERVE, &rows, offsetof(struct status_account, reserve));
	write_column(text, FAMILY_INTAKE_CAP, &rows, offsetof(struct status_account, cap));
	write_column(text, FAMILY_INTAKE_REFUSED, &rows,
		offsetof(struct status_account, n_refused));
}

static void
write_status(struct text *text, const struct status *status)
{
	const char *name = begin_family(text, FAMILY_BUILD_INFO);

	labelled(text, name, "version", PENSTOCK_VERSION, 1);
	name = begin_family(text, FAMILY_STATE);
	for (size_t i = 0; i < STATE_COUNT; i++)
		labelled(text, name, "state", state_name[i], status->state == i);
	write_one(text, FAMILY_UPTIME, status->uptime);
	write_one(text, FAMILY_CONFIG_GENERATION, status->config_generation);
	write_one(text, FAMILY_WORKERS, status->n_workers);
	write_one(text, FAMILY_CONTEXTS, status->contexts);
	write_one(text, FAMILY_CONTEXT_BYTES, status->context_bytes);
	write_one(text, FAMILY_CONTEXT_BYTES_MAX, status->context_bytes_max);
	write_memory(text, &status->memory);
}

static void
write_xstats(struct text *text, const char *name, const struct status_port *port)
{
	for (uint32_t i = 0; port->link.xstats != NULL && i < port->link.xstats->n; i++) {
		const struct xstat *item = &port->link.xstats->item[i];

		append_string(text, name);
		append_string(text, "{");
		label(text, "port", port->name);
		append_string(text, ",");
		label(text, "name", item->name);
		append_string(text, "}");
		end(text, atomic_load_explicit(&item->value, memory_order_relaxed));
	}
}

static void
write_links(struct text *text, const struct status *status)
{
	const struct rows rows = {"port", status->port, status->n_ports, sizeof(status->port[0]),
		name_of_port};
	const char *name = begin_family(text, FAMILY_PORT_LINK);

	for (size_t i = 0; i < status->n_ports; i++)
		labelled(text, name, "port", status->port[i].name,
			status->port[i].link.state == LINK_UP);
	write_column(text, FAMILY_PORT_LINK_CHANGES, &rows,
		offsetof(struct status_port, link.changes));
	write_column(text, FAMILY_PORT_RESETS, &rows, offsetof(struct status_port, link.resets));
	name = begin_family(text, FAMILY_PORT_MEMBERS_ACTIVE);
	for (size_t i = 0; i < status->n_ports; i++)
		if (status->port[i].link.members != 0)
			labelled(text, name, "port", status->port[i].name,
				status->port[i].link.members_active);
	name = begin_family(text, FAMILY_PORT_XSTAT);
	for (size_t i = 0; i < status->n_ports; i++)
		write_xstats(text, name, &status->port[i]);
}

int
metrics_text(const struct ledger *ledger, const struct status *status, char **ret_text,
	size_t *ret_size)
{
	struct text text = {0};

	write_status(&text, status);
	write_plain(&text, ledger);
	write_reasons(&text, ledger);
	write_listeners(&text, ledger);
	write_workers(&text, status);
	write_ports(&text, status);
	write_links(&text, status);
	write_outputs(&text, ledger);
	write_one(&text, FAMILY_LEDGER_DIFFERENCE, ledger_difference(ledger));
	if (text.failed) {
		free(text.bytes);
		return -ENOMEM;
	}
	*ret_text = text.bytes;
	*ret_size = text.size;
	return 0;
}
