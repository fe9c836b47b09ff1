/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstock-load/datagram.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "penstock-load/line.h"

int
datagram_init(struct datagram *datagram, const struct packing *packing)
{
	*datagram = (struct datagram){0};
	/* The line that turns out not to fit is written behind the others first. */
	datagram->data = malloc(packing->size + LINE_SIZE_MAX);
	return datagram->data != NULL ? 0 : -ENOMEM;
}

void
datagram_done(struct datagram *datagram)
{
	free(datagram->data);
	datagram->data = NULL;
}

static void
count_line(struct datagram *datagram, const struct line *line)
{
	datagram->n_lines++;
	switch (line->kind) {
	case LINE_MALFORMED:
		datagram->n_malformed[line->malformed_kind]++;
		break;
	case LINE_EVENT:
		datagram->n_events++;
		break;
	case LINE_CHECK:
		datagram->n_checks++;
		break;
	case LINE_METRIC:
		datagram->n_samples += line->n_values;
		if (line->timestamp != 0) {
			datagram->n_stamped_lines++;
			datagram->n_stamped_samples += line->n_values;
		}
		break;
	}
}

void
datagram_fill(struct datagram *datagram, const struct profile *profile,
	const struct packing *packing, uint64_t first_line, uint64_t n_lines_max)
{
	char *end = datagram->data, *limit = datagram->data + packing->size;

	*datagram = (struct datagram){.data = datagram->data, .first_line = first_line};
	if (packing->n_lines != 0 && n_lines_max > packing->n_lines)
		n_lines_max = packing->n_lines;
	while (datagram->n_lines < n_lines_max) {
		struct line line;
		char *next;

		profile_line(profile, first_line + datagram->n_lines, &line);
		next = line_write(profile, &line, end);
		if (next >= limit)
			break;
		*next++ = '\n';
		end = next;
		count_line(datagram, &line);
	}
	if (packing->is_padded) {
		memset(end, '\n', (size_t)(limit - end));
		end = limit;
	}
	datagram->size = (uint32_t)(end - datagram->data);
}
