/* SPDX-License-Identifier: BSD-3-Clause */
/* What a configuration said that has no effect: a list that the program prints and goes on. */
#ifndef CONF_WARNINGS_H
#define CONF_WARNINGS_H

#include "conf/conf.h"

#define WARNINGS_MAX 64 /* kept; more are only counted */

struct warnings {
	struct conf_error *item;
	size_t n;
	size_t n_omitted;
};

/* Without memory the warning is counted in n_omitted. */
void warnings_add(struct warnings *warnings, const char *file, uint32_t line, uint32_t column,
	const char *format, ...) printf_like(5, 6);

void warnings_free(struct warnings *warnings);

#endif
