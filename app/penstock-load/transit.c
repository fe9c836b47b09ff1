/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstock-load/transit.h"

#include <errno.h>
#include <stdlib.h>

int
transit_init(struct transit *transit)
{
	*transit = (struct transit){.datagrams = calloc(TRANSIT_MAX, sizeof(struct datagram))};
	return transit->datagrams != NULL ? 0 : -ENOMEM;
}

void
transit_done(struct transit *transit)
{
	free(transit->datagrams);
}

void
transit_add(struct transit *transit, const struct datagram *datagram)
{
	struct datagram *copy = &transit->datagrams[(transit->first + transit->n++) % TRANSIT_MAX];

	*copy = *datagram;
	copy->data = NULL;
}

struct datagram *
transit_take(struct transit *transit)
{
	struct datagram *oldest = &transit->datagrams[transit->first];

	transit->first = (transit->first + 1) % TRANSIT_MAX;
	transit->n--;
	return oldest;
}
