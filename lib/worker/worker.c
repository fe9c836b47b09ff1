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

#define PUBLISH_EVERY 8 /* busy turns: half a thousand datagrams at most */
#define SWEEPS_WHEN_IDLE 8 /* parts of the line cache, some 100 us each at most */
#define PUBLISH_WITHIN (20 * NS_PER_MS) /* busy turns of large datagrams are long */
#define EXPIRE_ROUND (4 * (uint64_t)NS_PER_S) /* all slots are looked at in about so long … */
#define EXPIRE_SLOTS_MIN 256U
#define EXPIRE_SLOTS_MAX 65536U /* … if a housekeeping can: this many take a millisecond */
#define DRAIN_EMPTY_TURNS 4 /* an input may need a turn to accept, one to read, one to end */
#define REFRESH_EVERY NS_PER_S
#define IDLE_TURNS_BEFORE_SLEEP 256
#define IDLE_SLEEP_MAX NS_PER_MS
#define PENDING_NAP (50L * 1000) /* ns: another worker may need our core to get on */

static int
watch(struct worker *worker, int fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

	return epoll_ctl(worker->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : -errno;
}

static int
open_inputs(struct worker *worker, const struct worker_conf *conf, struct error *error)
{
	for (uint32_t i = 0; i < conf->n_inputs; i++) {
		int fd,
			status = input_open(&conf->inputs[i], &worker->stats, &worker->input[i],
				error);

		if (status != 0)
			return status;
		worker->n_inputs++;
		status = intake_add(&worker->intake, worker->input[i], &worker->source[i]);
		if (status != 0)
			return error_fill(error, -status, "%s: inputs on more than %d accounts",
				conf->name, INTAKE_QUEUES_MAX);
		fd = input_fd(worker->input[i]);
		if (fd < 0)
			worker->must_poll = true;
		else if ((status = watch(worker, fd)) != 0)
			return status;
	}
	return 0;
}

int
worker_new(const struct worker_conf *conf, struct worker **ret_worker, struct error *error)
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
	worker->clock = conf->lines.clock;
	intake_init(&worker->intake, conf->pool, &worker->stats, worker->clock);
	worker->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	worker->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (worker->epoll_fd < 0 || worker->wake_fd < 0 || watch(worker, worker->wake_fd) != 0)
		goto fail;
	worker->shard = shard_new(conf->shard, &worker->stats);
	if (worker->shard == NULL ||
		lines_init(&worker->lines, &conf->lines, worker->shard, &worker->stats,
			&worker->rejects) != 0)
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
	intake_discard(&worker->intake);
	lines_done(&worker->lines);
	shard_free(worker->shard);
	if (worker->epoll_fd >= 0)
		close(worker->epoll_fd);
	if (worker->wake_fd >= 0)
		close(worker->wake_fd);
	free(worker);
}

/* Polls an input once and decodes in place; under pressure, moves what it has to the backlog.
 * Returns how many datagrams came. */
static uint32_t
take_in(struct worker *worker, uint32_t i)
{
	struct intake_source *source = &worker->source[i];
	struct stages *stages = &worker->stages;
	uint32_t n;

	if (intake_spills(source)) {
		n = intake_spill(&worker->intake, source, &worker->burst);
		stages_end(stages, n != 0 ? STAGE_POLL : STAGE_IDLE);
		return n;
	}
	input_poll(worker->input[i], &worker->burst);
	n = worker->burst.n;
	intake_note(source);
	stages_end(stages, n != 0 ? STAGE_POLL : STAGE_IDLE);
	if (n == 0)
		return 0;
	lines_take(&worker->lines, &worker->burst);
	stages_end(stages, STAGE_DECODE);
	input_release(worker->input[i], &worker->burst);
	if (unlikely(source->is_flooded))
		n += intake_shed(&worker->intake, source, &worker->burst);
	stages_end(stages, STAGE_POLL);
	return n;
}

/* Returns how many datagrams came, or were waiting. */
static uint32_t
turn(struct worker *worker)
{
	struct stages *stages = &worker->stages;
	uint32_t n = 0;

	stages_poll(stages, &worker->stats);
	for (uint32_t i = 0; i < worker->n_inputs; i++)
		n += take_in(worker, i);
	for (uint32_t i = 0; i < worker->intake.n_queues; i++) {
		if (!intake_take(&worker->intake, i, &worker->burst))
			continue;
		lines_take(&worker->lines, &worker->burst);
		n += worker->burst.n;
		intake_release(&worker->intake, i, &worker->burst);
		stages_end(stages, STAGE_DECODE);
	}
	worker->stats.counter[STAT_worker_turns]++;
	worker->stats.counter[STAT_worker_busy_turns] += n != 0;
	return n;
}

