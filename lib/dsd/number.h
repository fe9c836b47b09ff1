/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers as Go's strconv.ParseFloat(s, 64) reads them: decimal and hexadecimal floats, inf and
 * nan spellings in any case, underscores between digits, whole text or nothing; rounded to nearest
 * even at any length, out of range is an error, underflow is 0. No locale, no NUL needed.
 */
#ifndef DSD_NUMBER_H
#define DSD_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

/* False when text is not a number; *ret_value is untouched then. */
bool number_parse(struct span text, double *ret_value);

/* As Go's strconv.ParseInt(s, 10, 64). */
bool number_parse_int(struct span text, int64_t *ret_value);

#endif
