/* SPDX-License-Identifier: BSD-3-Clause */
/* What a search found: one JSON object. */
#ifndef PENSTOCK_LOAD_SEARCH_REPORT_H
#define PENSTOCK_LOAD_SEARCH_REPORT_H

#include <stdio.h>

#include "penstock-load/search.h"

/* lines_per_datagram: on average. 0, -ENOMEM or -EIO. */
int search_report_write(const struct search *search, double lines_per_datagram, FILE *file);

#endif
