/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an input hands over: a burst of datagrams. The bytes stay the input's and are valid until
 * the burst is released. Behind each payload BURST_TAILROOM more bytes can be read, since vectors
 * do; whatever they hold, nothing depends on it.
 */
#ifndef DSD_BURST_H
#define DSD_BURST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

#define BURST_MAX 64
#define BURST_TAILROOM 64 /* bytes */

/* Who sent it: a small number from the slow path; 0 is "not known". */
typedef uint32_t origin_id;

struct dgram {
	struct span payload;
	const uint8_t *source; /* IP address in network order, or NULL */
	uint8_t source_size; /* 0, 4 or 16 */
	bool truncated; /* the sender's datagram was longer than the payload */
	bool eol_required; /* a last line without newline is unterminated */
	uint16_t listener; /* index as in struct stats */
	origin_id origin;
};

struct burst {
	uint16_t n;
	uint64_t time; /* monotonic ns at receipt */
	struct dgram dgram[BURST_MAX];
	void *handle[BURST_MAX]; /* the input's own: what to give back at release */
};

#endif