/* For an idle worker, whose housekeepings are a second apart, as well as for a busy one. */
static uint32_t
slots_to_expire(const struct worker *worker, uint64_t elapsed)
{
	uint64_t n_slots = worker->shard->contexts.n_slots, n;

	if (elapsed > EXPIRE_ROUND)
		elapsed = EXPIRE_ROUND;
	n = n_slots * elapsed / EXPIRE_ROUND;
	if (n < EXPIRE_SLOTS_MIN)
		return EXPIRE_SLOTS_MIN;
	return n < EXPIRE_SLOTS_MAX ? (uint32_t)n : EXPIRE_SLOTS_MAX;
}

/* What needs nothing of the inputs. */
static void
keep_books(struct worker *worker, uint64_t now)
{
	uint64_t wanted = atomic_load_explicit(&worker->epoch_wanted, memory_order_acquire);

	stages_count(&worker->stages, now, &worker->stats);
	if (wanted != atomic_load_explicit(&worker->shard->epoch, memory_order_relaxed))
		shard_swap(worker->shard, wanted, now);
	shard_expire(worker->shard, now, slots_to_expire(worker, now - worker->housekept_at));
	worker->housekept_at = now;
	lines_sweep(&worker->lines, now);
	stats_publish(&worker->published, &worker->stats,
		atomic_load_explicit(&worker->shard->epoch, memory_order_relaxed));
	worker->n_unpublished = 0;
	stages_end(&worker->stages, STAGE_HOUSEKEEP);
}

/* The one place for all that is not a datagram. */
static void
housekeep(struct worker *worker)
{
	uint64_t now = clock_monotonic(worker->clock);

	if (now >= worker->refresh_at) {
		worker->refresh_at = now + REFRESH_EVERY;
		for (uint32_t i = 0; i < worker->n_inputs; i++)
			input_refresh(worker->input[i]);
	}
	keep_books(worker, now);
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

	for (int i = 0;
		i < SWEEPS_WHEN_IDLE && lines_sweep(&worker->lines, clock_monotonic(worker->clock));
		i++)
		;
	stages_end(&worker->stages, STAGE_HOUSEKEEP);
	if (!worker->must_poll) {
		wait_for_events(worker);
		stages_waited(&worker->stages);
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
	stages_end(&worker->stages, STAGE_IDLE);
}

/* Sleeps a little while another worker may still hand something over. */
static bool
awaits_others(struct worker *worker)
{
	const struct timespec nap = {.tv_nsec = PENDING_NAP};

	for (uint32_t i = 0; i < worker->n_inputs; i++)
		if (input_is_pending(worker->input[i])) {
			nanosleep(&nap, NULL);
			return true;
		}
	return false;
}

/* What senders were promised and time does not suffice to decode: counted at least, or said. */
static void
discard(struct worker *worker, uint64_t until)
{
	for (uint32_t i = 0; i < worker->n_inputs; i++)
		for (;;) {
			input_poll(worker->input[i], &worker->burst);
			if (worker->burst.n != 0) {
				stats_add(&worker->stats, STAT_datagrams_dropped_stopped,
					worker->burst.n);
				input_release(worker->input[i], &worker->burst);
			} else if (!input_is_pending(worker->input[i])) {
				break;
			}
			if (clock_monotonic(worker->clock) >= until) {
				worker->has_left_unread = true;
				break;
			}
		}
}

/* After the inputs stopped taking in: until some turns in a row find nothing, or time is up. */
static void
drain(struct worker *worker)
{
	uint64_t began = clock_monotonic(worker->clock);
	uint64_t until = atomic_load(&worker->drain_until);
	uint32_t n_empty = 0;

	for (uint32_t i = 0; i < worker->n_inputs; i++)
		input_quiesce(worker->input[i]);
	while (n_empty < DRAIN_EMPTY_TURNS && clock_monotonic(worker->clock) < until) {
		n_empty = turn(worker) == 0 && !awaits_others(worker) ? n_empty + 1 : 0;
		housekeep(worker);
	}
	if (n_empty < DRAIN_EMPTY_TURNS && until > began)
		discard(worker, until + (until - began) / 4);
	intake_discard(&worker->intake);
	for (uint32_t i = 0; i < worker->n_inputs; i++)
		input_refresh(worker->input[i]);
	housekeep(worker);
}

void
worker_run(struct worker *worker)
{
	stages_begin(&worker->stages, clock_monotonic(worker->clock), &worker->stats);
	while (atomic_load_explicit(&worker->command, memory_order_acquire) == WORKER_RUN) {
		if (turn(worker) != 0) {
			worker->n_idle = 0;
			if (++worker->n_unpublished >= PUBLISH_EVERY ||
				worker->burst.time > worker->housekept_at + PUBLISH_WITHIN)
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
	for (uint32_t i = 0; i < worker->n_inputs; i++)
		input_settle(worker->input[i]);
	atomic_store(&worker->epoch_wanted, epoch);
	/* Refreshing is the owner's, who has done it last: here it would send from another thread.
	 */
	keep_books(worker, clock_monotonic(worker->clock));
}
