/* SPDX-License-Identifier: BSD-3-Clause */
/* Why something could not be done, for people: what, where and the way out, in a sentence. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "base/compiler.h"

struct error {
	char text[768];
};

/* Fills error->text; returns error_number negated, so that a caller can return it. */
int error_fill(struct error *error, int error_number, const char *format, ...) printf_like(3, 4);

#endif
