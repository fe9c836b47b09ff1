/* SPDX-License-Identifier: BSD-3-Clause */
/* hot: no malloc, no syscall, no log, no lock */
#include "dsd/text.h"

#include "base/utf8.h"

size_t
text_unescape(struct span raw, uint8_t *out)
{
	/* The order is free: '\' and 'n' are never part of a longer sequence, good or bad. */
	size_t size = utf8_repair(raw, out);
	size_t written = 0;

	for (size_t i = 0; i < size; i++) {
		uint8_t byte = out[i];

		if (byte == '\\' && i + 1 < size && out[i + 1] == 'n') {
			byte = '\n';
			i++;
		}
		out[written++] = byte;
	}
	return written;
}
