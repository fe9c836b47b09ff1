/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of one line, in the DogStatsD protocol (1.0 to 1.3). */
#ifndef PENSTOCK_LOAD_LINE_H
#define PENSTOCK_LOAD_LINE_H

#include <stddef.h>

#include "penstock-load/profile.h"

/* No line is longer, its LF included. */
#define LINE_SIZE_MAX (SERIES_NAME_MAX + (SERIES_TAGS_MAX + 1) * (SERIES_TAG_MAX + 1) + 512)

/* Bytes of the longest line that these options can give, LF included. */
size_t line_size_max(const struct profile_options *options);

/* Writes the text without LF or NUL and returns its end. */
char *line_write(const struct profile *profile, const struct line *line, char *at);

#endif
