/* SPDX-License-Identifier: BSD-3-Clause */
#include "dpdk/xstats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_ethdev.h>

_Static_assert(sizeof(((struct xstat *)NULL)->name) == RTE_ETH_XSTATS_NAME_SIZE, "room for names");

/* A name that stands twice would be one series with two values. */
static bool
has(const struct xstats *xstats, const char *name)
{
	for (uint32_t i = 0; i < xstats->n; i++)
		if (strcmp(xstats->item[i].name, name) == 0)
			return true;
	return false;
}

static void
add(struct xstats *xstats, uint64_t id, const char *name)
{
	struct xstat *item = &xstats->item[xstats->n];

	if (name[0] == '\0' || has(xstats, name))
		return;
	if (xstats->n == XSTATS_MAX) {
		xstats->n_left_out++;
		return;
	}
	snprintf(item->name, sizeof(item->name), "%s", name);
	item->id = id;
	xstats->n++;
}

struct xstats *
xstats_new(uint16_t device)
{
	int n = rte_eth_xstats_get_names(device, NULL, 0);
	struct rte_eth_xstat_name *names;
	struct xstats *xstats;

	if (n <= 0)
		return NULL;
	names = calloc((size_t)n, sizeof(*names));
	xstats = calloc(1, sizeof(*xstats));
	if (names == NULL || xstats == NULL ||
		rte_eth_xstats_get_names(device, names, (unsigned)n) != n) {
		free(names);
		free(xstats);
		return NULL;
	}
	xstats->device = device;
	for (int i = 0; i < n; i++)
		add(xstats, (uint64_t)i, names[i].name);
	free(names);
	return xstats;
}

void
xstats_read(struct xstats *xstats)
{
	uint64_t ids[XSTATS_MAX], values[XSTATS_MAX];

	for (uint32_t i = 0; i < xstats->n; i++)
		ids[i] = xstats->item[i].id;
	if (rte_eth_xstats_get_by_id(xstats->device, ids, values, xstats->n) != (int)xstats->n)
		return;
	for (uint32_t i = 0; i < xstats->n; i++)
		atomic_store_explicit(&xstats->item[i].value, values[i], memory_order_relaxed);
}

void
xstats_free(struct xstats *xstats)
{
	free(xstats);
}
