/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockd/plan_priv.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "admin/ledger.h"
#include "admin/status.h"
#include "base/pci.h"
#include "penstockd/check.h"
#include "penstockd/folder.h"
#include "penstockd/hardware.h"
#include "penstockd/ports.h"

#define DATAGRAM_MAX 65527 /* UDP over IPv6: 65535 - 8; in fragments or in a jumbo frame */

/* Files that are open at the same time, generously: EAL takes 16 by itself and panics over some of
 * them; a socket with its epoll, a queue of memif or a worker takes up to 4. */
#define DESCRIPTORS_OWN 32
#define DESCRIPTORS_EACH 4

int
plan_refuse(struct planner *planner, int exit_code, const char *format, ...)
{
	va_list arguments;

	planner->error->exit_code = exit_code;
	va_start(arguments, format);
	vsnprintf(planner->error->text, sizeof(planner->error->text), format, arguments);
	va_end(arguments);
	return exit_code == PLAN_EXIT_CONFIGURATION ? -EINVAL : -ENODEV;
}

int
plan_out_of_memory(struct planner *planner)
{
	plan_refuse(planner, PLAN_EXIT_RESOURCE, "not enough memory to make a plan");
	return -ENOMEM;
}

int
plan_note(struct planner *planner, const char *format, ...)
{
	va_list arguments;
	char text[512];

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	return string_list_add(&planner->plan.notes, text) == 0 ? 0 : plan_out_of_memory(planner);
}

static int
copy_notes(struct planner *planner)
{
	for (size_t i = 0; i < planner->options->notes.n; i++)
		if (plan_note(planner, "%s", planner->options->notes.item[i]) != 0)
			return -ENOMEM;
	return 0;
}

/* A bond is there when all of its members are. */
static int
look_up(const struct planner *planner, const struct port_options *port, char *text)
{
	const char *sys = planner->machine->sys;

	for (size_t i = 0; i < port->members.n; i++) {
		int result = hardware_look_up(port->members.item[i], sys, text);

		if (result != 0)
			return result;
	}
	return hardware_look_up(port->device, sys, text);
}

static int
plan_devices(struct planner *planner)
{
	const struct port_options *port = planner->options->ports.item;
	size_t n = planner->options->ports.n;

	if (n == 0)
		return 0;
	planner->plan.ports = calloc(n, sizeof(*planner->plan.ports));
	if (planner->plan.ports == NULL)
		return plan_out_of_memory(planner);
	for (; planner->plan.n_ports < n; planner->plan.n_ports++, port++) {
		struct plan_port *planned = &planner->plan.ports[planner->plan.n_ports];

		planned->options = port;
		planned->node =
			hardware_node(port->members.n != 0 ? port->members.item[0] : port->device,
				planner->machine->sys);
		_Static_assert(sizeof(planned->device) == HARDWARE_TEXT_SIZE, "room for the text");
		if (look_up(planner, port, planned->device) != 0)
			return plan_refuse(planner, PLAN_EXIT_RESOURCE, "port %s: %s", port->name,
				planned->device);
	}
	return 0;
}

static bool
needs_eol(const struct options *options, const char *transport)
{
	for (size_t i = 0; i < options->dogstatsd_eol_required.n; i++)
		if (strcmp(options->dogstatsd_eol_required.item[i], transport) == 0)
			return true;
	return false;
}

static int
add_input(struct planner *planner, struct plan_worker *worker, const struct input_spec *spec)
{
	if (worker->n_inputs == WORKER_INPUTS_MAX)
		return plan_refuse(planner, PLAN_EXIT_CONFIGURATION,
			"%s would poll more than %d queues and sockets: set penstock: workers to a "
			"larger number, or queues of the ports to a smaller one",
			worker->name, WORKER_INPUTS_MAX);
	worker->input[worker->n_inputs++] = *spec;
	return 0;
}

/* Gives the listener its number. */
static int
add_listener(struct planner *planner, const char *name, uint16_t *ret_listener)
{
	if (planner->plan.n_listeners == STATS_LISTENERS_MAX)
		return plan_refuse(planner, PLAN_EXIT_CONFIGURATION,
			"more than %d sockets and ports: leave some of penstock: ports out",
			STATS_LISTENERS_MAX);
	*ret_listener = planner->plan.n_listeners;
	planner->plan.listener_name[planner->plan.n_listeners++] = name;
	return 0;
}

