/* SPDX-License-Identifier: BSD-3-Clause */
/* The reference loop on a load in memory. */
#ifndef BENCH_REPLAYED_H
#define BENCH_REPLAYED_H

#include "load.h"
#include "reference.h"

struct replayed {
	const struct load *load;
	struct reference *reference;
	uint64_t n_payloads; /* taken, in all turns */
};

/* Takes bursts until so many ns of CPU time are over, or n payloads are taken. Returns the lines.
 */
uint64_t replayed_run(struct replayed *replayed, uint64_t duration, uint64_t n);

/* The sums are those of plain counters that were taken. Ends the program when they are not. */
void replayed_check(const struct replayed *replayed);

#endif
