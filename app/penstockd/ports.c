/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockd/ports.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "dpdk/eal.h"
#include "dpdk/port.h"

static struct port **ports;
static uint32_t n_ports;

static int
fail(struct plan_error *error, int status, const struct eal_error *cause)
{
	error->exit_code = PLAN_EXIT_RESOURCE;
	snprintf(error->text, sizeof(error->text), "%.*s", (int)sizeof(error->text) - 1,
		cause->text);
	return status;
}

static struct port_spec
port_spec(const struct plan *plan, const struct plan_port *port)
{
	static const enum port_checksum checksum[] = {
		[CHECKSUM_AUTO] = PORT_CHECKSUM_AUTO,
		[CHECKSUM_VERIFY] = PORT_CHECKSUM_VERIFY,
		[CHECKSUM_IGNORE] = PORT_CHECKSUM_IGNORE,
	};
	const struct port_options *options = port->options;

	return (struct port_spec){
		.name = options->name,
		.device = options->device,
		.queues = port->n_queues,
		.udp_port = (uint16_t)strtoul(plan->options->dogstatsd_port, NULL, 10),
		.addresses = (const char *const *)options->addresses.item,
		.n_addresses = options->addresses.n,
		.allow = (const char *const *)options->allow.item,
		.n_allow = options->allow.n,
		.checksum = checksum[options->checksum],
	};
}

static void
log_dpdk(const char *line)
{
	log_warning("DPDK: %s", line);
}

static int
start_eal(const struct plan *plan, struct plan_error *error)
{
	const char **devices = calloc(plan->n_ports + 1, sizeof(*devices));
	unsigned *cpus = calloc(plan->n_workers, sizeof(*cpus));
	struct eal_options options = {
		.devices = devices,
		.n_devices = plan->n_ports,
		.hugepages = plan->use_hugepages,
		.main_cpu = (int)plan->workers[0].cpu,
		.worker_cpus = cpus,
		.n_workers = plan->n_workers - 1,
		.extra = (const char *const *)plan->options->eal.item,
		.n_extra = plan->options->eal.n,
		.log = log_dpdk,
	};
	struct eal_error cause = {"not enough memory"};
	int status = -ENOMEM;

	if (devices != NULL && cpus != NULL) {
		for (uint32_t i = 0; i < plan->n_ports; i++) {
			struct port_spec spec = port_spec(plan, &plan->ports[i]);

			devices[i] = spec.device;
			options.memory += port_memory(&spec, plan->n_workers);
		}
		for (uint32_t i = 1; i < plan->n_workers; i++)
			cpus[i - 1] = plan->workers[i].cpu;
		status = eal_start(&options, &cause);
	}
	free(devices);
	free(cpus);
	return status == 0 ? 0 : fail(error, status, &cause);
}

/* Fewer queues than planned: the workers beyond them do without this port. */
static void
say_port(const struct port_facts *facts)
{
	log_info("port %s: %s, driver %s, %u of %u queues, %u descriptors each", facts->name,
		facts->device, facts->driver, facts->queues, facts->queues_wanted,
		facts->descriptors);
	if (facts->queues > 1 && !facts->hashes_ports)
		log_warning("port %s: the device spreads by address only; one sender stays on one "
			    "queue",
			facts->name);
}

int
ports_open(struct plan *plan, struct plan_error *error)
{
	int status = start_eal(plan, error);

	if (status != 0)
		return status;
	ports = calloc(plan->n_ports + 1, sizeof(*ports));
	for (uint32_t i = 0; ports != NULL && i < plan->n_ports; i++) {
		struct port_spec spec = port_spec(plan, &plan->ports[i]);
		struct eal_error cause;

		status = port_open(&spec, &ports[i], &cause);
		if (status != 0)
			return fail(error, status, &cause);
		n_ports++;
		say_port(port_facts(ports[i]));
		plan_set_port(plan, i, ports[i], port_facts(ports[i])->queues);
	}
	return ports != NULL ? 0 : -ENOMEM;
}

static int
run(void *worker)
{
	worker_run(worker);
	return 0;
}

int
ports_launch(uint32_t index, struct worker *worker)
{
	return eal_launch(index - 1, run, worker);
}

void
ports_wait(void)
{
	eal_wait();
}

void
ports_close(void)
{
	for (uint32_t i = 0; i < n_ports; i++)
		port_close(ports[i]);
	free(ports);
	ports = NULL;
	n_ports = 0;
	eal_stop();
}
