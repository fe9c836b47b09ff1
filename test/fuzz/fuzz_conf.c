/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a configuration file: either an error that names a place in the file, or options
 * that print to a file which reads back to the same, and from which a plan is made or refused.
 */
#include <stdio.h>
#include <stdlib.h>

#include "penstockd/plan.h"

#define REQUIRE(condition) \
	do { \
		if (!(condition)) \
			abort(); \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const no_variables[] = {NULL};

static uint32_t
count_lines(struct span text)
{
	uint32_t n = 1;

	/* YAML 1.1 also ends a line at CR, NEL, LS and PS: each byte of them counts here. */
	for (size_t i = 0; i < text.size; i++)
		n += text.data[i] == '\n' || text.data[i] == '\r' || text.data[i] >= 0x80;
	return n;
}

static int
parse(struct span text, struct options *options, size_t *ret_warnings)
{
	struct warnings warnings = {0};
	struct conf_error error = {0};
	int result = options_parse(text, "fuzz", no_variables, options, &warnings, &error);

	if (result != 0) {
		REQUIRE(error.text[0] != '\0' && error.file[0] != '\0');
		REQUIRE(error.line <= count_lines(text) + 1);
		REQUIRE(options->hostname == NULL);
	}
	*ret_warnings = warnings.n;
	warnings_free(&warnings);
	return result;
}

static char *
print(const struct options *options)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	REQUIRE(out != NULL);
	options_print(options, out);
	fclose(out);
	return text;
}

static void
check_plan(const struct options *options)
{
	static struct machine machine = {.sys = "/nonexistent", .cpu = {0, 1, 5}, .n_cpus = 3};
	struct plan_error error = {0};
	uint32_t n_shares = 0, n_inputs = 0;
	struct plan plan;

	if (plan_make_on(options, &machine, &plan, &error) != 0) {
		REQUIRE(error.text[0] != '\0');
		REQUIRE(error.exit_code == PLAN_EXIT_CONFIGURATION ||
			error.exit_code == PLAN_EXIT_RESOURCE);
		return;
	}
	for (uint32_t i = 0; i < plan.n_ports; i++) {
		const struct port_spec *spec = &plan.ports[i].spec;

		n_shares += spec->shares > spec->queues ? spec->shares : spec->queues;
	}
	for (uint32_t i = 0; i < plan.n_workers; i++) {
		REQUIRE(machine_has_cpu(&machine, plan.workers[i].cpu));
		n_inputs += plan.workers[i].n_inputs;
	}
	/* Each socket, queue, and share that is steered is one worker's. */
	REQUIRE(n_inputs == n_shares + plan.n_listeners - plan.n_ports);
	plan_free(&plan);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct options first = {0}, second = {0};
	char *once, *twice;
	size_t n_warnings;

	if (parse(span_of(data, size), &first, &n_warnings) != 0)
		return 0;
	REQUIRE(first.outputs.n > 0);
	once = print(&first);
	REQUIRE(parse(span_from_string(once), &second, &n_warnings) == 0);
	REQUIRE(n_warnings == 0);
	twice = print(&second);
	REQUIRE(strcmp(once, twice) == 0);
	check_plan(&first);
	free(once);
	free(twice);
	options_free(&first);
	options_free(&second);
	return 0;
}
