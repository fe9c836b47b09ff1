/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstock-load/trial.h"

#include <errno.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "penstock-load/pace.h"
#include "penstock-load/receiver.h"

#define SPIN (200 * 1000) /* ns: a sleep may take so much longer than it was told to */
#define GRACE (100 * NS_PER_MS) /* for what was due and is not offered yet */
#define SETTLE_POLL (5 * NS_PER_MS)
#define SETTLED (300 * NS_PER_MS) /* without a new line: none will come */

struct course {
	struct trial_bench *bench;
	struct trial *trial;
	struct pace pace;
	uint64_t start, end, offered_at; /* monotonic ns; the last: of the last datagram */
	double late_sum; /* ns, over n_offered datagrams */
	uint64_t late_max, n_offered;
};

static uint64_t
due_at(const struct course *course, uint64_t line)
{
	return course->start + pace_due(&course->pace, line);
}

/* Datagrams of the replay, in one piece, that are due by now. */
static unsigned
count_due(const struct course *course, uint64_t now)
{
	const struct trial_bench *bench = course->bench;
	uint64_t line = course->trial->offered;
	unsigned n = 0;

	while (n < SENDER_BATCH && bench->next + n < bench->replay.n) {
		uint64_t due = due_at(course, line);

		if (due > now || due >= course->end)
			break;
		line += bench->replay.datagrams[bench->next + n].n_lines;
		n++;
	}
	return n;
}

static void
note_lateness(struct course *course, uint64_t now, unsigned n)
{
	uint64_t late = course->pace.rate > 0 ? now - due_at(course, course->trial->offered) : 0;

	if (late > course->late_max)
		course->late_max = late;
	course->late_sum += (double)late * n;
	course->n_offered += n;
}

/* What finds no room now is lost: it is due now. */
static void
offer(struct course *course, unsigned n)
{
	struct trial_bench *bench = course->bench;
	struct datagram *datagrams = &bench->replay.datagrams[bench->next];

	for (unsigned i = 0; i < n; i++)
		datagrams[i].number = bench->next_number++;
	bench->driver->send(bench->sender, datagrams, n);
	for (unsigned i = 0; i < n; i++) {
		course->trial->offered += datagrams[i].n_lines;
		if (datagrams[i].error == 0)
			course->trial->sent += datagrams[i].n_lines;
	}
	bench->next = (bench->next + n) % bench->replay.n;
}

/* Until the next datagram is due; the last stretch without sleeping. */
static void
wait_until_due(const struct course *course, uint64_t now)
{
	uint64_t due = due_at(course, course->trial->offered);

	if (due > course->end)
		due = course->end;
	if (due > now + SPIN)
		pace_sleep_until(due - SPIN);
	else
		__builtin_ia32_pause();
}

/* After the end: whether all that was due is offered, or will not be. */
static bool
is_over(const struct course *course, uint64_t now)
{
	return course->pace.rate == 0 || due_at(course, course->trial->offered) >= course->end ||
		now - course->end > (course->end - course->start) / 10 + GRACE;
}

static int
send_all(struct course *course)
{
	for (;;) {
		uint64_t now = pace_now();
		unsigned n;

		if (now >= course->end && is_over(course, now))
			return 0;
		if (atomic_load(course->bench->stopping))
			return error_fill(&course->bench->error, EINTR, "stopped by a signal");
		n = count_due(course, now);
		if (n == 0) {
			wait_until_due(course, now);
			continue;
		}
		note_lateness(course, now, n);
		offer(course, n);
	}
}

/* Waits until all that was sent is received, or nothing comes any more. ret_last: when the last
 * line came. */
static int
settle(struct course *course, const struct receiver_counts *before, uint64_t *ret_last)
{
	struct trial *trial = course->trial;
	uint64_t last = pace_now();

	for (;;) {
		struct receiver_counts counts;
		uint64_t now = pace_now();
		int result = receiver_ask(course->bench->ledger, &counts, &course->bench->error);

		if (result != 0)
			return result;
		if (counts.lines - before->lines != trial->received)
			last = now;
		trial->received = counts.lines - before->lines;
		trial->dropped = counts.dropped - before->dropped;
		if (trial->received == trial->sent || now - last > SETTLED)
			break;
		pace_sleep_until(now + SETTLE_POLL);
	}
	*ret_last = last;
	return 0;
}

static void
summarise(struct course *course, uint64_t last)
{
	struct trial *trial = course->trial;

	trial->seconds = (double)(course->end - course->start) / (double)NS_PER_S;
	trial->took = (double)(course->offered_at - course->start) / (double)NS_PER_S;
	if (last < course->offered_at)
		last = course->offered_at;
	trial->carried =
		(double)trial->received * (double)NS_PER_S / (double)(last - course->start);
	trial->late_max = (double)course->late_max / (double)NS_PER_S;
	if (course->n_offered > 0)
		trial->late_mean = course->late_sum / (double)course->n_offered / (double)NS_PER_S;
}

static void
say(const struct trial *trial)
{
	fprintf(stderr, "%.4g M lines/s for %.3g s: ", trial->rate / 1e6, trial->seconds);
	if (trial->rate == 0)
		fprintf(stderr, "as fast as possible: %.4g M lines/s carried\n",
			trial->carried / 1e6);
	else if (!trial_is_valid(trial))
		fprintf(stderr, "invalid: the generator offered %.4g M lines/s\n",
			(double)trial->offered / trial->took / 1e6);
	else if (trial_is_clean(trial))
		fprintf(stderr, "nothing lost\n");
	else
		fprintf(stderr, "%llu lines found no room, %lld did not arrive, %llu dropped\n",
			(unsigned long long)(trial->offered - trial->sent),
			(long long)(trial->sent - trial->received),
			(unsigned long long)trial->dropped);
}

int
trial_run(void *context, double rate, double seconds, struct trial *ret_trial)
{
	struct trial_bench *bench = context;
	struct course course = {.bench = bench, .trial = ret_trial, .pace.rate = rate};
	struct receiver_counts before;
	uint64_t last;
	int result = receiver_ask(bench->ledger, &before, &bench->error);

	if (result != 0)
		return result;
	course.start = pace_now();
	course.end = course.start + (uint64_t)(seconds * (double)NS_PER_S);
	result = send_all(&course);
	course.offered_at = pace_now();
	if (result == 0)
		result = settle(&course, &before, &last);
	if (result != 0)
		return result;
	summarise(&course, last);
	say(ret_trial);
	return 0;
}
