/* SPDX-License-Identifier: BSD-3-Clause */
/* The configuration that the command line names: at the start, and again at each reload. */
#ifndef PENSTOCKD_LOAD_H
#define PENSTOCKD_LOAD_H

#include "penstockd/arguments.h"
#include "penstockd/options.h"

/* Reads the file (or the embedded default), this process's environment and the EAL arguments, and
 * logs the warnings. 0, or -errno with error filled and ret_options untouched. */
int load_options(const struct arguments *arguments, struct options *ret_options,
	struct conf_error *error);

#endif
