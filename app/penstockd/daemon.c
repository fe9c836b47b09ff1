/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockd/daemon.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "admin/http.h"
#include "admin/server.h"
#include "base/log.h"
#include "base/thread.h"
#include "mem/node.h"
#include "penstockd/port_telemetry.h"
#include "penstockd/port_watch.h"
#include "penstockd/ports.h"
#include "penstockd/reload.h"
#include "penstockd/worker_status.h"

static int
fail(struct plan_error *error, int status, const char *text)
{
	error->exit_code = PLAN_EXIT_RESOURCE;
	snprintf(error->text, sizeof(error->text), "%s", text);
	return status;
}

/* tags and dogstatsd_tags, which every metric, event and check gets. */
static int
init_extra_tags(struct daemon *d)
{
	const struct string_list *lists[] = {&d->options->tags, &d->options->dogstatsd_tags};

	d->extra_tags = calloc(lists[0]->n + lists[1]->n + 1, sizeof(d->extra_tags[0]));
	if (d->extra_tags == NULL)
		return -ENOMEM;
	d->shard.key.extra_tags = d->extra_tags;
	for (size_t l = 0; l < ARRAY_LENGTH(lists); l++)
		for (size_t i = 0; i < lists[l]->n; i++)
			d->extra_tags[d->shard.key.n_extra_tags++] =
				span_from_string(lists[l]->item[i]);
	return 0;
}

static int
init_shards(struct daemon *d)
{
	static const enum key_host host[] = {
		[HOST_SELF] = KEY_HOST_SELF,
		[HOST_SOURCE] = KEY_HOST_SOURCE,
		[HOST_NONE] = KEY_HOST_NONE,
	};
	const struct options *options = d->options;
	uint64_t expiry = options->dogstatsd_context_expiry_seconds * (uint64_t)NS_PER_S;

	budget_init(&d->budget, options->max_context_bytes);
	atomic_init(&d->limit.max, options->max_contexts);
	d->shard.budget = &d->budget;
	d->shard.limit = &d->limit;
	d->shard.key.host_mode = host[options->host];
	d->shard.key.hostname = span_from_string(options->hostname);
	d->shard.key.payload_max = d->plan->payload_max;
	for (int type = 0; type < METRIC_TYPE_COUNT; type++)
		d->shard.expiry[type] = expiry;
	d->shard.expiry[METRIC_COUNT] += options->dogstatsd_expiry_seconds * (uint64_t)NS_PER_S;
	if (getrandom(&d->shard.key.seed, sizeof(d->shard.key.seed), 0) !=
		sizeof(d->shard.key.seed))
		return -errno;
	return init_extra_tags(d);
}

static int
open_outputs(struct daemon *d, struct plan_error *error)
{
	d->outputs = calloc(d->plan->n_outputs, sizeof(d->outputs[0]));
	if (d->outputs == NULL)
		return fail(error, -ENOMEM, "not enough memory");
	for (uint32_t i = 0; i < d->plan->n_outputs; i++) {
		struct error cause;
		int status = output_open(&d->plan->outputs[i], &d->outputs[i], &cause);

		if (status != 0)
			return fail(error, status, cause.text);
		d->n_outputs++;
	}
	return 0;
}

/* A quarter of the contexts' memory for lines that are known, the same for each worker. */
static size_t
line_cache_size(const struct daemon *d)
{
	return d->options->max_context_bytes / 4 / d->plan->n_workers;
}

/* The inputs' accounts are known from here on. */
static int
open_ceiling(struct daemon *d, struct plan_error *error)
{
	int status = ceiling_open(&d->ceiling, &d->plan->ceiling);

	if (status != 0)
		return fail(error, status,
			"not enough addresses for penstock: memory_ceiling: set it lower");
	for (uint32_t w = 0; w < d->plan->n_workers; w++)
		for (uint32_t i = 0; i < d->plan->workers[w].n_inputs; i++) {
			struct input_spec *spec = &d->plan->workers[w].input[i];

			spec->account = ceiling_account(&d->ceiling, spec->driver);
		}
	return 0;
}

