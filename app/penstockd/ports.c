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
fail(struct plan_error *error, int exit_code, int status, const struct error *cause)
{
	error->exit_code = exit_code;
	snprintf(error->text, sizeof(error->text), "%s", cause->text);
	return status;
}

int
ports_check(struct plan *plan, struct plan_error *error)
{
	struct error cause;
	int status;

	for (uint32_t i = 0; i < plan->n_ports; i++) {
		const struct port_spec *spec = &plan->ports[i].spec;

		status = port_check(spec, &cause);
		if (status != 0)
			return fail(error, PLAN_EXIT_CONFIGURATION, status, &cause);
		plan->eal.memory += port_memory(spec, plan->n_workers);
	}
	status = eal_check(&plan->eal, &cause);
	if (status != 0)
		return fail(error, PLAN_EXIT_CONFIGURATION, status, &cause);
	plan->use_hugepages = eal_would_use_hugepages(&plan->eal);
	return 0;
}

static void
log_dpdk(const char *line)
{
	log_warning("DPDK: %s", line);
}

/* Fewer queues than planned: the workers beyond them do without this port. */
static void
say_port(const struct port_facts *facts)
{
	log_info("port %s: %s, driver %s, %u of %u queues, %u descriptors each", facts->name,
		facts->device, facts->driver, facts->queues, facts->queues_wanted,
		facts->descriptors);
	if (facts->memory_node != facts->node)
		log_warning("port %s: node %d has not enough hugepages, so its buffers are "
			    "elsewhere",
			facts->name, facts->node);
	if (facts->queues > 1 && !facts->hashes_ports)
		log_warning("port %s: the device spreads by address only; one sender stays on one "
			    "queue",
			facts->name);
}

int
ports_open(struct plan *plan, struct plan_error *error)
{
	struct eal_options options = plan->eal;
	struct error cause;
	int status;

	options.log = log_dpdk;
	status = eal_start(&options, &cause);
	if (status != 0)
		return fail(error, PLAN_EXIT_RESOURCE, status, &cause);
	ports = calloc(plan->n_ports + 1, sizeof(*ports));
	if (ports == NULL) {
		error_fill(&cause, ENOMEM, "not enough memory to open the ports");
		return fail(error, PLAN_EXIT_RESOURCE, -ENOMEM, &cause);
	}
	for (uint32_t i = 0; i < plan->n_ports; i++) {
		status = port_open(&plan->ports[i].spec, &ports[i], &cause);
		if (status != 0)
			return fail(error, PLAN_EXIT_RESOURCE, status, &cause);
		n_ports++;
		say_port(port_facts(ports[i]));
		plan_set_port(plan, i, ports[i], port_facts(ports[i])->queues);
	}
	return 0;
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
