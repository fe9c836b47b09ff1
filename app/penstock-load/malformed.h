/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines that every intake must reject, and the ledger's reason for each. */
#ifndef PENSTOCK_LOAD_MALFORMED_H
#define PENSTOCK_LOAD_MALFORMED_H

#include "penstock-load/profile.h"
#include "stats/stats.h"

#define MALFORMED_KINDS 20
#define MALFORMED_VARIANTS 4

struct malformed {
	const char *title;
	enum counter reason; /* STAT_lines_rejected_… */

	/* "$n" stands for a name, "$v" for a whole number; fewer variants end in NULL. */
	const char *variant[MALFORMED_VARIANTS + 1];
};

extern const struct malformed malformed_table[MALFORMED_KINDS];

/* Writes the line's text without LF or NUL and returns its end. */
char *malformed_write(const struct profile *profile, const struct line *line, char *at);

#endif
