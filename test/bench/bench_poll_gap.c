/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long a worker does not look at its inputs: the 99.99th percentile of the time between two
 * polls, by the wall clock, with a million live contexts. In every other turn they are flushed.
 *
 * A poll hands out few payloads, so that a gap shows what a burst does not take anyway. What the
 * machine takes away (a hypervisor, another program) is in the gaps of both turns; it is counted
 * beside, and so is the same percentile of the CPU time between two polls, which is free of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "assembly.h"
#include "base/clock.h"
#include "base/thread.h"
#include "feed.h"
#include "measure.h"

#define CONTEXTS 1000000
#define BURST 4 /* payloads */
#define NO_FLUSH 86400 /* s */
#define GAPS_MAX (1 << 24)
#define SLICE (50 * NS_PER_MS)

/* An input that hands out nothing and notes when it is asked. */
struct stopwatch {
	struct input input;
	uint64_t last, last_cpu; /* ns; 0: the worker did not run until now */
	uint32_t *gaps, *cpu_gaps; /* ns: by the wall, and of this thread's CPU time */
	uint32_t n;
};

struct subject {
	struct assembly assembly;
	struct feed feed;
	struct stopwatch stopwatch;
	_Atomic bool is_flushed;
	uint64_t own[2]; /* ns of CPU time: the percentile without and with a flush */
	char note[128];
	uint64_t steal; /* of the machine, in ticks */
	long preempted; /* how often this thread lost its core */
};

static uint32_t
saturate(uint64_t gap)
{
	return gap < UINT32_MAX ? (uint32_t)gap : UINT32_MAX;
}

static void
note_gap(struct input *input, struct burst *burst)
{
	struct stopwatch *watch = container_of(input, struct stopwatch, input);
	uint64_t now = clock_monotonic(&clock_system), cpu = measure_now();

	if (watch->last != 0 && watch->n < GAPS_MAX) {
		watch->gaps[watch->n] = saturate(now - watch->last);
		watch->cpu_gaps[watch->n++] = saturate(cpu - watch->last_cpu);
	}
	watch->last = now;
	watch->last_cpu = cpu;
	burst->n = 0;
}

static void
leave(struct input *input)
{
}

static void
watch_polls(struct stopwatch *watch, struct worker *worker)
{
	static const struct input_ops ops = {.name = "stopwatch", .poll = note_gap, .close = leave};
	static const struct input_spec spec = {.name = "stopwatch"};

	input_init(&watch->input, &ops, &spec, &worker->stats);
	watch->gaps = malloc(GAPS_MAX * sizeof(watch->gaps[0]));
	watch->cpu_gaps = malloc(GAPS_MAX * sizeof(watch->cpu_gaps[0]));
	if (watch->gaps == NULL || watch->cpu_gaps == NULL)
		measure_fail("no memory for the gaps");
	worker->input[worker->n_inputs++] = &watch->input;
}

/* The eighth figure of the first line (proc_stat(5)): what a hypervisor gave to others. */
static uint64_t
stolen(void)
{
	unsigned long long steal = 0;
	FILE *file = fopen("/proc/stat", "re");

	if (file == NULL)
		return 0;
	if (fscanf(file, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &steal) != 1)
		steal = 0;
	fclose(file);
	return steal;
}

static long
preempted(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nivcsw;
}

static void
run_slice(struct subject *subject)
{
	subject->stopwatch.last = 0;
	feed_run(&subject->feed, SLICE, UINT64_MAX);
}

static void
start_turn(void *context)
{
	struct subject *subject = context;

	subject->stopwatch.n = 0;
}

static uint64_t
run_quiet(void *context, uint64_t duration)
{
	struct subject *subject = context;
	uint64_t until = measure_now() + duration;

	while (measure_now() < until)
		run_slice(subject);
	return 1;
}

static void *
flush(void *argument)
{
	struct subject *subject = argument;

	assembly_flush(&subject->assembly);
	atomic_store(&subject->is_flushed, true);
	return NULL;
}

/* As long as a quiet turn at least, and until the flush has reached the output. */
static uint64_t
run_flush(void *context, uint64_t duration)
{
	struct subject *subject = context;
	uint64_t until = measure_now() + duration;
	pthread_t thread;

	atomic_store(&subject->is_flushed, false);
	if (thread_start(&thread, "cut", flush, subject) != 0)
		measure_fail("no thread for the flush");
	while (measure_now() < until || !atomic_load(&subject->is_flushed))
		run_slice(subject);
	pthread_join(thread, NULL);
	return 1;
}

static int
compare_gaps(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static uint64_t
percentile(uint32_t *gaps, uint32_t n)
{
	if (n < 20000)
		measure_fail("too few polls for this percentile");
	qsort(gaps, n, sizeof(gaps[0]), compare_gaps);
	return gaps[n - 1 - n / 10000];
}

static uint64_t
judge(struct subject *subject, bool has_flush)
{
	struct stopwatch *watch = &subject->stopwatch;

	subject->own[has_flush] = percentile(watch->cpu_gaps, watch->n);
	snprintf(subject->note, sizeof(subject->note),
		"in CPU time %.0f and %.0f us; steal %llu ticks; preempted %ld times",
		(double)subject->own[false] / 1e3, (double)subject->own[true] / 1e3,
		(unsigned long long)(stolen() - subject->steal), preempted() - subject->preempted);
	return percentile(watch->gaps, watch->n);
}

static uint64_t
judge_quiet(void *context)
{
	return judge(context, false);
}

static uint64_t
judge_flush(void *context)
{
	return judge(context, true);
}

static void
check(struct subject *subject)
{
	const struct load *load = subject->feed.load;
	struct load_part sent = load_sent(load, subject->feed.n_payloads);

	assembly_stop(&subject->assembly);
	assembly_check(&subject->assembly, load->options->name, &sent);
	assembly_check_output(&subject->assembly, load->options->name, CONTEXTS);
}

int
main(int argc, char **argv)
{
	static struct subject subject = {.feed.n_burst = BURST};
	const struct load_options options = load_many("poll gap", CONTEXTS, 1);
	struct measure measure;
	struct load load;

	measure_init(&measure, 2, argc, argv);
	measure.note = subject.note;
	load_init(&load, &options, measure.seed);
	subject.feed.load = &load;
	assembly_open(&subject.assembly, 1, NULL, NO_FLUSH);
	watch_polls(&subject.stopwatch, subject.assembly.worker[0]);
	feed_open(&subject.feed, subject.assembly.worker[0]);
	feed_run(&subject.feed, UINT32_MAX, 2 * (uint64_t)load.n_payloads); /* all are known */
	subject.steal = stolen();
	subject.preempted = preempted();
	measure_compare(&measure, "1M contexts", "gap", MEASURE_EXCESS,
		(const struct contestant[]){
			{"no flush", start_turn, run_quiet, &subject, judge_quiet},
			{"flush", start_turn, run_flush, &subject, judge_flush},
		},
		2);
	check(&subject);
	assembly_close(&subject.assembly);
	load_done(&load);
	free(subject.stopwatch.gaps);
	free(subject.stopwatch.cpu_gaps);
	return 0;
}