static int
open_workers(struct daemon *d, struct plan_error *error)
{
	d->worker = calloc(d->plan->n_workers, sizeof(struct worker *));
	if (d->worker == NULL)
		return fail(error, -ENOMEM, "not enough memory");
	for (uint32_t i = 0; i < d->plan->n_workers; i++) {
		const struct plan_worker *plan = &d->plan->workers[i];
		struct worker_conf conf = {
			.name = plan->name,
			.inputs = plan->input,
			.n_inputs = plan->n_inputs,
			.idle = plan->idle,
			.pool = &d->ceiling.pool,
			.shard = &d->shard,
			.lines =
				{
					.client_origin =
						d->options->dogstatsd_origin_detection_client,
					.timestamps = d->options->dogstatsd_no_aggregation_pipeline,
					.cache_size = line_cache_size(d),
					.clock = &clock_system,
				},
		};
		struct node_policy before;
		struct error cause;
		int status;

		/* What this thread touches first for a worker belongs on the worker's node. Later
		 * memory is touched by the worker itself. */
		if (node_prefer(plan->memory_node, &before) != 0)
			log_warning("%s: the kernel does not let us choose node %d for its memory",
				plan->name, plan->memory_node);
		status = worker_new(&conf, &d->worker[i], &cause);
		node_restore(&before);
		if (status != 0)
			return fail(error, status, cause.text);
		d->n_workers++;
	}
	return 0;
}

static struct merger_conf
merger_conf(const struct options *options)
{
	return (struct merger_conf){
		.histogram = options->histogram,
		.zero_fill = options->zero_fill,
		.zero_fill_seconds = options->dogstatsd_expiry_seconds,
	};
}

static int
start_flusher(struct daemon *d, struct plan_error *error)
{
	const struct flusher_conf conf = {
		.merger = merger_conf(d->options),
		.interval = d->options->aggregate_window_duration_seconds,
		.clock = &clock_system,
		.workers = d->worker,
		.n_workers = d->n_workers,
		.outputs = d->outputs,
		.n_outputs = d->n_outputs,
		.budget = &d->budget,
	};
	int status = flusher_start(&conf, &d->flusher);

	if (status != 0)
		return fail(error, status, "the flush thread cannot start");
	d->flusher_runs = true;
	return 0;
}

static void *
run_slow(void *worker)
{
	worker_run(worker);
	return NULL;
}

static int
start_workers(struct daemon *d, struct plan_error *error)
{
	cpu_set_t cpu;

	if (thread_start(&d->slow_thread, d->worker[0]->name, run_slow, d->worker[0]) != 0)
		return fail(error, -EAGAIN, "the slow path's thread cannot start");
	d->slow_runs = true;
	CPU_ZERO(&cpu);
	CPU_SET(d->plan->workers[0].cpu, &cpu);
	if (pthread_setaffinity_np(d->slow_thread, sizeof(cpu), &cpu) != 0)
		log_warning("the slow path could not be pinned to CPU %u", d->plan->workers[0].cpu);
	for (uint32_t i = 1; i < d->n_workers; i++)
		if (ports_launch(i, d->worker[i]) != 0)
			return fail(error, -EAGAIN, "a worker's thread cannot start");
	return 0;
}

void
daemon_ledger(struct daemon *d, struct ledger *ret_ledger)
{
	memset(ret_ledger, 0, sizeof(*ret_ledger));
	ret_ledger->epoch = UINT64_MAX;
	for (uint32_t i = 0; i < d->n_workers; i++) {
		uint64_t epoch = stats_collect(&d->worker[i]->published, &ret_ledger->stats);

		if (epoch < ret_ledger->epoch)
			ret_ledger->epoch = epoch;
	}
	ret_ledger->n_listeners = d->plan->n_listeners;
	for (size_t i = 0; i < ret_ledger->n_listeners; i++)
		ret_ledger->listener[i] = d->plan->listener_name[i];
	ret_ledger->n_outputs = d->n_outputs;
	for (uint32_t i = 0; i < d->n_outputs; i++) {
		struct ledger_output *output = &ret_ledger->output[i];

		snprintf(output->name, sizeof(output->name), "%s", output_name(d->outputs[i]));
		output_counts(d->outputs[i], &output->counts);
	}
}

static void
source_ledger(void *context, struct ledger *ret_ledger)
{
	daemon_ledger(context, ret_ledger);
}

