/* SPDX-License-Identifier: BSD-3-Clause */
#include "replayed.h"

#include "dsd/burst.h"
#include "measure.h"

#define CLOCK_EVERY 16 /* bursts between two looks at the clock */

/* At most n payloads, none beyond the end of the load. Returns how many. */
static uint32_t
take_burst(struct replayed *replayed, uint64_t n)
{
	const struct load *load = replayed->load;
	uint32_t first = (uint32_t)(replayed->n_payloads % load->n_payloads);
	uint32_t left = load->n_payloads - first, n_burst = BURST_MAX;

	if (n_burst > left)
		n_burst = left;
	if (n_burst > n)
		n_burst = (uint32_t)n;
	reference_take(replayed->reference, &load->payloads[first], n_burst);
	replayed->n_payloads += n_burst;
	return n_burst;
}

uint64_t
replayed_run(struct replayed *replayed, uint64_t duration, uint64_t n)
{
	uint64_t until = measure_now() + duration, before = replayed->n_payloads;

	do {
		for (unsigned i = 0; i < CLOCK_EVERY && n > 0; i++)
			n -= take_burst(replayed, n);
	} while (n > 0 && measure_now() < until);
	return load_sent(replayed->load, replayed->n_payloads).n_lines -
		load_sent(replayed->load, before).n_lines;
}

void
replayed_check(const struct replayed *replayed)
{
	const struct load *load = replayed->load;
	struct load_part taken = load_sent(load, replayed->n_payloads);
	uint64_t n_lines;
	double sum;
	uint32_t n_series = reference_total(replayed->reference, &n_lines, &sum);

	if (n_series != load->options->n_series || n_lines != taken.n_lines || sum != taken.sum)
		measure_fail("%s: the reference did not do its work", load->options->name);
}
