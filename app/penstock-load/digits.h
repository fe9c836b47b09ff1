/* SPDX-License-Identifier: BSD-3-Clause */
/* hot: no malloc, no syscall, no log, no lock */
/* Text of numbers and pieces, appended at a pointer; each returns where the text ends. */
#ifndef PENSTOCK_LOAD_DIGITS_H
#define PENSTOCK_LOAD_DIGITS_H

#include <stdint.h>
#include <string.h>

#define DIGITS_MAX 20 /* of a uint64_t */

/* At least width digits, zeros in front; width is at most DIGITS_MAX. */
static inline char *
digits_write(char *at, uint64_t value, unsigned width)
{
	char reversed[DIGITS_MAX];
	unsigned n = 0;

	do {
		reversed[n++] = (char)('0' + value % 10);
		value /= 10;
	} while (value != 0);
	for (; width > n; width--)
		*at++ = '0';
	while (n > 0)
		*at++ = reversed[--n];
	return at;
}

static inline char *
digits_append(char *at, const char *text, size_t size)
{
	memcpy(at, text, size);
	return at + size;
}

#define digits_literal(at, text) digits_append((at), (text), sizeof(text) - 1)

#endif