static void
fill_memory(const struct daemon *d, struct status_memory *memory)
{
	memory->ceiling = d->plan->ceiling.limit;
	memory->resident = chunk_pool_resident(&d->ceiling.pool);
	memory->resident_peak = chunk_pool_resident_peak(&d->ceiling.pool);
	for (int i = 0; i < CEILING_ACCOUNT_COUNT; i++) {
		const struct account *account = &d->ceiling.account[i];

		if (account->conf.cap == 0)
			continue;
		memory->account[memory->n_accounts++] = (struct status_account){
			.name = account->conf.name,
			.used = atomic_load(&account->used),
			.peak = atomic_load(&account->peak),
			.reserve = account->conf.reserve,
			.cap = account->conf.cap,
			.n_refused = atomic_load(&account->n_refused),
		};
	}
}

static void
source_status(void *context, struct status *ret_status)
{
	struct daemon *d = context;

	memset(ret_status, 0, sizeof(*ret_status));
	ret_status->state = (enum state)atomic_load(&d->state);
	ret_status->uptime = (clock_monotonic(&clock_system) - d->started) / NS_PER_S;
	ret_status->config_generation = atomic_load(&d->generation);
	ret_status->n_workers = d->n_workers;
	ret_status->contexts = atomic_load(&d->limit.used);
	ret_status->context_bytes = atomic_load(&d->budget.used);
	ret_status->context_bytes_max = atomic_load(&d->budget.limit);
	for (uint32_t w = 0; w < d->n_workers && w < STATUS_WORKERS_MAX; w++)
		worker_status(d->worker[w], &d->plan->workers[w], &ret_status->worker[w]);
	ports_status(d->plan, ret_status);
	fill_memory(d, &ret_status->memory);
	for (uint32_t w = 0; w < d->n_workers; w++)
		for (uint32_t i = 0; i < d->worker[w]->n_inputs; i++) {
			const struct input *input = d->worker[w]->input[i];

			if (ret_status->n_listeners == STATS_LISTENERS_MAX)
				return;
			ret_status->listener[ret_status->n_listeners++] =
				(struct status_listener){input_name(input), input_address(input)};
		}
}

/* Adds to the n in out, in place of the oldest once there are n_max. Returns how many there are. */
static size_t
keep_newest(struct reject *out, size_t n, size_t n_max, const struct reject *reject)
{
	size_t oldest = 0;

	if (n < n_max) {
		out[n] = *reject;
		return n + 1;
	}
	for (size_t i = 1; i < n; i++)
		if (out[i].time < out[oldest].time)
			oldest = i;
	if (n != 0 && out[oldest].time < reject->time)
		out[oldest] = *reject;
	return n;
}

static size_t
source_rejects(void *context, struct reject *out, size_t n_max)
{
	struct reject of_worker[REJECTS_KEPT];
	struct daemon *d = context;
	size_t n = 0;

	for (uint32_t i = 0; i < d->n_workers; i++) {
		size_t n_read = rejects_read(&d->worker[i]->rejects, of_worker, REJECTS_KEPT);

		for (size_t r = 0; r < n_read; r++)
			n = keep_newest(out, n, n_max, &of_worker[r]);
	}
	return n;
}

static int
source_flush(void *context, int timeout)
{
	struct daemon *d = context;

	if (atomic_load(&d->state) != STATE_READY)
		return -EBUSY;
	return flusher_cut(d->flusher, timeout);
}

static int
source_reload(void *context, char *text, size_t size)
{
	return reload_run(context, text, size);
}

static int
open_admin(struct daemon *d, struct plan_error *error)
{
	struct error cause;
	int status;

	d->source = (struct admin_source){
		.context = d,
		.ledger = source_ledger,
		.status = source_status,
		.rejects = source_rejects,
		.flush = source_flush,
		.reload = source_reload,
	};
	if (d->options->admin_socket[0] != '\0') {
		status = server_open(d->options->admin_socket, &d->source, &d->server, &cause);
		if (status != 0)
			return fail(error, status, cause.text);
	}
	if (d->options->admin_http[0] != '\0') {
		status = http_open(d->options->admin_http, &d->source, &d->http, &cause);
		if (status != 0)
			return fail(error, status, cause.text);
	}
	return 0;
}