static int
add_socket(struct planner *planner, const char *driver, const char *name, const char *address)
{
	const struct options *options = planner->options;
	bool is_udp = strcmp(driver, "udp") == 0;
	struct input_spec spec = {
		.driver = driver,
		.name = name,
		.address = address,
		.udp_port = is_udp ? options->dogstatsd_port : "",
		.payload_max = options->dogstatsd_buffer_size,
		.receive_size = options->dogstatsd_so_rcvbuf,
		.socket_mode = options->socket_mode,
		.eol_required = needs_eol(options, is_udp ? "udp" : "uds"),
	};
	int error = add_listener(planner, name, &spec.listener);

	return error != 0 ? error : add_input(planner, &planner->plan.workers[0], &spec);
}

static int
plan_sockets(struct planner *planner)
{
	const struct options *options = planner->options;
	int error = 0;

	if (strcmp(options->dogstatsd_port, "0") != 0)
		error = add_socket(planner, "udp", "udp",
			options->dogstatsd_non_local_traffic ? "" : options->bind_host);
	if (error == 0 && options->dogstatsd_socket[0] != '\0')
		error = add_socket(planner, "uds_dgram", "uds", options->dogstatsd_socket);
	if (error == 0 && options->dogstatsd_stream_socket[0] != '\0')
		error = add_socket(planner, "uds_stream", "uds_stream",
			options->dogstatsd_stream_socket);
	if (error == 0 && options->dogstatsd_so_rcvbuf > planner->machine->receive_size_max &&
		planner->machine->receive_size_max != 0)
		error = plan_note(planner,
			"dogstatsd_so_rcvbuf is %u, but the kernel gives at most %llu: 'sysctl -w "
			"net.core.rmem_max=%u'.",
			options->dogstatsd_so_rcvbuf,
			(unsigned long long)planner->machine->receive_size_max,
			options->dogstatsd_so_rcvbuf);
	return error;
}

uint16_t
plan_port_queues(const struct port_options *port, uint32_t n_polling)
{
	if (strcmp(port->queues, "auto") != 0)
		return (uint16_t)strtoul(port->queues, NULL, 10);
	return pci_parse(port->members.n != 0 ? port->members.item[0] : port->device, NULL) &&
			n_polling > 0
		? (uint16_t)n_polling
		: 1;
}

static enum port_checksum
checksum_of(const struct port_options *port)
{
	switch (port->checksum) {
	case CHECKSUM_VERIFY:
		return PORT_CHECKSUM_VERIFY;
	case CHECKSUM_IGNORE:
		return PORT_CHECKSUM_IGNORE;
	default:
		return PORT_CHECKSUM_AUTO;
	}
}

static enum port_promiscuous
promiscuous_of(const struct port_options *port)
{
	switch (port->promiscuous) {
	case PROMISCUOUS_ON:
		return PORT_PROMISCUOUS_ON;
	case PROMISCUOUS_OFF:
		return PORT_PROMISCUOUS_OFF;
	default:
		return PORT_PROMISCUOUS_AUTO;
	}
}

static void
fill_port_spec(const struct planner *planner, struct plan_port *port)
{
	const struct port_options *options = port->options;

	port->spec = (struct port_spec){
		.name = options->name,
		.device = options->device,
		.members = (const char *const *)options->members.item,
		.n_members = options->members.n,
		.queues = plan_port_queues(options, plan_near_workers(planner, port)),
		.udp_port = (uint16_t)strtoul(planner->options->dogstatsd_port, NULL, 10),
		.addresses = (const char *const *)options->addresses.item,
		.n_addresses = options->addresses.n,
		.gateways = (const char *const *)options->gateway.item,
		.n_gateways = options->gateway.n,
		.exception = options->exception,
		.allow = (const char *const *)options->allow.item,
		.n_allow = options->allow.n,
		.checksum = checksum_of(options),
		.mtu = (uint16_t)options->mtu,
		.promiscuous = promiscuous_of(options),
		.wants_flow = options->flow == FLOW_ON,
		.multicast = (const char *const *)options->multicast.item,
		.n_multicast = options->multicast.n,
	};
}

