/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstock-load/replay.h"

#include <errno.h>
#include <stdlib.h>

#define ROUNDS 4
#define LINES_MAX 1000000 /* as long as every series comes once */

static uint64_t
count_lines(const struct profile *profile)
{
	uint64_t n_contexts = profile->options.n_contexts, n = n_contexts * ROUNDS;

	if (n > LINES_MAX)
		n = LINES_MAX;
	return n > n_contexts ? n : n_contexts;
}

static int
add_datagram(struct replay *replay, const struct profile *profile, const struct packing *packing,
	uint64_t n_lines)
{
	struct datagram *datagram = &replay->datagrams[replay->n];
	char *data;

	if (datagram_init(datagram, packing) != 0)
		return -ENOMEM;
	replay->n++;
	datagram_fill(datagram, profile, packing, replay->n_lines, n_lines);
	replay->n_lines += datagram->n_lines;
	data = realloc(datagram->data, datagram->size);
	if (data != NULL)
		datagram->data = data;
	return 0;
}

int
replay_init(struct replay *replay, const struct profile *profile, const struct packing *packing)
{
	uint64_t n_lines = count_lines(profile);
	uint32_t n_max = 0;

	*replay = (struct replay){0};
	while (replay->n_lines < n_lines) {
		if (replay->n == n_max) {
			struct datagram *larger;

			n_max = n_max != 0 ? 2 * n_max : 1024;
			larger = realloc(replay->datagrams, n_max * sizeof(*larger));
			if (larger == NULL)
				return -ENOMEM;
			replay->datagrams = larger;
		}
		if (add_datagram(replay, profile, packing, n_lines - replay->n_lines) != 0)
			return -ENOMEM;
	}
	return 0;
}

void
replay_done(struct replay *replay)
{
	for (uint32_t i = 0; i < replay->n; i++)
		datagram_done(&replay->datagrams[i]);
	free(replay->datagrams);
}
