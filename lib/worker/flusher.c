/* SPDX-License-Identifier: BSD-3-Clause */
#include "worker/flusher.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/thread.h"

#define SWAP_POLL_NS (200 * 1000L) /* between two looks at a worker that has not swapped yet */

struct flusher {
	struct flusher_conf conf;
	struct merger *merger;
	pthread_t thread;
	pthread_mutex_t lock; /* of all below but stopping */
	pthread_cond_t changed;
	struct bucket_clock clock;
	uint64_t epoch;
	uint64_t n_cuts_wanted, n_cuts_done;
	struct flusher_status status;
	bool send_open, has_ended;
	uint64_t n_forgotten;
	_Atomic bool stopping; /* the workers' threads have ended */
};

static void
collect_filled(struct flusher *f, uint32_t worker)
{
	struct shard *shard = f->conf.workers[worker]->shard;
	struct bucket *bucket;

	while ((bucket = spsc_pop(&shard->filled)) != NULL) {
		merger_add(f->merger, worker, bucket);
		if (!spsc_push(&shard->emptied, bucket))
			bucket_free(bucket);
	}
}

/* Until the worker has swapped to the epoch. One that has ended is swapped from here. */
static void
collect_worker(struct flusher *f, uint32_t worker, uint64_t epoch)
{
	const struct timespec nap = {.tv_nsec = SWAP_POLL_NS};
	struct shard *shard = f->conf.workers[worker]->shard;

	while (atomic_load_explicit(&shard->epoch, memory_order_acquire) != epoch) {
		collect_filled(f, worker);
		if (atomic_load(&f->stopping))
			worker_finish(f->conf.workers[worker], epoch);
		else
			nanosleep(&nap, NULL);
	}
	collect_filled(f, worker);
}

/* Ends the bucket of all workers and returns its flush. */
static struct flush *
close_bucket(struct flusher *f, struct bucket_time time, uint64_t epoch)
{
	for (uint32_t i = 0; i < f->conf.n_workers; i++)
		worker_want_epoch(f->conf.workers[i], epoch);
	for (uint32_t i = 0; i < f->conf.n_workers; i++)
		collect_worker(f, i, epoch);
	return merger_finish(f->merger, time);
}

static void
send(struct flusher *f, struct flush *flush)
{
	for (uint32_t i = 0; i < f->conf.n_outputs; i++)
		output_send(f->conf.outputs[i], flush);
}

/* ns until the open bucket has to be closed. One that is forgotten needs no time of its own. Called
 * with the lock. */
static int64_t
time_left(const struct flusher *f)
{
	int64_t left = bucket_clock_remaining(&f->clock), until_cut;
	bool is_last = atomic_load(&f->stopping);

	if (is_last && !f->send_open)
		return 0;
	if (!is_last && f->n_cuts_wanted == f->n_cuts_done)
		return left;
	until_cut = bucket_clock_cut_remaining(&f->clock);
	return until_cut < left ? until_cut : left;
}

/* Waits for the bucket's end, a cut or the stop. Called with the lock. */
static void
wait_for_work(struct flusher *f)
{
	for (;;) {
		int64_t left = time_left(f);

		if (left <= 0)
			return;
		thread_wait_until(&f->changed, &f->lock,
			clock_monotonic(&clock_system) + (uint64_t)left);
	}
}

static void
update_status(struct flusher *f, uint64_t began)
{
	f->status.n_flushes++;
	f->status.series = merger_series(f->merger);
	f->status.latency = clock_monotonic(f->conf.clock) - began;
}

