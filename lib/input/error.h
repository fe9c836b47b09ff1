/* SPDX-License-Identifier: BSD-3-Clause */
/* Why an input could not be opened. A header of its own, without counters: a file that includes
 * <sys/stat.h> cannot see enum counter as well, C has one name space for tags. */
#ifndef INPUT_ERROR_H
#define INPUT_ERROR_H

#include "base/compiler.h"

/* Words that name what, where and the way out. */
struct input_error {
	char text[512];
};

/* Fills error->text; returns error_number negated, so that an open can return it. */
int input_fail(struct input_error *error, int error_number, const char *format, ...)
	printf_like(3, 4);

#endif
