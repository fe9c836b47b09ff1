/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of outputs is tested with outputs that take their time, so they are the test's own. */
#define output_counts test_output_counts
#define output_drain test_output_drain
#define output_halt test_output_halt
#define output_stop test_output_stop
#include "penstockd/daemon.c" /* before cmocka, which has a macro named like one of its functions */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define MANY 100 /* workers; more than a plan can have listeners */

static const char *no_variables[] = {NULL};

static void
load(struct options *options)
{
	struct warnings warnings = {0};
	struct conf_error error;

	assert_int_equal(options_parse(SPAN_LITERAL("penstock: {outputs: [{type: null}]}\n"),
				 "d.yaml", no_variables, options, &warnings, &error),
		0);
	warnings_free(&warnings);
}

static void
every_planned_worker_has_room(void **state)
{
	struct plan_worker *planned = calloc(MANY, sizeof(*planned));
	struct daemon *d = calloc(1, sizeof(*d));
	struct plan plan = {.workers = planned, .n_workers = MANY, .payload_max = 64};
	struct plan_error error;
	struct options options;

	(void)state;
	assert_non_null(planned);
	assert_non_null(d);
	load(&options);
	plan.options = d->options = &options;
	d->plan = &plan;
	for (unsigned i = 0; i < MANY; i++)
		snprintf(planned[i].name, sizeof(planned[i].name), "worker%u", i);
	assert_int_equal(init_shards(d), 0);
	assert_int_equal(open_workers(d, &error), 0);
	assert_int_equal(d->n_workers, MANY);
	for (unsigned i = 0; i < MANY; i++)
		assert_string_equal(d->worker[i]->name, planned[i].name);

	for (unsigned i = 0; i < MANY; i++)
		worker_free(d->worker[i]);
	free(d->extra_tags);
	free(d->worker);
	free(d);
	free(planned);
	options_free(&options);
}

#define N_OUTPUTS 3
#define TAKES_MS 100 /* of each output, to empty its queue */

static int allowed_ms[N_OUTPUTS];
static unsigned n_halted, n_stopped;

bool
test_output_drain(struct output *output, int timeout)
{
	const struct timespec nap = {.tv_nsec = TAKES_MS * NS_PER_MS};

	allowed_ms[(uintptr_t)output - 1] = timeout;
	nanosleep(&nap, NULL);
	return true;
}

void
test_output_halt(struct output *output)
{
	(void)output;
	n_halted++;
}

void
test_output_counts(struct output *output, struct output_counts *ret_counts)
{
	(void)output;
	*ret_counts = (struct output_counts){0};
}

void
test_output_stop(struct output *output)
{
	(void)output;
	assert_int_equal(n_halted, N_OUTPUTS);
	n_stopped++;
}

static void
outputs_end_together(void **state)
{
	struct output *outputs[N_OUTPUTS];
	struct daemon d = {.outputs = outputs, .n_outputs = N_OUTPUTS};

	(void)state;
	for (uintptr_t i = 0; i < N_OUTPUTS; i++)
		outputs[i] = (struct output *)(i + 1);
	stop_outputs(&d, clock_monotonic(&clock_system) + NS_PER_S);
	for (int i = 0; i < N_OUTPUTS; i++)
		assert_in_range(allowed_ms[i], 0, 1000 - i * TAKES_MS);
	assert_int_equal(n_stopped, N_OUTPUTS);
}

/* More workers than one reply has room for; the last line of all is the first worker's. */
static void
rejects_are_the_newest_of_all_workers(void **state)
{
	static struct worker workers[6];
	static struct reject out[2 * REJECTS_KEPT];
	struct worker *list[ARRAY_LENGTH(workers)];
	struct daemon d = {.worker = list, .n_workers = ARRAY_LENGTH(workers)};
	int64_t time = 0, oldest = INT64_MAX;

	(void)state;
	for (uint32_t i = d.n_workers; i-- > 0;) {
		list[i] = &workers[i];
		for (unsigned n = 0; n < REJECTS_KEPT; n++)
			rejects_add(&workers[i].rejects, STAT_lines_rejected_no_pipe, 0, ++time,
				SPAN_LITERAL("x"));
	}
	/* In turns, so that every worker has some of the newest. */
	for (unsigned n = 0; n < 60; n++)
		rejects_add(&workers[n % d.n_workers].rejects, STAT_lines_rejected_no_pipe, 0,
			++time, SPAN_LITERAL("y"));
	assert_int_equal(source_rejects(&d, out, ARRAY_LENGTH(out)), ARRAY_LENGTH(out));
	for (size_t i = 0; i < ARRAY_LENGTH(out); i++)
		if (out[i].time < oldest)
			oldest = out[i].time;
	/* 60 in turns; before them the first worker's 64, of which 54 are still kept, then the
	 * second's last 14. */
	assert_int_equal(oldest, 5 * REJECTS_KEPT - 13);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_planned_worker_has_room),
		cmocka_unit_test(outputs_end_together),
		cmocka_unit_test(rejects_are_the_newest_of_all_workers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
