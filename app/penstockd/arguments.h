/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of penstockd. */
#ifndef PENSTOCKD_ARGUMENTS_H
#define PENSTOCKD_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct arguments {
	const char *file; /* NULL: the embedded default */
	bool check, print_config, print_settings, version, help;
	const char *const *eal; /* behind "--", in argv */
	size_t n_eal;
};

/* 0, or -EINVAL with one sentence in why (an exit code of 64). */
int arguments_parse(int argc, const char *const *argv, struct arguments *ret_arguments, char *why,
	size_t why_size);

void arguments_print_usage(FILE *out);

#endif
