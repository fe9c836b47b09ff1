/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an intake must put out for the lines that were sent, as if one bucket covered them all.
 * Computed apart from lib/agg and lib/sketch, so that it can check them: values are whole eighths
 * and weights whole numbers, therefore every sum is exact in whatever order it is made.
 *
 * Written in the form of the file output, one JSON object a line. "ts" and "interval" depend on the
 * intake's clock and are left out, except for timestamps that the lines carry.
 */
#ifndef PENSTOCK_LOAD_SUMS_H
#define PENSTOCK_LOAD_SUMS_H

#include <stdio.h>

#include "penstock-load/profile.h"

struct sums;

/* file and host stay the caller's; host is what the intake puts on lines that name none. 0 or
 * -ENOMEM. */
int sums_open(const struct profile *profile, const char *host, FILE *file, struct sums **ret_sums);

/* A line that was sent. Malformed lines add nothing. 0 or -ENOMEM. */
int sums_add(struct sums *sums, const struct line *line);

/* Writes one row for each context that had a line. 0, -ENOMEM or -EIO. */
int sums_finish(struct sums *sums);

void sums_close(struct sums *sums);

#endif
