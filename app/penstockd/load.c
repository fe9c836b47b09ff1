/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockd/load.h"

#include <unistd.h>

#include "base/log.h"

static void
log_warnings(const struct warnings *warnings)
{
	char text[1024];

	for (size_t i = 0; i < warnings->n; i++) {
		conf_error_text(&warnings->item[i], text, sizeof(text));
		log_warning("%s", text);
	}
	if (warnings->n_omitted != 0)
		log_warning("and %zu more warnings", warnings->n_omitted);
}

int
load_options(const struct arguments *arguments, struct options *ret_options,
	struct conf_error *error)
{
	struct warnings warnings = {0};
	struct options options = {0};
	int status = options_load(arguments->file, (const char *const *)environ, &options,
		&warnings, error);

	log_warnings(&warnings);
	warnings_free(&warnings);
	for (size_t i = 0; status == 0 && i < arguments->n_eal; i++)
		status = options_add_eal(&options, arguments->eal[i], error);
	if (status != 0) {
		options_free(&options);
		return status;
	}
	*ret_options = options;
	return 0;
}
