/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of every setting of penstockd. */
#ifndef PENSTOCKD_SETTINGS_H
#define PENSTOCKD_SETTINGS_H

#include <stdio.h>

#include "conf/setting.h"

#define SETTINGS_OUTPUT_PATH "/var/lib/penstock/metrics.ndjson"
#define SETTINGS_ADMIN_SOCKET "/run/penstock/admin.sock"
#define SETTINGS_AGENT_SOCKET "/var/run/datadog/dsd.socket"

/* The top level of the file, for struct options. */
extern const struct setting_table settings_table;

/* The percent that a text such as "0.95" stands for, as the Agent rounds it; -1 when it is not a
 * number from 0 to 1. */
int settings_percent(const char *text);

/* All rows, one a line, columns separated by tabs: what doc/configuration.md is made from. */
void settings_print_rows(FILE *out);

#endif
