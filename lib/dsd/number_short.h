/* SPDX-License-Identifier: BSD-3-Clause */
/* hot: no malloc, no syscall, no log, no lock */
/*
 * The numbers that most lines carry: up to 16 characters of at most 15 digits, with at most one
 * leading '-' and at most one '.'. All others are left to number_parse, which gives the same value
 * for these.
 *
 * Eight digits are turned into an integer by three multiplications on one word (SWAR). An integer
 * below 10^15 divided by a power of ten up to 10^15 is rounded once, so the result is exact.
 */
#ifndef DSD_NUMBER_SHORT_H
#define DSD_NUMBER_SHORT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

#define NUMBER_SHORT_MAX 16 /* characters; so many bytes are read, whatever the size */
#define NUMBER_SHORT_DIGITS 15
#define NUMBER_ZEROS UINT64_C(0x3030303030303030) /* "00000000" */

/* Any of the eight bytes above 9. A carry only comes out of a byte whose top bit tells already. */
static inline bool
number_has_other(uint64_t digits)
{
	return (((digits + UINT64_C(0x7676767676767676)) | digits) &
		       UINT64_C(0x8080808080808080)) != 0;
}

/* Bytes 0 to 9, the most significant digit in the lowest byte. */
static inline uint64_t
number_join(uint64_t digits)
{
	digits = digits * 10 + (digits >> 8);
	return ((digits & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064) +
		       (digits >> 16 & UINT64_C(0x000000ff000000ff)) *
			       UINT64_C(0x0000271000000001)) >>
		32;
}

/* The first n characters (1 to 8) of word as an integer; false when one is no digit. */
static inline bool
number_digits(uint64_t word, uint32_t n, uint64_t *ret_integer)
{
	uint32_t shift = 64 - 8 * n;
	uint64_t digits = word << shift ^ NUMBER_ZEROS << shift;

	if (unlikely(number_has_other(digits)))
		return false;
	*ret_integer = number_join(digits);
	return true;
}

/* Position of the first '.' among the eight characters of word, or 8. */
static inline uint32_t
number_dot(uint64_t word)
{
	uint64_t x = word ^ UINT64_C(0x2e2e2e2e2e2e2e2e);
	uint64_t zero = (x - UINT64_C(0x0101010101010101)) & ~x & UINT64_C(0x8080808080808080);

	return zero != 0 ? (uint32_t)__builtin_ctzll(zero) / 8 : 8;
}

/* Sign and dot are taken out of the 16 characters, what is left must be digits. */
static inline bool
number_decimal(const uint8_t *text, uint32_t n, double *ret_value)
{
	static const double power[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
		1e12, 1e13, 1e14, 1e15};
	unsigned __int128 word, before;
	uint64_t high = 0, low;
	bool is_negative = text[0] == '-';
	uint32_t dot;
	double value;

	memcpy(&word, text, sizeof(word));
	word >>= 8 * is_negative;
	n -= is_negative;
	dot = number_dot((uint64_t)word);
	if (dot == 8)
		dot += number_dot((uint64_t)(word >> 64));
	if (dot < n) {
		before = ((unsigned __int128)1 << 8 * dot) - 1;
		word = (word & before) | (word >> 8 & ~before);
		n--;
	} else {
		dot = n;
	}
	if (n == 0 || n > NUMBER_SHORT_DIGITS)
		return false;
	if (n <= 8) {
		if (!number_digits((uint64_t)word, n, &low))
			return false;
		value = (double)low;
	} else {
		if (!number_digits((uint64_t)word, 8, &high) ||
			!number_digits((uint64_t)(word >> 64), n - 8, &low))
			return false;
		value = (double)high * power[n - 8] + (double)low;
	}
	value /= power[n - dot];
	*ret_value = is_negative ? -value : value;
	return true;
}

/* text has size characters, and NUMBER_SHORT_MAX bytes of it can be read whatever size is. False:
 * ask number_parse. */
static inline bool
number_short(const uint8_t *text, size_t size, double *ret_value)
{
	uint64_t word, integer;

	if (unlikely(size - 1 >= NUMBER_SHORT_MAX))
		return false;
	memcpy(&word, text, sizeof(word));
	if (likely(size <= 8) && likely(number_digits(word, (uint32_t)size, &integer))) {
		*ret_value = (double)integer;
		return true;
	}
	return number_decimal(text, (uint32_t)size, ret_value);
}

#endif