/* One bucket, from its end to the outputs. Called with the lock; lets go of it meanwhile. */
static void
flush_once(struct flusher *f)
{
	bool is_last = atomic_load(&f->stopping);
	uint64_t n_cuts = f->n_cuts_wanted, epoch = ++f->epoch;
	uint64_t began = clock_monotonic(f->conf.clock);
	struct bucket_time time;
	struct flush *flush;

	if (bucket_clock_remaining(&f->clock) <= 0)
		time = bucket_clock_advance(&f->clock);
	else
		time = bucket_clock_cut(&f->clock);
	merger_set_conf(f->merger, &f->conf.merger);
	pthread_mutex_unlock(&f->lock);

	flush = close_bucket(f, time, epoch);
	if (flush != NULL && (!is_last || f->send_open))
		send(f, flush);
	else if (flush != NULL)
		f->n_forgotten = flush_size(flush);
	flush_unref(flush);

	pthread_mutex_lock(&f->lock);
	update_status(f, began);
	f->n_cuts_done = n_cuts;
	pthread_cond_broadcast(&f->changed);
}

static void *
run(void *argument)
{
	struct flusher *f = argument;
	bool is_last;

	pthread_mutex_lock(&f->lock);
	do {
		wait_for_work(f);
		is_last = atomic_load(&f->stopping);
		flush_once(f);
	} while (!is_last);
	f->has_ended = true;
	pthread_cond_broadcast(&f->changed);
	pthread_mutex_unlock(&f->lock);
	return NULL;
}

static int
init(struct flusher *f)
{
	pthread_mutex_init(&f->lock, NULL);
	thread_condition_init(&f->changed);
	bucket_clock_init(&f->clock, f->conf.clock, f->conf.interval);
	f->merger = merger_new(&f->conf.merger, f->conf.n_workers, f->conf.budget);
	if (f->merger == NULL)
		return -ENOMEM;
	return thread_start(&f->thread, "flush", run, f);
}

int
flusher_start(const struct flusher_conf *conf, struct flusher **ret_flusher)
{
	struct flusher *f = calloc(1, sizeof(*f));
	int status;

	if (f == NULL)
		return -ENOMEM;
	f->conf = *conf;
	status = init(f);
	if (status != 0) {
		flusher_free(f);
		return status;
	}
	*ret_flusher = f;
	return 0;
}

int
flusher_cut(struct flusher *f, int timeout)
{
	uint64_t until = clock_monotonic(&clock_system) + (uint64_t)timeout * NS_PER_MS;
	uint64_t wanted;
	bool in_time;

	pthread_mutex_lock(&f->lock);
	wanted = ++f->n_cuts_wanted;
	pthread_cond_broadcast(&f->changed);
	while (f->n_cuts_done < wanted && !f->has_ended)
		if (!thread_wait_until(&f->changed, &f->lock, until))
			break;
	in_time = f->n_cuts_done >= wanted || f->has_ended;
	pthread_mutex_unlock(&f->lock);
	for (uint32_t i = 0; i < f->conf.n_outputs && in_time; i++)
		in_time = output_drain(f->conf.outputs[i], clock_ms_until(&clock_system, until));
	return in_time ? 0 : -ETIMEDOUT;
}

void
flusher_set_merger(struct flusher *f, const struct merger_conf *conf)
{
	pthread_mutex_lock(&f->lock);
	f->conf.merger = *conf;
	pthread_mutex_unlock(&f->lock);
}

uint64_t
flusher_stop(struct flusher *f, bool send_open)
{
	pthread_mutex_lock(&f->lock);
	f->send_open = send_open;
	atomic_store(&f->stopping, true);
	pthread_cond_broadcast(&f->changed);
	pthread_mutex_unlock(&f->lock);
	pthread_join(f->thread, NULL);
	return f->n_forgotten;
}

void
flusher_status(struct flusher *f, struct flusher_status *ret_status)
{
	pthread_mutex_lock(&f->lock);
	*ret_status = f->status;
	ret_status->start = f->clock.start;
	ret_status->skew = bucket_clock_skew(&f->clock);
	pthread_mutex_unlock(&f->lock);
}

void
flusher_free(struct flusher *f)
{
	if (f == NULL)
		return;
	merger_free(f->merger);
	pthread_mutex_destroy(&f->lock);
	pthread_cond_destroy(&f->changed);
	free(f);
}
