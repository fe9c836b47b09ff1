/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Internet checksum (RFC 1071). Its sum of 16-bit words is independent of byte order, so words
 * are added as they lie in memory and the carries are folded once, at the end.
 */
#ifndef FRAME_CHECKSUM_H
#define FRAME_CHECKSUM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

/* Adds the bytes to sum; an odd last byte is padded with zero. Every span but the last of a sum
 * must have an even size. No carry is lost below 2^32 words. */
static inline uint64_t
checksum_add(uint64_t sum, struct span bytes)
{
	const uint8_t *at = bytes.data;
	size_t left = bytes.size;

	for (; left >= 4; at += 4, left -= 4) {
		uint32_t word;

		memcpy(&word, at, sizeof(word));
		sum += word;
	}
	if (left > 0) {
		uint32_t word = 0;

		memcpy(&word, at, left);
		sum += word;
	}
	return sum;
}

/* To one word, with the carries added. */
static inline uint16_t
checksum_fold(uint64_t sum)
{
	sum = (sum >> 32) + (sum & 0xffffffff);
	sum = (sum >> 32) + (sum & 0xffffffff);
	sum = (sum >> 16) + (sum & 0xffff);
	sum = (sum >> 16) + (sum & 0xffff);
	return (uint16_t)sum;
}

/* True when a sum that includes the checksum field itself is that of an undamaged range: all
 * ones. */
static inline bool
checksum_is_right(uint64_t sum)
{
	return checksum_fold(sum) == 0xffff;
}

/* The field for a sum over a range in which it was 0, as it lies in memory. */
static inline uint16_t
checksum_finish(uint64_t sum)
{
	return (uint16_t)~checksum_fold(sum);
}

#endif
