/* SPDX-License-Identifier: BSD-3-Clause */
#include "feed.h"

#include <stdlib.h>

#include "base/clock.h"
#include "measure.h"

#define CLOCK_EVERY 16 /* polls between two looks at the clock */

static bool
is_over(const struct feed *feed)
{
	return feed->n_payloads >= feed->n_end ||
		(feed->n_polls % CLOCK_EVERY == 0 && measure_now() >= feed->until);
}

static void
poll_feed(struct input *input, struct burst *burst)
{
	struct feed *feed = container_of(input, struct feed, input);
	const struct load *load = feed->load;

	burst->n = 0;
	feed->n_polls++;
	if (is_over(feed)) {
		feed->n_end = feed->n_payloads; /* until it runs again */
		if (feed->is_leader)
			atomic_store(&feed->worker->command, WORKER_DRAIN);
		return;
	}
	if (feed->is_timed)
		feed->began = measure_now();
	burst->time = clock_monotonic(&clock_system);
	while (burst->n < feed->n_burst && feed->n_payloads < feed->n_end)
		input_add(input, burst, load->payloads[feed->n_payloads++ % load->n_payloads]);
}

static void
release(struct input *input, struct burst *burst)
{
	struct feed *feed = container_of(input, struct feed, input);

	if (feed->is_timed)
		feed->spent += measure_now() - feed->began;
}

static void
leave(struct input *input)
{
}

static const struct input_ops ops = {
	.name = "feed",
	.poll = poll_feed,
	.release = release,
	.close = leave,
};

void
feed_open(struct feed *feed, struct worker *worker)
{
	static const struct input_spec spec = {.name = "feed"};

	input_init(&feed->input, &ops, &spec, &worker->stats);
	feed->worker = worker;
	if (worker->n_inputs == WORKER_INPUTS_MAX)
		measure_fail("too many feeds");
	worker->input[worker->n_inputs++] = &feed->input;
	worker->must_poll = true;
}

void
feed_run(struct feed *feed, uint64_t duration, uint64_t n)
{
	feed->n_polls = 0;
	feed->spent = 0;
	feed->until = measure_now() + duration;
	feed->n_end = n < UINT64_MAX - feed->n_payloads ? feed->n_payloads + n : UINT64_MAX;
	feed->is_leader = true;
	atomic_store(&feed->worker->command, WORKER_RUN);
	worker_run(feed->worker);
}
