/* SPDX-License-Identifier: BSD-3-Clause */
/* The title and text of an event as they are kept. */
#ifndef DSD_TEXT_H
#define DSD_TEXT_H

#include "base/span.h"

/* Writes raw with the two characters "\n" made one LF, and valid UTF-8 (base/utf8.h). out needs
 * room for 3 * raw.size bytes and may not overlap raw. Returns the size written. */
size_t text_unescape(struct span raw, uint8_t *out);

#endif
