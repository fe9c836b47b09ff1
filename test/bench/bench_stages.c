/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Known lines in memory, for a simulator that counts instructions (scripts/bench-stages): only what
 * happens inside of run_measured is to be counted. Says how many lines that were.
 */
#include <stdio.h>

#include "assembly.h"
#include "base/compiler.h"
#include "feed.h"
#include "measure.h"

#define WARM_PASSES 2 /* over the load */
#define NO_FLUSH 86400 /* s */

void run_measured(struct feed *feed);

__attribute__((noinline)) void
run_measured(struct feed *feed)
{
	feed_run(feed, UINT32_MAX * (uint64_t)1000, feed->load->n_payloads);
}

static void
run(const struct measure *measure, const struct load_options *options)
{
	struct assembly assembly;
	struct feed feed = {.n_burst = BURST_MAX};
	struct load load;
	struct load_part sent;

	load_init(&load, options, measure->seed);
	feed.load = &load;
	assembly_open(&assembly, 1, NULL, NO_FLUSH);
	feed_open(&feed, assembly.worker[0]);
	feed_run(&feed, UINT32_MAX * (uint64_t)1000, WARM_PASSES * (uint64_t)load.n_payloads);
	run_measured(&feed);
	sent = load_sent(&load, feed.n_payloads);
	assembly_check(&assembly, options->name, &sent);
	printf("{\"load\": \"%s\", \"lines\": %llu}\n", options->name,
		(unsigned long long)load.total.n_lines);
	assembly_stop(&assembly);
	assembly_close(&assembly);
	load_done(&load);
}

int
main(int argc, char **argv)
{
	const struct load_options many = load_many("100k contexts", 100000, 1);
	struct measure measure;

	measure_init(&measure, 1, argc, argv);
	for (const struct load_options *options = load_table; options->name != NULL; options++)
		if (measure_wants(&measure, options->name))
			run(&measure, options);
	if (measure_wants(&measure, many.name))
		run(&measure, &many);
	return 0;
}
