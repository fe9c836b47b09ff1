/* SPDX-License-Identifier: BSD-3-Clause */
/* hot: no malloc, no syscall, no log, no lock */
/*
 * The numbers that most lines carry: up to 8 characters of digits with at most one leading '-' and
 * at most one '.'. All others are left to number_parse, which gives the same value for these.
 *
 * Eight digits are turned into an integer by three multiplications on one word (SWAR); an integer
 * below 10^8 divided by a power of ten up to 10^7 is rounded once, so the result is exact.
 */
#ifndef DSD_NUMBER_SHORT_H
#define DSD_NUMBER_SHORT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

#define NUMBER_SHORT_MAX 8
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

/* Position of the first '.' among the first n characters of word, or n. */
static inline uint32_t
number_dot(uint64_t word, uint32_t n)
{
	uint64_t x = word ^ UINT64_C(0x2e2e2e2e2e2e2e2e);
	uint64_t zero = (x - UINT64_C(0x0101010101010101)) & ~x & UINT64_C(0x8080808080808080);
	uint32_t at = zero != 0 ? (uint32_t)__builtin_ctzll(zero) / 8 : 8;

	return at < n ? at : n;
}

/* text has n characters, and 8 bytes of it may be read whatever n is. False: ask number_parse. */
static inline bool
number_short(const uint8_t *text, size_t size, double *ret_value)
{
	static const double power[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7};
	uint64_t word, integer, low;
	uint32_t n = (uint32_t)size, dot, is_negative;
	double value;

	if (unlikely(size - 1 >= NUMBER_SHORT_MAX))
		return false;
	memcpy(&word, text, sizeof(word));
	if (likely(number_digits(word, n, &integer))) {
		*ret_value = (double)integer;
		return true;
	}
	is_negative = (word & 0xff) == '-';
	word >>= 8 * is_negative;
	n -= is_negative;
	dot = number_dot(word, n);
	if (dot < n) {
		n--;
		low = (UINT64_C(1) << 8 * dot) - 1;
		word = (word & low) | (word >> 8 & ~low);
	}
	if (n == 0 || !number_digits(word, n, &integer))
		return false;
	value = (double)integer / power[n > dot ? n - dot : 0];
	*ret_value = is_negative ? -value : value;
	return true;
}

#endif