static struct input_spec
port_input(const struct planner *planner, const struct plan_port *port)
{
	return (struct input_spec){
		.driver = "dpdk",
		.name = port->options->name,
		.listener = port->listener,
		.address = port->options->device,
		.udp_port = planner->options->dogstatsd_port,
		.payload_max = DATAGRAM_MAX,
		.eol_required = needs_eol(planner->options, "udp"),
	};
}

/* Queues go round the workers near their port, over all ports. */
static int
plan_queues(struct planner *planner)
{
	struct plan *plan = &planner->plan;

	for (uint32_t i = 0; i < plan->n_ports; i++) {
		struct plan_port *port = &plan->ports[i];
		int error = add_listener(planner, port->options->name, &port->listener);
		struct input_spec spec = port_input(planner, port);

		fill_port_spec(planner, port);
		for (; error == 0 && spec.queue < port->spec.queues; spec.queue++)
			error = add_input(planner, plan_next_poller(planner, port), &spec);
		if (error != 0)
			return error;
		plan_place_port(planner, port);
	}
	return 0;
}

/* The workers that get frames of a port: one for each queue; with queues: auto all near it, if
 * there are more than all queues employ. */
static uint16_t
count_shares(const struct planner *planner, const struct plan_port *port)
{
	uint32_t n_near = plan_near_workers(planner, port);

	if (strcmp(port->options->queues, "auto") == 0 && plan_has_idle_worker(planner, port))
		return (uint16_t)n_near;
	return (uint16_t)(port->spec.queues < n_near ? port->spec.queues : n_near);
}

/* Shares without a queue, once all queues have their workers. */
static int
plan_shares(struct planner *planner)
{
	struct plan *plan = &planner->plan;
	uint32_t n = 0;

	for (uint32_t i = 0; i < plan->n_ports; i++)
		plan->ports[i].spec.shares = count_shares(planner, &plan->ports[i]);
	for (uint32_t i = 0; i < plan->n_ports; i++) {
		struct plan_port *port = &plan->ports[i];
		struct input_spec spec = port_input(planner, port);
		int error = 0;

		for (spec.queue = port->spec.queues; error == 0 && spec.queue < port->spec.shares;
			spec.queue++)
			error = add_input(planner, plan_next_poller(planner, port), &spec);
		if (error != 0)
			return error;
		n += spec.queue;
	}
	if (n <= STATUS_SHARES_MAX)
		return 0;
	return plan_refuse(planner, PLAN_EXIT_CONFIGURATION,
		"the workers would poll %u queues, and there can be %d: set queues of the ports to "
		"a smaller number",
		n, STATUS_SHARES_MAX);
}

/* Drivers that look at an interface which the kernel goes on serving. */
static int
note_onlooker(struct planner *planner, const struct port_options *port)
{
	static const char *const driver[] = {"net_af_packet", "net_pcap"};
	char interface[64];

	hardware_argument(port->device, "iface", interface, sizeof(interface));
	if (interface[0] == '\0')
		hardware_argument(port->device, "rx_iface", interface, sizeof(interface));
	for (size_t i = 0; interface[0] != '\0' && i < ARRAY_LENGTH(driver); i++)
		if (strncmp(port->device, driver[i], strlen(driver[i])) == 0)
			return plan_note(planner,
				"port %s: the kernel goes on serving %s (%s only looks on), so a "
				"datagram to UDP port %s that the UDP socket hears as well is "
				"counted more than once: let bind_host be an address that %s does "
				"not carry.",
				port->name, interface, driver[i], planner->options->dogstatsd_port,
				interface);
	return 0;
}

