/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One value into a sketch that is in cache. The reference does what cannot be left out: the key by
 * log() and one counter of a dense array; no bins that collapse, no sum, minimum or maximum.
 */
#include <math.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "measure.h"
#include "random.h"
#include "sketch/ddsketch.h"

#define VALUES 65536 /* too many for a branch predictor to learn */
#define INSERTS_PER_SKETCH (16 * VALUES) /* then it starts anew, as buckets do */

#define LN_GAMMA 0.015504186535965254 /* log1p(1.0 / 64) */
#define BIAS 1338
#define KEYS 4096

struct subject {
	double *values;
	uint64_t n; /* inserted, in all turns */
	uint64_t counted; /* as the sketches say */

	uint64_t dense[KEYS];
	struct arena arena;
	struct ddsketch sketch;
};

/* Latencies in ms: log-uniform from 0.1 to 10,000. */
static double *
make_values(uint64_t seed)
{
	double *values = malloc(VALUES * sizeof(*values));

	if (values == NULL)
		measure_fail("no memory for the values");
	for (unsigned i = 0; i < VALUES; i++)
		values[i] = 0.1 * pow(10, 5 * (double)random_below(&seed, 1 << 30) / (1 << 30));
	return values;
}

static uint64_t
run_reference(void *context, uint64_t duration)
{
	struct subject *subject = context;
	uint64_t until = measure_now() + duration, n = subject->n;

	do {
		for (unsigned i = 0; i < VALUES; i++)
			subject->dense[lrint(log(subject->values[i]) / LN_GAMMA) + BIAS]++;
		subject->n += VALUES;
	} while (measure_now() < until);
	return subject->n - n;
}

static void
start_anew(struct subject *subject)
{
	if (ddsketch_settle(&subject->sketch, &subject->arena) != 0)
		measure_fail("no memory for the sketch");
	for (uint32_t i = 0; i < subject->sketch.n_bins; i++)
		subject->counted += subject->sketch.bins[i].n;
	subject->sketch = (struct ddsketch){0};
	arena_reset(&subject->arena);
}

static uint64_t
run_insert(void *context, uint64_t duration)
{
	struct subject *subject = context;
	uint64_t until = measure_now() + duration, n = subject->n;

	do {
		for (unsigned i = 0; i < VALUES; i++)
			if (ddsketch_insert(&subject->sketch, &subject->arena, subject->values[i],
				    1) != 0)
				measure_fail("no memory for the sketch");
		subject->n += VALUES;
		if (subject->n % INSERTS_PER_SKETCH == 0)
			start_anew(subject);
	} while (measure_now() < until);
	return subject->n - n;
}

int
main(int argc, char **argv)
{
	static struct subject reference, insert;
	struct measure measure;

	measure_init(&measure, 0.2, argc, argv);
	reference.values = insert.values = make_values(measure.seed);
	arena_init(&insert.arena, NULL);
	measure_compare(&measure, "hot sketch", "insert", MEASURE_COST,
		(const struct contestant[]){
			{"log and count", NULL, run_reference, &reference, NULL},
			{"ddsketch_insert", NULL, run_insert, &insert, NULL},
		},
		2);
	start_anew(&insert);
	for (unsigned i = 0; i < KEYS; i++)
		reference.counted += reference.dense[i];
	if (reference.counted != reference.n || insert.counted != insert.n)
		measure_fail("not every value was counted");
	free(insert.values);
	return 0;
}
