/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockd/daemon.c" /* first: cmocka has a macro of the name of one of its functions */

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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_planned_worker_has_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
