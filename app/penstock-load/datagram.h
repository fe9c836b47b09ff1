/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines packed into one datagram, and how its sending ended. */
#ifndef PENSTOCK_LOAD_DATAGRAM_H
#define PENSTOCK_LOAD_DATAGRAM_H

#include <stdint.h>

#include "penstock-load/malformed.h"
#include "penstock-load/profile.h"

struct packing {
	uint32_t size; /* bytes of a datagram; at least line_size_max */
	uint32_t n_lines; /* of a datagram at most; 0: as many as fit */
	bool is_padded; /* every datagram is filled up to its size with empty lines */
};

struct datagram {
	char *data; /* owned */
	uint32_t size; /* bytes of payload */
	int error; /* errno of sending it; 0 when it was sent */
	uint64_t due; /* ns after the start of the load */
	uint64_t number; /* 0 for the first */

	uint64_t first_line;
	uint32_t n_lines;
	uint32_t n_samples; /* values of metric lines that are not malformed */
	uint32_t n_events, n_checks, n_stamped_lines, n_stamped_samples;
	uint32_t n_malformed[MALFORMED_KINDS];
};

/* 0 or -ENOMEM. */
int datagram_init(struct datagram *datagram, const struct packing *packing);
void datagram_done(struct datagram *datagram);

/* Replaces what it held by the lines from first_line on, at most n_lines_max of them. */
void datagram_fill(struct datagram *datagram, const struct profile *profile,
	const struct packing *packing, uint64_t first_line, uint64_t n_lines_max);

#endif
