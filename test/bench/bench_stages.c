/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Known lines in memory, for a simulator that counts instructions (scripts/bench-stages): only what
 * happens inside of run_measured is to be counted. Says how many lines that were.
 */
#include <stdio.h>

#include "base/compiler.h"
#include "feed.h"
#include "intake.h"
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
	struct intake intake;
	struct feed feed = {.n_burst = BURST_MAX};
	struct load load;
	struct load_part sent;

	load_init(&load, options, measure->seed);
	feed.load = &load;
	intake_open(&intake, 1, NULL, NO_FLUSH);
	feed_open(&feed, intake.worker[0]);
	feed_run(&feed, UINT32_MAX * (uint64_t)1000, WARM_PASSES * (uint64_t)load.n_payloads);
	run_measured(&feed);
	sent = load_sent(&load, feed.n_payloads);
	intake_check(&intake, options->name, &sent);
	printf("{\"load\": \"%s\", \"lines\": %llu}\n", options->name,
		(unsigned long long)load.total.n_lines);
	intake_stop(&intake);
	intake_close(&intake);
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
