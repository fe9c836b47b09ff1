/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>

#include "frame/prefix.h"
#include "penstockd/plan_priv.h"

static bool
has_version(const struct string_list *list, uint8_t address_size)
{
	struct prefix prefix;

	for (size_t i = 0; i < list->n; i++)
		if (prefix_parse(list->item[i], &prefix) == 0 &&
			prefix.address_size == address_size)
			return true;
	return false;
}

static int
note_address(struct planner *planner, const struct port_options *port, const char *address)
{
	struct prefix prefix;

	if (prefix_parse(address, &prefix) != 0 || prefix.length < prefix.address_size * 8 ||
		has_version(&port->gateway, prefix.address_size))
		return 0;
	return plan_note(planner,
		"port %s: address %s has no network around it (a prefix length such as %s), so "
		"echo requests are answered to nobody: write the length, or a gateway.",
		port->name, address, prefix.address_size == 4 ? "/24" : "/64");
}

int
plan_addresses(struct planner *planner)
{
	for (uint32_t i = 0; i < planner->plan.n_ports; i++) {
		const struct port_options *port = planner->plan.ports[i].options;

		for (size_t j = 0; j < port->addresses.n; j++)
			if (note_address(planner, port, port->addresses.item[j]) != 0)
				return -ENOMEM;
		if (port->gateway.n > 0 && port->addresses.n == 0 &&
			plan_note(planner,
				"port %s: its gateway is of no use without addresses, for which it "
				"could answer.",
				port->name) != 0)
			return -ENOMEM;
	}
	return 0;
}
