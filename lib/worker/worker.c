/* SPDX-License-Identifier: BSD-3-Clause */
#include "worker/worker.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "agg/record.h"

#define PUBLISH_EVERY 8 /* busy turns: half a thousand datagrams at most */
#define EXPIRE_SLOTS 256 /* looked at in each housekeeping */
#define DRAIN_EMPTY_TURNS 4 /* an input may need a turn to accept, one to read, one to end */
#define REFRESH_EVERY NS_PER_S
#define IDLE_TURNS_BEFORE_SLEEP 256
#define IDLE_SLEEP_MAX NS_PER_MS

static int
watch(struct worker *worker, int fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

	return epoll_ctl(worker->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : -errno;
}

static int
open_inputs(struct worker *worker, const struct worker_conf *conf, struct input_error *error)
{
	for (uint32_t i = 0; i < conf->n_inputs; i++) {
		int fd,
			status = input_open(&conf->inputs[i], &worker->stats, &worker->input[i],
				error);

		if (status != 0)
			return status;
		worker->n_inputs++;
		fd = input_fd(worker->input[i]);
		if (fd < 0)
			worker->must_poll = true;
		else if ((status = watch(worker, fd)) != 0)
			return status;
	}
	return 0;
}

int
worker_new(const struct worker_conf *conf, struct worker **ret_worker, struct input_error *error)
{
	struct worker *worker = aligned_alloc(CACHE_LINE_SIZE, sizeof(*worker));
	int status = -ENOMEM;

	assert(conf->n_inputs <= WORKER_INPUTS_MAX);
	snprintf(error->text, sizeof(error->text), "%s: not enough memory for a worker",
		conf->name);
	if (worker == NULL)
		return -ENOMEM;
	memset(worker, 0, sizeof(*worker));
	worker->name = conf->name;
	worker->idle = conf->idle;
	worker->clock = conf->clock;
	worker->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	worker->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (worker->epoll_fd < 0 || worker->wake_fd < 0 || watch(worker, worker->wake_fd) != 0)
		goto fail;
	if (decoder_init(&worker->decoder, conf->shard->key.payload_max) != 0)
		goto fail;
	worker->decoder.client_origin = conf->client_origin;
	worker->decoder.timestamps = conf->timestamps;
	worker->shard = shard_new(conf->shard, &worker->stats);
	if (worker->shard == NULL)
		goto fail;
	status = open_inputs(worker, conf, error);
	if (status != 0)
		goto fail;
	*ret_worker = worker;
	return 0;
fail:
	worker_free(worker);
	return status;
}

void
worker_free(struct worker *worker)
{
	if (worker == NULL)
		return;
	for (uint32_t i = 0; i < worker->n_inputs; i++)
		input_close(worker->input[i]);
	shard_free(worker->shard);
	decoder_done(&worker->decoder);
	if (worker->epoll_fd >= 0)
		close(worker->epoll_fd);
	if (worker->wake_fd >= 0)
		close(worker->wake_fd);
	free(worker);
}

static void
reject(struct worker *worker, const struct dgram *dgram, struct span line, enum counter reason)
{
	stats_add(&worker->stats, reason, 1);
	rejects_add(&worker->rejects, reason, dgram->listener, clock_wall(worker->clock), line);
}

/* A line without an end that may not be read: cut by the receive buffer, or against the rule. */
static enum counter
unfinished_line(const struct dgram *dgram)
{
	if (dgram->truncated)
		return STAT_lines_rejected_truncated;
	if (dgram->eol_required)
		return STAT_lines_rejected_unterminated;
	return STAT_NONE;
}

static void
take_line(struct worker *worker, const struct dgram *dgram, struct span line, bool is_terminated)
{
	static const enum counter kind_stat[] = {
		[MESSAGE_METRIC] = STAT_lines_metrics,
		[MESSAGE_EVENT] = STAT_lines_events,
		[MESSAGE_SERVICE_CHECK] = STAT_lines_service_checks,
	};
	struct message message;
	enum counter reason = STAT_NONE;

	stats_add(&worker->stats, STAT_lines_received, 1);
	stats_add(&worker->stats, kind_stat[line_kind(line)], 1);
	if (!is_terminated)
		reason = unfinished_line(dgram);
	if (reason == STAT_NONE)
		reason = decode_line(&worker->decoder, line, &message);
	if (reason != STAT_NONE) {
		reject(worker, dgram, line, reason);
		return;
	}
	record_message(worker->shard, &message, dgram, worker->burst.time);
}

static void
take_dgram(struct worker *worker, const struct dgram *dgram)
{
	struct span rest = dgram->payload, line;
	bool is_terminated;

	while (line_next(&rest, &line, &is_terminated))
		if (line.size != 0)
			take_line(worker, dgram, line, is_terminated);
	stats_add(&worker->stats, STAT_datagrams_delivered, 1);
}

/* Polls each input once. Returns how many datagrams came. */
static uint32_t
turn(struct worker *worker)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < worker->n_inputs; i++) {
		input_poll(worker->input[i], &worker->burst);
		if (worker->burst.n == 0)
			continue;
		for (uint32_t d = 0; d < worker->burst.n; d++)
			take_dgram(worker, &worker->burst.dgram[d]);
		n += worker->burst.n;
		input_release(worker->input[i], &worker->burst);
	}
	worker->stats.counter[STAT_worker_turns]++;
	worker->stats.counter[STAT_worker_busy_turns] += n != 0;
	return n;
}

