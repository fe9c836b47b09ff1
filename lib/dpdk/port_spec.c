/* SPDX-License-Identifier: BSD-3-Clause */
/* What the texts of a port's spec come to. */
#include <errno.h>
#include <stdlib.h>

#include "dpdk/bond.h"
#include "dpdk/device.h"
#include "dpdk/exception.h"
#include "dpdk/port_priv.h"

static int
parse_prefixes(const char *port, const char *what, const char *const *texts, size_t n,
	struct prefix *prefixes, struct error *error)
{
	for (size_t i = 0; i < n; i++)
		if (prefix_parse(texts[i], &prefixes[i]) != 0)
			return error_fill(error, EINVAL,
				"port %s: %s: '%s' is no address and no prefix "
				"(192.0.2.10/24, 2001:db8::10/64)",
				port, what, texts[i]);
	return 0;
}

int
port_build_filter(const struct port_spec *spec, struct filter *filter, struct error *error)
{
	int result;

	filter->udp_port = spec->udp_port;
	filter->n_addresses = spec->n_addresses;
	filter->n_allow = spec->n_allow;
	filter->n_groups = spec->n_multicast;
	filter->addresses = calloc(spec->n_addresses + 1, sizeof(*filter->addresses));
	filter->allow = calloc(spec->n_allow + 1, sizeof(*filter->allow));
	filter->groups = calloc(spec->n_multicast + 1, sizeof(*filter->groups));
	if (filter->addresses == NULL || filter->allow == NULL || filter->groups == NULL)
		return error_fill(error, ENOMEM, "port %s: no memory", spec->name);
	result = parse_prefixes(spec->name, "addresses", spec->addresses, spec->n_addresses,
		filter->addresses, error);
	if (result != 0)
		return result;
	result = parse_prefixes(spec->name, "multicast", spec->multicast, spec->n_multicast,
		filter->groups, error);
	if (result != 0)
		return result;
	return parse_prefixes(spec->name, "allow", spec->allow, spec->n_allow, filter->allow,
		error);
}

void
port_free_filter(struct filter *filter)
{
	free(filter->addresses);
	free(filter->allow);
	free(filter->groups);
}

int
port_build_host(const struct port_spec *spec, const struct filter *filter, struct host *host,
	struct error *error)
{
	struct prefix *gateways = calloc(spec->n_gateways + 1, sizeof(*gateways));
	int result;

	if (gateways == NULL)
		return error_fill(error, ENOMEM, "port %s: no memory", spec->name);
	result = parse_prefixes(spec->name, "gateway", spec->gateways, spec->n_gateways, gateways,
		error);
	if (result == 0 &&
		host_init(host, filter->addresses, filter->n_addresses, gateways,
			spec->n_gateways) != 0)
		result = error_fill(error, ENOMEM, "port %s: no memory", spec->name);
	free(gateways);
	return result;
}

bool
port_has_exception(const struct port_spec *spec)
{
	return spec->exception != NULL && spec->exception[0] != '\0';
}

bool
port_answers(const struct port_spec *spec)
{
	return spec->n_addresses > 0 || port_has_exception(spec);
}

int
port_check(const struct port_spec *spec, struct error *error)
{
	struct filter filter = {0};
	struct host host = {0};
	int result;

	if (spec->queues == 0)
		return error_fill(error, EINVAL, "port %s: 0 queues receive nothing", spec->name);
	if (spec->wants_flow && spec->udp_port == 0)
		return error_fill(error, EINVAL,
			"port %s: flow: on needs a UDP port that is known: set dogstatsd_port",
			spec->name);
	result = device_check(spec->device, error);
	if (result == 0 && port_has_exception(spec))
		result = exception_check(spec->exception, spec->name, error);
	if (result == 0)
		result = bond_check(spec->device, spec->members, spec->n_members, error);
	if (result == 0)
		result = port_build_filter(spec, &filter, error);
	if (result == 0)
		result = port_build_host(spec, &filter, &host, error);
	host_done(&host);
	port_free_filter(&filter);
	return result;
}
