/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plain and the cached way get the same datagrams, several times so that the cache knows them,
 * and must agree on every counter and value. The first byte picks the passes; 0xff ends a datagram.
 */
#include "line/twin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
add_dgrams(struct twin *twin, struct span rest)
{
	while (rest.size != 0) {
		size_t end = span_find(rest, 0xff);

		twin_add(twin, span_of(rest.data, end), (struct dgram){.truncated = end % 7 == 6});
		rest = span_from(rest, end < rest.size ? end + 1 : end);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct line_passes *passes = &line_passes_plain;
	struct twin *twin;

	if (size == 0 || size > 16384)
		return 0;
	if (data[0] % 4 != 0)
		passes = line_passes_choose();
	twin = twin_open(passes);
	for (int round = 0; round < 4; round++) {
		add_dgrams(twin, span_of(data + 1, size - 1));
		if (round % 2 != 0)
			twin_compare(twin);
		twin_take(twin, 700 * NS_PER_MS);
	}
	twin_compare(twin);
	twin_close(twin);
	return 0;
}
