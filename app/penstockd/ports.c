/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockd/ports.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "dpdk/eal.h"
#include "dpdk/exception.h"
#include "dpdk/port.h"
#include "penstockd/addresses.h"
#include "penstockd/port_watch.h"
#include "penstockd/port_words.h"

#define ETHERNET_HEADER 14u /* bytes before what the MTU counts */

static struct port **ports;
static struct addresses **addresses; /* of each port */
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
		plan->frame_memory += port_frame_memory(spec);
	}
	status = eal_check(&plan->eal, &cause);
	if (status != 0)
		return fail(error, PLAN_EXIT_CONFIGURATION, status, &cause);
	plan->hugepage_memory = eal_hugepage_memory(&plan->eal);
	if (!eal_telemetry_path(plan->options->admin_socket, plan->telemetry,
		    sizeof(plan->telemetry)))
		plan->telemetry[0] = '\0';
	plan->use_hugepages = eal_would_use_hugepages(&plan->eal);
	return 0;
}

static void
log_dpdk(const char *line)
{
	port_words_hear(line, eal_is_worker());
}

static void
say_port(const struct port_facts *facts)
{
	log_info("port %s: %s, driver %s, %u of %u queues, %u descriptors each", facts->name,
		facts->device, facts->driver, facts->queues, facts->queues_wanted,
		facts->descriptors);
	if (facts->multicast_by[0] != '\0')
		log_info("port %s: the device lets multicast through by %s", facts->name,
			facts->multicast_by);
	if (facts->memory_node != facts->node)
		log_warning("port %s: node %d has not enough hugepages, so its buffers are "
			    "elsewhere",
			facts->name, facts->node);
	if (facts->shares > 1)
		log_info("port %s: receive hash wanted: %s; granted: %s; table of %u entries",
			facts->name, facts->hash_wanted, facts->hash_granted, facts->hash_entries);
	if (facts->shares > facts->queues)
		log_info("port %s: %u workers share its frames, steered in software by flow",
			facts->name, facts->shares);
	else if (facts->queues > 1 && strcmp(facts->hash_granted, "none") == 0)
		log_info("port %s: which queue a frame comes on is the other side's choice",
			facts->name);
	else if (facts->queues > 1 && !facts->hashes_ports)
		log_warning("port %s: the device spreads by address only; one sender stays on one "
			    "queue",
			facts->name);
	if (facts->frame_max != 0 && facts->mtu + ETHERNET_HEADER > facts->frame_max)
		log_warning("port %s: the MTU is %u, but frames are cut after %u bytes: "
			    "',framesz=16384,blocksz=65536' behind the device's name takes longer "
			    "ones",
			facts->name, facts->mtu, facts->frame_max);
}

/* Queues whose owners cannot answer, or cannot reach the kernel. */
static void
say_sending(struct port *port)
{
	const struct port_facts *facts = port_facts(port);
	const struct exception *exception = port_exception(port);

	if (port_host(port)->n_addresses == 0 && exception == NULL)
		return;
	if (port_send_queues(port) < facts->queues)
		log_warning("port %s: the device sends on %u of %u queues: what arrives on the "
			    "others is not answered (frames.dropped.answer_not_sent)",
			facts->name, port_send_queues(port), facts->queues);
	if (exception != NULL && exception_queues(exception) < facts->shares)
		log_warning("port %s: the exception port has queues for %u of %u workers: what the "
			    "others get does not reach it (frames.dropped.exception_full)",
			facts->name, exception_queues(exception), facts->shares);
	if (exception != NULL && exception_mtu(exception) < facts->mtu)
		log_info("port %s: the exception port's MTU is %u, the port's %u: the kernel sends "
			 "no "
			 "longer frames, and net_tap hands it none",
			facts->name, exception_mtu(exception), facts->mtu);
}

int
ports_open(struct plan *plan, struct plan_error *error)
{
	struct eal_options options = plan->eal;
	struct error cause;
	int status;

	options.log = log_dpdk;
	options.telemetry = plan->telemetry[0] != '\0' ? plan->telemetry : NULL;
	status = eal_start(&options, &cause);
	if (status != 0)
		return fail(error, PLAN_EXIT_RESOURCE, status, &cause);
	ports = calloc(plan->n_ports + 1, sizeof(*ports));
	addresses = calloc(plan->n_ports + 1, sizeof(struct addresses *));
	if (ports == NULL || addresses == NULL) {
		error_fill(&cause, ENOMEM, "not enough memory to open the ports");
		return fail(error, PLAN_EXIT_RESOURCE, -ENOMEM, &cause);
	}
	for (uint32_t i = 0; i < plan->n_ports; i++) {
		status = port_open(&plan->ports[i].spec, &ports[i], &cause);
		if (status != 0)
			return fail(error, PLAN_EXIT_RESOURCE, status, &cause);
		n_ports++;
		say_port(port_facts(ports[i]));
		say_sending(ports[i]);
		addresses[i] = addresses_new(plan->ports[i].spec.name, port_host(ports[i]));
		if (addresses[i] == NULL) {
			error_fill(&cause, ENOMEM, "not enough memory to watch the ports");
			return fail(error, PLAN_EXIT_RESOURCE, -ENOMEM, &cause);
		}
		plan_set_port(plan, i, ports[i], port_facts(ports[i])->shares);
		status = port_watch_add(ports[i]);
		if (status != 0) {
			error_fill(&cause, -status, "port %s cannot be watched: %s",
				port_facts(ports[i])->name, strerror(-status));
			return fail(error, PLAN_EXIT_RESOURCE, status, &cause);
		}
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
ports_tick(void)
{
	for (uint32_t i = 0; i < n_ports; i++)
		addresses_tick(addresses[i]);
}

void
ports_wait(void)
{
	eal_wait();
}

static void
add_shares(const struct plan_worker *worker, struct status *status)
{
	for (uint32_t i = 0; i < worker->n_inputs; i++) {
		const struct input_spec *spec = &worker->input[i];
		const struct port_facts *facts;

		if (spec->port == NULL)
			continue;
		facts = port_facts(spec->port);
		status->share[status->n_shares++] = (struct status_share){
			.port = facts->name,
			.worker = worker->name,
			.queue = spec->queue % facts->queues,
			.is_steered = spec->queue >= facts->queues,
			.frames = atomic_load_explicit(port_frames(spec->port, spec->queue),
				memory_order_relaxed),
		};
	}
}

void
ports_status(const struct plan *plan, struct status *status)
{
	for (uint32_t i = 0; i < n_ports; i++) {
		const struct port_facts *facts = port_facts(ports[i]);

		status->port[status->n_ports++] = (struct status_port){
			.name = facts->name,
			.driver = facts->driver,
			.hash_wanted = facts->hash_wanted,
			.hash_granted = facts->hash_granted,
			.queues_wanted = facts->queues_wanted,
			.queues_granted = facts->queues,
			.hashes_ports = facts->hashes_ports,
			.is_steered = facts->shares > facts->queues,
		};
		port_watch_status(i, &status->port[i].link);
	}
	for (uint32_t i = 0; i < plan->n_workers; i++)
		add_shares(&plan->workers[i], status);
}

void
ports_close(void)
{
	port_words_say();
	port_watch_close();
	for (uint32_t i = 0; i < n_ports; i++) {
		addresses_free(addresses[i]);
		port_close(ports[i]);
	}
	free(addresses);
	free(ports);
	addresses = NULL;
	ports = NULL;
	n_ports = 0;
	eal_stop();
}