static int
note_ports(struct planner *planner)
{
	const struct plan *plan = &planner->plan;
	const char *udp_port = planner->options->dogstatsd_port;

	if (plan->n_ports > 0 && strcmp(udp_port, "0") == 0)
		return plan_refuse(planner, PLAN_EXIT_CONFIGURATION,
			"dogstatsd_port is 0 (off), but a port takes the datagrams that are sent "
			"to it: set dogstatsd_port, or leave penstock: ports out");
	if (plan->n_ports > 0 && udp_port[0] == '_' &&
		plan_note(planner,
			"dogstatsd_port is __random__, so ports take datagrams to every "
			"UDP port.") != 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->n_ports; i++)
		if (note_onlooker(planner, plan->ports[i].options) != 0)
			return -ENOMEM;
	for (uint32_t i = 1; i < plan->n_workers; i++)
		if (plan->workers[i].n_inputs == 0 &&
			plan_note(planner,
				"%s has no queue to poll: set queues of a port to %u, or "
				"penstock: workers to less.",
				plan->workers[i].name, planner->n_polling) != 0)
			return -ENOMEM;
	return 0;
}

static int
plan_outputs(struct planner *planner)
{
	const struct output_options *output = planner->options->outputs.item;
	size_t n = planner->options->outputs.n;

	if (n > LEDGER_OUTPUTS_MAX)
		return plan_refuse(planner, PLAN_EXIT_CONFIGURATION,
			"%zu outputs are more than the %d that there can be: leave some of "
			"penstock: outputs out",
			n, LEDGER_OUTPUTS_MAX);
	planner->plan.outputs = calloc(n, sizeof(*planner->plan.outputs));
	if (planner->plan.outputs == NULL)
		return plan_out_of_memory(planner);
	for (size_t i = 0; i < n; i++)
		planner->plan.outputs[i] = (struct output_spec){
			.type = output[i].type,
			.name = output[i].name,
			.path = output[i].path,
		};
	planner->plan.n_outputs = (uint32_t)n;
	return 0;
}

static int
check_descriptors(struct planner *planner)
{
	const struct plan *plan = &planner->plan;
	uint64_t max = planner->machine->descriptors_max, needed = DESCRIPTORS_OWN;
	uint32_t n = plan->n_workers + plan->n_outputs;

	for (uint32_t i = 0; i < plan->n_workers; i++)
		n += plan->workers[i].n_inputs;
	needed += n * DESCRIPTORS_EACH;
	if (max == 0 || max >= needed)
		return 0;
	return plan_refuse(planner, PLAN_EXIT_RESOURCE,
		"this process may open %llu files, but needs %llu for what is configured, and one "
		"more for each stream connection: 'ulimit -n 1024' before the start, or "
		"LimitNOFILE= of its unit",
		(unsigned long long)max, (unsigned long long)needed);
}

static int
plan_eal(struct planner *planner)
{
	const struct options *options = planner->options;
	struct plan *plan = &planner->plan;
	size_t n_devices = 1;

	for (uint32_t i = 0; i < plan->n_ports; i++)
		n_devices += 1 + plan->ports[i].options->members.n;
	plan->devices = calloc(n_devices, sizeof(*plan->devices));
	plan->worker_cpus = calloc(plan->n_workers, sizeof(*plan->worker_cpus));
	if (plan->devices == NULL || plan->worker_cpus == NULL)
		return plan_out_of_memory(planner);
	n_devices = 0;
	for (uint32_t i = 0; i < plan->n_ports; i++) {
		const struct port_options *port = plan->ports[i].options;

		plan->devices[n_devices++] = port->device;
		for (size_t m = 0; m < port->members.n; m++)
			plan->devices[n_devices++] = port->members.item[m];
	}
	for (uint32_t i = 1; i < plan->n_workers; i++)
		plan->worker_cpus[i - 1] = plan->workers[i].cpu;
	plan->eal = (struct eal_options){
		.devices = plan->devices,
		.n_devices = n_devices,
		.hugepages = options->hugepages == HUGEPAGES_AUTO,
		.main_cpu = (int)plan->workers[0].cpu,
		.worker_cpus = plan->worker_cpus,
		.n_workers = plan->n_workers - 1,
		.extra = (const char *const *)options->eal.item,
		.n_extra = options->eal.n,
	};
	return planner->asks_dpdk ? ports_check(plan, planner->error) : 0;
}