static int
open_telemetry(struct daemon *d, struct plan_error *error)
{
	int status = port_telemetry_open(d);

	return status == 0 ? 0 : fail(error, status, "DPDK's telemetry takes no more commands");
}

int
daemon_start(struct daemon *d, struct plan *plan, struct plan_error *error)
{
	int status;

	d->plan = plan;
	pthread_mutex_init(&d->reloading, NULL);
	atomic_init(&d->generation, 1);
	d->started = clock_monotonic(&clock_system);
	status = init_shards(d);
	if (status != 0)
		return fail(error, status, "not enough memory");
	if ((status = open_outputs(d, error)) != 0 || (status = ports_open(plan, error)) != 0 ||
		(status = open_ceiling(d, error)) != 0 || (status = open_workers(d, error)) != 0 ||
		(status = open_admin(d, error)) != 0 || (status = open_telemetry(d, error)) != 0 ||
		(status = start_flusher(d, error)) != 0 || (status = start_workers(d, error)) != 0)
		return status;
	atomic_store(&d->state, STATE_READY);
	return 0;
}

void
daemon_apply(struct daemon *d)
{
	const struct merger_conf conf = merger_conf(d->options);

	atomic_store(&d->limit.max, d->options->max_contexts);
	atomic_store(&d->budget.limit, d->options->max_context_bytes);
	flusher_set_merger(d->flusher, &conf);
}

void
daemon_trim(struct daemon *d)
{
	chunk_pool_trim(&d->ceiling.pool);
}

/* Ends the workers' threads: no datagram is taken in after this. */
static void
stop_workers(struct daemon *d, uint64_t within)
{
	for (uint32_t i = 0; i < d->n_workers; i++)
		worker_drain(d->worker[i], within);
	if (d->slow_runs)
		pthread_join(d->slow_thread, NULL);
	ports_wait();
}

/* until: monotonic ns, for all outputs together. */
static void
stop_outputs(struct daemon *d, uint64_t until)
{
	for (uint32_t i = 0; i < d->n_outputs; i++)
		output_drain(d->outputs[i], clock_ms_until(&clock_system, until));
	for (uint32_t i = 0; i < d->n_outputs; i++)
		output_halt(d->outputs[i]);
	for (uint32_t i = 0; i < d->n_outputs; i++) {
		struct output_counts counts;

		output_stop(d->outputs[i]);
		output_counts(d->outputs[i], &counts);
		if (counts.dropped[OUTPUT_STOPPED] != 0)
			log_warning("stop_timeout was too short: %" PRIu64
				    " points were not written to output %s",
				counts.dropped[OUTPUT_STOPPED], output_name(d->outputs[i]));
	}
}

static void
stop_flusher(struct daemon *d)
{
	uint64_t n_forgotten = flusher_stop(d->flusher, d->options->flush_on_stop);

	if (n_forgotten != 0)
		log_warning("flush_on_stop is off: %llu points of the open bucket were forgotten",
			(unsigned long long)n_forgotten);
}

void
daemon_stop(struct daemon *d)
{
	uint64_t began = clock_monotonic(&clock_system), timeout;

	pthread_mutex_lock(&d->reloading); /* from here on options stay as they are */
	atomic_store(&d->state, STATE_DRAINING);
	pthread_mutex_unlock(&d->reloading);
	timeout = d->options->stop_timeout * (uint64_t)NS_PER_S;
	stop_workers(d, timeout * 2 / 5); /* and a tenth to count what it does not suffice for */
	atomic_store(&d->state, STATE_STOPPING);
	if (d->flusher_runs) {
		stop_flusher(d);
		stop_outputs(d, began + timeout - timeout / 10); /* the rest is for closing */
	}
}

void
daemon_close(struct daemon *d)
{
	port_telemetry_close();
	http_close(d->http);
	server_close(d->server);
	for (uint32_t i = 0; i < d->n_outputs; i++)
		output_close(d->outputs[i]);
	flusher_free(d->flusher);
	for (uint32_t i = 0; i < d->n_workers; i++)
		worker_free(d->worker[i]);
	ports_close();
	ceiling_close(&d->ceiling);
	free(d->worker);
	free(d->outputs);
	free(d->extra_tags);
	pthread_mutex_destroy(&d->reloading);
}
