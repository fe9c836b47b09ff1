/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings as a file. */
#ifndef PENSTOCKD_SETTING_PRINT_H
#define PENSTOCKD_SETTING_PRINT_H

#include <stdio.h>

#include "conf/setting.h"

/* Writes all settings as YAML that setting_read reads back to the same values. */
void setting_print(const struct setting_table *table, const void *target, FILE *out);

/* One setting's value (not an object's) as it stands in that file, to be freed; NULL without
 * memory. field: where it is kept. */
char *setting_value_text(const struct setting *row, const void *field);

#endif
