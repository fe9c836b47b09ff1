/* SPDX-License-Identifier: BSD-3-Clause */
/* What became of the load: one JSON object on stdout. */
#ifndef PENSTOCK_LOAD_REPORT_H
#define PENSTOCK_LOAD_REPORT_H

#include <stdint.h>
#include <stdio.h>

#include "penstock-load/datagram.h"

#define REPORT_ERRNO_MAX 134 /* greater numbers are counted as this one */

struct report {
	uint64_t datagrams, lines, samples, bytes; /* that were sent */
	uint64_t events, checks, stamped_lines, stamped_samples; /* of these lines and samples */
	uint64_t malformed[MALFORMED_KINDS]; /* lines sent */
	uint64_t errors[REPORT_ERRNO_MAX + 1]; /* datagrams not sent, by errno */
	uint64_t unsent_datagrams, unsent_lines;
};

/* After an attempt to send it. */
void report_datagram(struct report *report, const struct datagram *datagram);

/* 0, -ENOMEM or -EIO. */
int report_write(const struct report *report, uint64_t duration_ns, FILE *file);

#endif
