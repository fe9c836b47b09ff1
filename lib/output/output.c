/* SPDX-License-Identifier: BSD-3-Clause */
#include "output/output.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"
#include "output/driver.h"

const char *const output_reason_name[OUTPUT_REASON_COUNT] = {
#define OUTPUT_REASON(enumerator, name, help) [OUTPUT_##enumerator] = #name,
#include "output/reasons.def"
#undef OUTPUT_REASON
};

const char *const output_reason_help[OUTPUT_REASON_COUNT] = {
#define OUTPUT_REASON(enumerator, name, help) [OUTPUT_##enumerator] = help,
#include "output/reasons.def"
#undef OUTPUT_REASON
};

struct output {
	const struct output_ops *ops;
	void *state; /* the driver's; its thread only, once that runs */
	char *name;
	pthread_t thread;
	bool has_thread;
	int stop_fd; /* readable once is_stopping */

	pthread_mutex_t lock; /* protects all below; never held while the driver writes */
	pthread_cond_t changed;
	struct flush *queue[OUTPUT_QUEUE_MAX];
	uint32_t first, n_queued;
	uint64_t n_sent, n_done; /* flushes taken into the queue, and those that left it for good */
	bool is_stopping;
	struct output_counts counts;
};

static const struct output_ops *
find_driver(const char *type)
{
	for (size_t i = 0; output_table[i] != NULL; i++)
		if (strcmp(output_table[i]->type, type) == 0)
			return output_table[i];
	return NULL;
}

/* All that a driver is asked to write. */
static uint64_t
written_size(const struct flush *flush)
{
	return flush->n_points + flush->n_events + flush->n_checks;
}

/* Waits for the next flush. NULL when the output stops. */
static struct flush *
take(struct output *output)
{
	struct flush *flush = NULL;

	pthread_mutex_lock(&output->lock);
	while (output->n_queued == 0 && !output->is_stopping)
		pthread_cond_wait(&output->changed, &output->lock);
	if (!output->is_stopping) {
		flush = output->queue[output->first];
		output->first = (output->first + 1) % OUTPUT_QUEUE_MAX;
		output->n_queued--;
	}
	pthread_mutex_unlock(&output->lock);
	return flush;
}

static void
settle(struct output *output, const struct flush *flush, const struct output_result *result)
{
	uint64_t sum = result->delivered;

	pthread_mutex_lock(&output->lock);
	output->counts.queued -= written_size(flush);
	output->counts.delivered += result->delivered;
	for (int i = 0; i < OUTPUT_REASON_COUNT; i++) {
		output->counts.dropped[i] += result->dropped[i];
		sum += result->dropped[i];
	}
	assert(sum == written_size(flush));
	(void)sum;
	output->n_done++;
	pthread_cond_broadcast(&output->changed);
	pthread_mutex_unlock(&output->lock);
}

static void *
run(void *argument)
{
	struct output *output = argument;
	struct flush *flush;

	while ((flush = take(output)) != NULL) {
		struct output_result result = {0};

		output->ops->write(output->state, flush, output->stop_fd, &result);
		settle(output, flush, &result);
		flush_unref(flush);
	}
	return NULL;
}

static struct output *
output_new(const struct output_ops *ops, const char *name)
{
	struct output *output = calloc(1, sizeof(*output));

	if (output == NULL)
		return NULL;
	output->ops = ops;
	output->name = strdup(name);
	output->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (output->name == NULL || output->stop_fd < 0) {
		if (output->stop_fd >= 0)
			close(output->stop_fd);
		free(output->name);
		free(output);
		return NULL;
	}
	pthread_mutex_init(&output->lock, NULL);
	thread_condition_init(&output->changed);
	return output;
}

int
output_open(const struct output_spec *spec, struct output **ret_output, struct error *error)
{
	const struct output_ops *ops = find_driver(spec->type);
	struct output *output;
	int result;

	if (ops == NULL)
		return error_fill(error, ENODEV, "output '%s': this build has no output type '%s'",
			spec->name, spec->type);
	output = output_new(ops, spec->name);
	if (output == NULL)
		return error_fill(error, ENOMEM, "output '%s': no memory or descriptor",
			spec->name);
	result = ops->open(spec, &output->state, error);
	if (result != 0) {
		output->ops = NULL;
		output_close(output);
		return result;
	}
	result = thread_start(&output->thread, spec->name, run, output);
	if (result != 0) {
		error_fill(error, -result, "output '%s': cannot start its thread: %s", spec->name,
			strerror(-result));
		output_close(output);
		return result;
	}
	output->has_thread = true;
	*ret_output = output;
	return 0;
}

void
output_send(struct output *output, struct flush *flush)
{
	struct output_counts *counts = &output->counts;

	pthread_mutex_lock(&output->lock);
	counts->points += flush_size(flush);
	counts->dropped[OUTPUT_NOT_FINITE] += flush->n_not_finite;
	counts->dropped[OUTPUT_NO_MEMORY] += flush->n_no_memory;
	if (output->n_queued == OUTPUT_QUEUE_MAX) {
		counts->dropped[OUTPUT_QUEUE_FULL] += written_size(flush);
	} else {
		flush_ref(flush);
		output->queue[(output->first + output->n_queued++) % OUTPUT_QUEUE_MAX] = flush;
		counts->queued += written_size(flush);
		output->n_sent++;
		pthread_cond_broadcast(&output->changed);
	}
	pthread_mutex_unlock(&output->lock);
}

bool
output_drain(struct output *output, int timeout)
{
	uint64_t until = clock_monotonic(&clock_system) + (uint64_t)timeout * NS_PER_MS;
	uint64_t wanted;
	bool is_done;

	pthread_mutex_lock(&output->lock);
	wanted = output->n_sent;
	while (output->n_done < wanted)
		if (!thread_wait_until(&output->changed, &output->lock, until))
			break;
	is_done = output->n_done >= wanted;
	pthread_mutex_unlock(&output->lock);
	return is_done;
}

void
output_counts(struct output *output, struct output_counts *ret_counts)
{
	pthread_mutex_lock(&output->lock);
	*ret_counts = output->counts;
	pthread_mutex_unlock(&output->lock);
}

const char *
output_name(const struct output *output)
{
	return output->name;
}

static void
drop_queue(struct output *output)
{
	pthread_mutex_lock(&output->lock);
	for (; output->n_queued > 0; output->n_queued--) {
		struct flush *flush = output->queue[output->first];

		output->first = (output->first + 1) % OUTPUT_QUEUE_MAX;
		output->counts.queued -= written_size(flush);
		output->counts.dropped[OUTPUT_STOPPED] += written_size(flush);
		output->n_done++;
		flush_unref(flush);
	}
	pthread_cond_broadcast(&output->changed);
	pthread_mutex_unlock(&output->lock);
}

void
output_halt(struct output *output)
{
	pthread_mutex_lock(&output->lock);
	output->is_stopping = true;
	pthread_cond_broadcast(&output->changed);
	pthread_mutex_unlock(&output->lock);
	eventfd_write(output->stop_fd, 1);
}

void
output_stop(struct output *output)
{
	if (!output->has_thread)
		return;
	output_halt(output);
	pthread_join(output->thread, NULL);
	output->has_thread = false;
	drop_queue(output);
}

void
output_close(struct output *output)
{
	if (output == NULL)
		return;
	output_stop(output);
	if (output->ops != NULL)
		output->ops->close(output->state);
	pthread_cond_destroy(&output->changed);
	pthread_mutex_destroy(&output->lock);
	close(output->stop_fd);
	free(output->name);
	free(output);
}