static int
plan_memory(struct planner *planner)
{
	const struct machine *machine = planner->machine;
	struct plan *plan = &planner->plan;

	plan->memory_worst = planner->options->memory_ceiling +
		planner->options->max_context_bytes + plan->eal.memory + plan->frame_memory;
	plan->payload_max = planner->options->dogstatsd_buffer_size;
	if (plan->n_ports > 0 && plan->payload_max < DATAGRAM_MAX)
		plan->payload_max = DATAGRAM_MAX;
	if (machine->memory != 0 && plan->memory_worst > machine->memory)
		return plan_note(planner,
			"At worst Penstock takes %llu MiB, but the machine has %llu MiB: lower "
			"penstock: max_context_bytes or memory_ceiling.",
			(unsigned long long)(plan->memory_worst >> 20),
			(unsigned long long)(machine->memory >> 20));
	return 0;
}

static int
make(const struct options *options, const struct machine *machine, bool asks_dpdk,
	struct plan *ret_plan, struct plan_error *error)
{
	static int (*const step[])(struct planner * planner) = {
		copy_notes,
		plan_devices,
		plan_cores,
		plan_sockets,
		plan_queues,
		plan_shares,
		note_ports,
		plan_addresses,
		plan_outputs,
		plan_folders,
		check_descriptors,
		plan_eal,
		plan_hugepages,
		plan_memory,
		plan_host,
		plan_ceiling,
	};
	struct planner planner = {
		.options = options,
		.machine = machine,
		.plan = {.options = options},
		.error = error,
		.asks_dpdk = asks_dpdk,
	};

	machine_cpus(machine, planner.plan.cpus, sizeof(planner.plan.cpus));
	for (size_t i = 0; i < ARRAY_LENGTH(step); i++) {
		int result = step[i](&planner);

		if (result != 0) {
			plan_free(&planner.plan);
			return result;
		}
	}
	*ret_plan = planner.plan;
	return 0;
}

int
plan_make_on(const struct options *options, const struct machine *machine, struct plan *ret_plan,
	struct plan_error *error)
{
	return make(options, machine, false, ret_plan, error);
}

int
plan_make(const struct options *options, struct plan *ret_plan, struct plan_error *error)
{
	struct machine machine;
	int result = machine_read(&machine);

	if (result != 0) {
		error->exit_code = PLAN_EXIT_RESOURCE;
		snprintf(error->text, sizeof(error->text),
			"cannot learn which cores this process may use: %s", strerror(-result));
		return result;
	}
	return make(options, &machine, true, ret_plan, error);
}

int
plan_prepare(const struct plan *plan, struct plan_error *error)
{
	_Static_assert(sizeof(error->text) >= FOLDER_WHY_SIZE, "room for the text");
	for (uint32_t i = 0; i < plan->n_folders; i++) {
		const struct plan_folder *folder = &plan->folders[i];
		int result = folder_make(folder->path, folder->is_private, error->text);

		if (result != 0) {
			error->exit_code = PLAN_EXIT_RESOURCE;
			return result;
		}
	}
	return 0;
}

/* Keeps the inputs that are not of the port, or of a share that it has. */
static void
set_worker_port(struct plan_worker *worker, uint16_t listener, struct port *port, uint16_t n_shares)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < worker->n_inputs; i++) {
		struct input_spec spec = worker->input[i];

		if (spec.listener == listener) {
			if (spec.queue >= n_shares)
				continue;
			spec.port = port;
		}
		worker->input[n++] = spec;
	}
	worker->n_inputs = n;
}

void
plan_set_port(struct plan *plan, uint32_t index, struct port *port, uint16_t n_shares)
{
	for (uint32_t i = 0; i < plan->n_workers; i++)
		set_worker_port(&plan->workers[i], plan->ports[index].listener, port, n_shares);
}

void
plan_free(struct plan *plan)
{
	if (plan == NULL)
		return;
	for (uint32_t i = 0; i < plan->n_folders; i++)
		free(plan->folders[i].path);
	free(plan->folders);
	free(plan->workers);
	free(plan->ports);
	free(plan->outputs);
	free(plan->devices);
	free(plan->worker_cpus);
	string_list_free(&plan->notes);
	*plan = (struct plan){0};
}
