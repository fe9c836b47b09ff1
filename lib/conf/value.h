/* SPDX-License-Identifier: BSD-3-Clause */
/* One value: from its text to the type of its field, and back. */
#ifndef CONF_VALUE_H
#define CONF_VALUE_H

#include "conf/setting.h"

/* What the row expects, in words: "a whole number from 1 to 3600". */
void value_expected(const struct setting *row, char *text, size_t size);

/* Reads the text of a scalar (not SETTING_STRINGS, not an object) into the field; an old string
 * there is freed. 0, -ENOMEM, or -EINVAL with the reason in why; the field is untouched then. */
int value_read(const struct setting *row, const char *text, void *field,
	char why[SETTING_WHY_SIZE]);

/* Writes a size with the largest unit that leaves a whole number: "256MiB". */
void value_size_text(uint64_t size, char *text, size_t room);

#endif
