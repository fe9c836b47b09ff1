/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares ways to do the same work in one thread of one run. They take turns, so that a noisy
 * neighbour meets all of them, and only the ratio within a turn is judged. Time is the CPU time of
 * the measuring thread.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#define MEASURE_REPEATS_MAX 1000
#define MEASURE_RESAMPLES 10000

struct measure {
	unsigned repeats; /* turns of each contestant */
	uint64_t duration; /* ns of one turn, about */
	uint64_t seed; /* of the load: another one in each run unless it is given */
	bool json; /* an object a line instead of text */
	const char *only; /* the one load to run, or NULL: all */
	const char *note; /* printed beside the figures, read after the last turn; NULL: none */
};

enum measure_unit {
	MEASURE_RATE, /* millions of units of work per second: more is better */
	MEASURE_COST, /* ns per unit of work: less is better */
	MEASURE_EXCESS, /* the same, compared by the difference instead of the ratio */
};

struct contestant {
	const char *name;
	void (*prepare)(void *context); /* before each turn, not timed; NULL: nothing to do */
	/* Works for about so many ns; returns how many units of work it did. */
	uint64_t (*run)(void *context, uint64_t duration);
	void *context;
	/* ns that the work of the last turn took; NULL: the CPU time of this thread in run. */
	uint64_t (*spent)(void *context);
};

/* Reads --repeats, --seconds (of a turn), --seed, --only and --json; ends the program when they are
 * wrong. seconds: what a turn takes by default. */
void measure_init(struct measure *measure, double seconds, int argc, char **argv);

/* Runs all turns and prints a line for each contestant but the first, which they are compared
 * with. what: the load; of: the unit of work. */
void measure_compare(const struct measure *measure, const char *what, const char *of,
	enum measure_unit unit, const struct contestant *contestants, unsigned n);

/* Whether the load is to be run. */
bool measure_wants(const struct measure *measure, const char *load);

/* ns of CPU time of this thread. */
uint64_t measure_now(void);

/* Ends the program, since its figures would mean nothing. */
_Noreturn void measure_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Sorts the values. n is at least 1. */
double measure_median(double *values, unsigned n);

/* The 95 % interval of their median by bootstrap, percentile method: MEASURE_RESAMPLES times, n of
 * the values are drawn with replacement. */
void measure_interval(const double *values, unsigned n, uint64_t seed, double *ret_low,
	double *ret_high);

#endif
