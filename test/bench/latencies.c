/* SPDX-License-Identifier: BSD-3-Clause */
#include "latencies.h"

#include <math.h>

#include "measure.h"
#include "random.h"

#define LN_GAMMA 0.015504186535965254 /* log1p(1.0 / 64) */
#define BIAS 1338

void
latencies_init(struct latencies *latencies, uint64_t seed)
{
	*latencies = (struct latencies){0};
	for (unsigned i = 0; i < LATENCIES; i++)
		latencies->values[i] =
			0.1 * pow(10, 5 * (double)random_below(&seed, 1 << 30) / (1 << 30));
}

uint64_t
latencies_run(void *context, uint64_t duration)
{
	struct latencies *latencies = context;
	uint64_t until = measure_now() + duration, n = latencies->n;

	do {
		for (unsigned i = 0; i < LATENCIES; i++)
			latencies->dense[lrint(log(latencies->values[i]) / LN_GAMMA) + BIAS]++;
		latencies->n += LATENCIES;
	} while (measure_now() < until);
	return latencies->n - n;
}

void
latencies_check(const struct latencies *latencies)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < LATENCY_KEYS; i++)
		n += latencies->dense[i];
	if (n != latencies->n)
		measure_fail("the reference did not count every value");
}
