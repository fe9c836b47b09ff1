/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <unistd.h>

#include "base/log.h"
#include "penstockd/arguments.h"
#include "penstockd/options.h"
#include "penstockd/plan.h"
#include "penstockd/settings.h"

#define EXIT_USAGE 64

static void
log_conf(void (*log)(const char *format, ...), const struct conf_error *error)
{
	char text[1024];

	conf_error_text(error, text, sizeof(text));
	log("%s", text);
}

static int
load_options(const struct arguments *arguments, struct options *options)
{
	struct warnings warnings = {0};
	struct conf_error error;
	int result = options_load(arguments->file, (const char *const *)environ, options, &warnings,
		&error);

	for (size_t i = 0; i < warnings.n; i++)
		log_conf(log_warning, &warnings.item[i]);
	if (warnings.n_omitted != 0)
		log_warning("and %zu more warnings", warnings.n_omitted);
	warnings_free(&warnings);
	for (size_t i = 0; result == 0 && i < arguments->n_eal; i++)
		result = options_add_eal(options, arguments->eal[i], &error);
	if (result != 0)
		log_conf(log_error, &error);
	return result;
}

static int
show_plan(const struct options *options)
{
	struct plan_error error;
	struct plan plan;

	if (plan_make(options, &plan, &error) != 0) {
		log_error("%s", error.text);
		return error.exit_code;
	}
	plan_print(&plan, stdout);
	plan_free(&plan);
	return 0;
}

int
main(int argc, char **argv)
{
	struct options options = {0};
	struct arguments arguments;
	int exit_code = 0;
	char why[256];

	if (arguments_parse(argc, (const char *const *)argv, &arguments, why, sizeof(why)) != 0) {
		fprintf(stderr, "penstockd: %s\n", why);
		arguments_print_usage(stderr);
		return EXIT_USAGE;
	}
	if (arguments.help) {
		arguments_print_usage(stdout);
		return 0;
	}
	if (arguments.version) {
		puts("penstockd " PENSTOCK_VERSION);
		return 0;
	}
	if (arguments.print_settings) {
		settings_print_rows(stdout);
		return 0;
	}
	if (load_options(&arguments, &options) != 0) {
		options_free(&options);
		return PLAN_EXIT_CONFIGURATION;
	}
	if (arguments.print_config)
		options_print(&options, stdout);
	else
		exit_code = show_plan(&options);
	options_free(&options);
	return exit_code;
}