/* The one place for all that is not a datagram. */
static void
housekeep(struct worker *worker)
{
	uint64_t now = clock_monotonic(worker->clock);
	uint64_t wanted = atomic_load_explicit(&worker->epoch_wanted, memory_order_acquire);

	if (wanted != atomic_load_explicit(&worker->shard->epoch, memory_order_relaxed))
		shard_swap(worker->shard, wanted, now);
	shard_expire(worker->shard, now, EXPIRE_SLOTS);
	if (now >= worker->refresh_at) {
		worker->refresh_at = now + REFRESH_EVERY;
		for (uint32_t i = 0; i < worker->n_inputs; i++)
			input_refresh(worker->input[i]);
	}
	stats_publish(&worker->published, &worker->stats,
		atomic_load_explicit(&worker->shard->epoch, memory_order_relaxed));
	worker->n_unpublished = 0;
}

/* Waits until an input or another thread has something, a second at most. */
static void
wait_for_events(struct worker *worker)
{
	struct epoll_event event[WORKER_INPUTS_MAX + 1];
	uint64_t count;
	int n = epoll_wait(worker->epoll_fd, event, WORKER_INPUTS_MAX + 1, 1000);

	for (int i = 0; i < n; i++)
		if (event[i].data.fd == worker->wake_fd &&
			read(worker->wake_fd, &count, sizeof(count)) < 0)
			return; /* already taken */
}

static void
rest(struct worker *worker)
{
	struct timespec nap = {0};

	if (!worker->must_poll) {
		wait_for_events(worker);
		return;
	}
	if (worker->idle == WORKER_IDLE_PAUSE)
		__builtin_ia32_pause();
	if (worker->idle != WORKER_IDLE_SLEEP || worker->n_idle < IDLE_TURNS_BEFORE_SLEEP)
		return;
	/* Longer naps the longer nothing comes; a nap bounds the latency of the first frame. */
	nap.tv_nsec = 10000L * (worker->n_idle - IDLE_TURNS_BEFORE_SLEEP + 1);
	if (nap.tv_nsec > IDLE_SLEEP_MAX)
		nap.tv_nsec = IDLE_SLEEP_MAX;
	nanosleep(&nap, NULL);
}

/* After the inputs stopped taking in: until some turns in a row find nothing, or time is up. */
static void
drain(struct worker *worker)
{
	uint64_t until = atomic_load(&worker->drain_until);
	uint32_t n_empty = 0;

	for (uint32_t i = 0; i < worker->n_inputs; i++)
		input_quiesce(worker->input[i]);
	while (n_empty < DRAIN_EMPTY_TURNS && clock_monotonic(worker->clock) < until) {
		n_empty = turn(worker) == 0 ? n_empty + 1 : 0;
		housekeep(worker);
	}
	for (uint32_t i = 0; i < worker->n_inputs; i++)
		input_refresh(worker->input[i]);
	housekeep(worker);
}

void
worker_run(struct worker *worker)
{
	while (atomic_load_explicit(&worker->command, memory_order_acquire) == WORKER_RUN) {
		if (turn(worker) != 0) {
			worker->n_idle = 0;
			if (++worker->n_unpublished >= PUBLISH_EVERY)
				housekeep(worker);
			continue;
		}
		if (worker->n_idle++ % IDLE_TURNS_BEFORE_SLEEP == 0 || !worker->must_poll ||
			worker->n_unpublished != 0 || worker->idle == WORKER_IDLE_SLEEP)
			housekeep(worker);
		rest(worker);
	}
	drain(worker);
}

static void
wake(struct worker *worker)
{
	uint64_t one = 1;

	if (write(worker->wake_fd, &one, sizeof(one)) < 0)
		return; /* the counter is full: it is awake already */
}

void
worker_want_epoch(struct worker *worker, uint64_t epoch)
{
	atomic_store_explicit(&worker->epoch_wanted, epoch, memory_order_release);
	wake(worker);
}

void
worker_drain(struct worker *worker, uint64_t within)
{
	atomic_store(&worker->drain_until, clock_monotonic(worker->clock) + within);
	atomic_store_explicit(&worker->command, WORKER_DRAIN, memory_order_release);
	wake(worker);
}

void
worker_finish(struct worker *worker, uint64_t epoch)
{
	atomic_store(&worker->epoch_wanted, epoch);
	housekeep(worker);
}
