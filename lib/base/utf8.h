/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Valid UTF-8 (RFC 3629, Unicode 15 table 3-7). Each ill-formed sequence, taken as the maximal
 * subpart that Unicode section 3.9 recommends, becomes one U+FFFD.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>

#include "base/span.h"

bool utf8_is_valid(struct span text);

/* Writes the repaired text; out needs room for 3 * text.size bytes. Returns the size written. */
size_t utf8_repair(struct span text, uint8_t *out);

#endif
