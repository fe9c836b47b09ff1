/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure.h"

#include <assert.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <time.h>

#include "base/clock.h"
#include "random.h"

#define CONTESTANTS_MAX 4
#define INTERVAL_SEED 1 /* the same figures give the same interval */

uint64_t
measure_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

void
measure_fail(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(EXIT_FAILURE);
}

static _Noreturn void
show_usage(const char *program)
{
	fprintf(stderr,
		"Usage: %s [--repeats N] [--seconds S] [--seed N] [--only LOAD] [--json]\n"
		"  --repeats N  turns of each contestant, 1 to %d (10)\n"
		"  --seconds S  length of a turn\n"
		"  --seed N     of the load (from the clock)\n"
		"  --only LOAD  one load, as \"4 tags\"\n"
		"  --json       one object a line\n",
		program, MEASURE_REPEATS_MAX);
	exit(EX_USAGE);
}

void
measure_init(struct measure *measure, double seconds, int argc, char **argv)
{
	static const struct option options[] = {
		{"repeats", required_argument, NULL, 'r'},
		{"seconds", required_argument, NULL, 's'},
		{"seed", required_argument, NULL, 'e'},
		{"only", required_argument, NULL, 'o'},
		{"json", no_argument, NULL, 'j'},
		{0},
	};
	int option;

	*measure = (struct measure){.repeats = 10, .seed = (uint64_t)clock_wall(&clock_system)};
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'r')
			measure->repeats = (unsigned)strtoul(optarg, NULL, 10);
		else if (option == 's')
			seconds = strtod(optarg, NULL);
		else if (option == 'e')
			measure->seed = strtoull(optarg, NULL, 10);
		else if (option == 'o')
			measure->only = optarg;
		else if (option == 'j')
			measure->json = true;
		else
			show_usage(argv[0]);
	}
	if (optind != argc || measure->repeats < 1 || measure->repeats > MEASURE_REPEATS_MAX ||
		!(seconds > 0 && seconds <= 60))
		show_usage(argv[0]);
	measure->duration = (uint64_t)(seconds * (double)NS_PER_S);
}

bool
measure_wants(const struct measure *measure, const char *load)
{
	return measure->only == NULL || strcmp(measure->only, load) == 0;
}

static int
compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double
measure_median(double *values, unsigned n)
{
	qsort(values, n, sizeof(*values), compare_doubles);
	return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

void
measure_interval(const double *values, unsigned n, uint64_t seed, double *ret_low, double *ret_high)
{
	static double medians[MEASURE_RESAMPLES];
	double sample[MEASURE_REPEATS_MAX];

	for (unsigned i = 0; i < MEASURE_RESAMPLES; i++) {
		for (unsigned k = 0; k < n; k++)
			sample[k] = values[random_below(&seed, n)];
		medians[i] = measure_median(sample, n);
	}
	qsort(medians, MEASURE_RESAMPLES, sizeof(*medians), compare_doubles);
	*ret_low = medians[MEASURE_RESAMPLES * 25 / 1000];
	*ret_high = medians[MEASURE_RESAMPLES * 975 / 1000 - 1];
}

static double
take_turn(const struct contestant *contestant, uint64_t duration, enum measure_unit unit)
{
	uint64_t start, spent, work;

	if (contestant->prepare != NULL)
		contestant->prepare(contestant->context);
	start = measure_now();
	work = contestant->run(contestant->context, duration);
	spent = measure_now() - start;
	if (contestant->spent != NULL)
		spent = contestant->spent(contestant->context);
	if (work == 0 || spent == 0)
		measure_fail("%s: did nothing", contestant->name);
	return unit == MEASURE_RATE ? (double)work * 1e3 / (double)spent
				    : (double)spent / (double)work;
}

struct comparison {
	const char *what; /* the load */
	char of[32]; /* unit */
	enum measure_unit unit;
	const char *name[2];
	double *figures[2]; /* in the order of their turns */
};

static void
print_row(const struct measure *measure, const struct comparison *c, const double result[3])
{
	const char *form = measure->json
		? "{\"load\": \"%s\", \"unit\": \"%s\", \"reference\": \"%s\", "
		  "\"reference_median\": %.4g, \"contestant\": \"%s\", \"median\": %.4g, "
		  "\"%s\": %.4g, \"low\": %.4g, \"high\": %.4g, \"note\": \"%s\", "
		  "\"repeats\": %u, \"seed\": %" PRIu64 "}\n"
		: "%-16s %-12s  %s %.4g  %s %.4g  %s %.3g [%.3g, %.3g] %s\n";

	printf(form, c->what, c->of, c->name[0], measure_median(c->figures[0], measure->repeats),
		c->name[1], measure_median(c->figures[1], measure->repeats),
		c->unit == MEASURE_EXCESS ? "excess" : "ratio", result[0], result[1], result[2],
		measure->note != NULL ? measure->note : "", measure->repeats, measure->seed);
	fflush(stdout);
}

static void
print_comparison(const struct measure *measure, const struct comparison *c)
{
	double results[MEASURE_REPEATS_MAX], low, high;

	for (unsigned i = 0; i < measure->repeats; i++)
		results[i] = c->unit == MEASURE_EXCESS ? c->figures[1][i] - c->figures[0][i]
						       : c->figures[1][i] / c->figures[0][i];
	measure_interval(results, measure->repeats, INTERVAL_SEED, &low, &high);
	print_row(measure, c,
		(const double[]){measure_median(results, measure->repeats), low, high});
}

void
measure_compare(const struct measure *measure, const char *what, const char *of,
	enum measure_unit unit, const struct contestant *contestants, unsigned n)
{
	static double figures[CONTESTANTS_MAX][MEASURE_REPEATS_MAX];
	double reference[MEASURE_REPEATS_MAX];
	struct comparison comparison = {.what = what, .unit = unit};

	assert(n <= CONTESTANTS_MAX);
	for (unsigned i = 0; i < n; i++)
		take_turn(&contestants[i], measure->duration, unit); /* warms up */
	for (unsigned turn = 0; turn < measure->repeats; turn++)
		for (unsigned i = 0; i < n; i++) {
			unsigned who = (turn + i) % n; /* nobody is always the first */

			figures[who][turn] = take_turn(&contestants[who], measure->duration, unit);
		}
	snprintf(comparison.of, sizeof(comparison.of), unit == MEASURE_RATE ? "M %s/s" : "ns/%s",
		of);
	for (unsigned i = 1; i < n; i++) {
		memcpy(reference, figures[0], sizeof(reference)); /* a median sorts */
		comparison.name[0] = contestants[0].name;
		comparison.name[1] = contestants[i].name;
		comparison.figures[0] = reference;
		comparison.figures[1] = figures[i];
		print_comparison(measure, &comparison);
	}
}
