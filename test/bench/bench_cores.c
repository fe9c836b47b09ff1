/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two workers on two cores, each with an input of its own, against one. Both see the same series;
 * the flush thread, which has no core of its own on a machine with two, joins them every second.
 *
 * A rate is lines by the mean CPU time of the workers: what other threads take from a core does not
 * count, what the workers do to each other (caches, memory, shared counters) does.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#include "assembly.h"
#include "base/thread.h"
#include "feed.h"
#include "measure.h"

#define SKIPPED 77 /* as the tests say it */
#define FLUSH_INTERVAL 1 /* s */
#define SERIES 10000
#define ROUNDS 4

struct lane {
	struct feed feed;
	struct load load;
	int cpu;
	uint64_t duration, spent; /* ns of CPU time of the turn */
};

struct subject {
	struct assembly assembly;
	uint32_t n_lanes;
	struct lane lane[ASSEMBLY_WORKERS_MAX];
};

static void *
run_lane(void *argument)
{
	struct lane *lane = argument;
	uint64_t start;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(lane->cpu, &set);
	pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
	start = measure_now();
	feed_run(&lane->feed, lane->duration, UINT64_MAX);
	lane->spent = measure_now() - start;
	return NULL;
}

static struct load_part
sent_by(const struct subject *subject)
{
	struct load_part sum = {0};

	for (uint32_t i = 0; i < subject->n_lanes; i++) {
		const struct lane *lane = &subject->lane[i];
		struct load_part sent = load_sent(&lane->load, lane->feed.n_payloads);

		load_add(&sum, &sent);
	}
	return sum;
}

static uint64_t
run_lanes(void *context, uint64_t duration)
{
	struct subject *subject = context;
	pthread_t thread[ASSEMBLY_WORKERS_MAX];
	struct load_part before = sent_by(subject);

	for (uint32_t i = 0; i < subject->n_lanes; i++) {
		subject->lane[i].duration = duration;
		if (thread_start(&thread[i], "lane", run_lane, &subject->lane[i]) != 0)
			measure_fail("no thread for a worker");
	}
	for (uint32_t i = 0; i < subject->n_lanes; i++)
		pthread_join(thread[i], NULL);
	return sent_by(subject).n_lines - before.n_lines;
}

static uint64_t
mean_spent(void *context)
{
	const struct subject *subject = context;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < subject->n_lanes; i++)
		sum += subject->lane[i].spent;
	return sum / subject->n_lanes;
}

static void
open_subject(struct subject *subject, uint32_t n_lanes, const int cpu[ASSEMBLY_WORKERS_MAX],
	const struct load_options *options, uint64_t seed)
{
	subject->n_lanes = n_lanes;
	assembly_open(&subject->assembly, n_lanes, NULL, FLUSH_INTERVAL);
	for (uint32_t i = 0; i < n_lanes; i++) {
		struct lane *lane = &subject->lane[i];

		load_init(&lane->load, options, seed + i);
		lane->cpu = cpu[i];
		lane->feed = (struct feed){.load = &lane->load, .n_burst = BURST_MAX};
		feed_open(&lane->feed, subject->assembly.worker[i]);
	}
}

static void
close_subject(struct subject *subject)
{
	struct load_part sent = sent_by(subject);

	assembly_stop(&subject->assembly);
	assembly_check(&subject->assembly, "cores", &sent);
	assembly_check_output(&subject->assembly, "cores", SERIES);
	assembly_close(&subject->assembly);
	for (uint32_t i = 0; i < subject->n_lanes; i++)
		load_done(&subject->lane[i].load);
}

/* The first CPUs that this process may use. Returns how many. */
static uint32_t
find_cpus(int cpu[ASSEMBLY_WORKERS_MAX])
{
	uint32_t n = 0;
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return 0;
	for (int i = 0; i < CPU_SETSIZE && n < ASSEMBLY_WORKERS_MAX; i++)
		if (CPU_ISSET(i, &set))
			cpu[n++] = i;
	return n;
}

int
main(int argc, char **argv)
{
	static struct subject one, two;
	const struct load_options options = load_many("4 tags", SERIES, ROUNDS);
	struct measure measure;
	int cpu[ASSEMBLY_WORKERS_MAX];

	measure_init(&measure, 0.5, argc, argv);
	if (find_cpus(cpu) < 2) {
		printf("SKIP: there is one CPU only\n");
		return SKIPPED;
	}
	open_subject(&one, 1, cpu, &options, measure.seed);
	open_subject(&two, 2, cpu, &options, measure.seed);
	measure_compare(&measure, options.name, "lines", MEASURE_RATE,
		(const struct contestant[]){
			{"one worker", NULL, run_lanes, &one, mean_spent},
			{"two workers", NULL, run_lanes, &two, mean_spent},
		},
		2);
	close_subject(&one);
	close_subject(&two);
	return 0;
}
