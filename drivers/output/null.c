/* SPDX-License-Identifier: BSD-3-Clause */
/* Takes everything and keeps nothing: for benchmarks. */
#include "output/driver.h"

static int
open_null(const struct output_spec *spec, void **ret_state, struct error *error)
{
	*ret_state = NULL;
	return 0;
}

static void
write_null(void *state, const struct flush *flush, int stop_fd, struct output_result *result)
{
	result->delivered = flush->n_points + flush->n_events + flush->n_checks;
}

static void
close_null(void *state)
{
}

const struct output_ops output_ops_null = {
	.type = "null",
	.open = open_null,
	.write = write_null,
	.close = close_null,
};
