/* SPDX-License-Identifier: BSD-3-Clause */
/* The variables that override the Agent's keys: DD_ and the key in upper case. */
#ifndef PENSTOCKD_ENVIRONMENT_H
#define PENSTOCKD_ENVIRONMENT_H

#include "penstockd/options.h"

#define ENVIRONMENT_NAME_SIZE 128

/* Writes "DD_DOGSTATSD_PORT" for "dogstatsd_port". */
void environment_variable(const char *key, char variable[ENVIRONMENT_NAME_SIZE]);

/* The value of a variable, or NULL when it is not set or empty. environment ends in NULL. */
const char *environment_value(const char *const *environment, const char *name);

/* Sets what the variables give; source->file is not used. 0, or -EINVAL or -ENOMEM with the error
 * filled, which then names the variable. */
int environment_read(const char *const *environment, struct options *options,
	const struct setting_source *source);

#endif
