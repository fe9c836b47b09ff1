/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockd/plan.h"

static unsigned long long
mebibytes(uint64_t bytes)
{
	return (unsigned long long)((bytes + (1 << 20) - 1) >> 20);
}

const char *
plan_idle_name(enum worker_idle idle)
{
	static const char *const name[] = {
		[WORKER_IDLE_POLL] = "poll",
		[WORKER_IDLE_PAUSE] = "pause",
		[WORKER_IDLE_SLEEP] = "sleep",
	};

	return name[idle];
}

static void
print_core(const struct plan_worker *worker, FILE *out)
{
	if (worker->node >= 0)
		fprintf(out, " node %d", worker->node);
	if (worker->is_isolated)
		fprintf(out, " isolated");
	if (worker->is_tickless)
		fprintf(out, " tickless");
	if (worker->node >= 0 || worker->is_isolated || worker->is_tickless)
		fprintf(out, ",");
}

static bool
is_steered(const struct plan *plan, const struct input_spec *input)
{
	for (uint32_t i = 0; i < plan->n_ports; i++)
		if (plan->ports[i].listener == input->listener)
			return input->queue >= plan->ports[i].spec.queues;
	return false;
}

static void
print_workers(const struct plan *plan, FILE *out)
{
	fprintf(out, "cores: %s allowed\n", plan->cpus);
	if (plan->nodes[0] != '\0')
		fprintf(out, "nodes: %s\n", plan->nodes);
	for (uint32_t i = 0; i < plan->n_workers; i++) {
		const struct plan_worker *worker = &plan->workers[i];

		fprintf(out, "  core %-4u %-9s idle %-5s ", worker->cpu, worker->name,
			plan_idle_name(worker->idle));
		print_core(worker, out);
		for (uint32_t j = 0; j < worker->n_inputs; j++) {
			const struct input_spec *input = &worker->input[j];

			fprintf(out, "%s %s", j == 0 ? "" : ",", input->name);
			if (is_steered(plan, input))
				fprintf(out, " steered");
			else if (strcmp(input->driver, "dpdk") == 0)
				fprintf(out, " queue %u", input->queue);
		}
		fprintf(out, "%s\n", worker->n_inputs == 0 ? " nothing to poll" : "");
	}
}

static void
print_socket(const struct input_spec *input, FILE *out)
{
	fprintf(out, "  %-10s %-10s ", input->name, input->driver);
	if (strcmp(input->driver, "udp") == 0)
		fprintf(out, "%s port %s",
			input->address[0] != '\0' ? input->address : "every address",
			input->udp_port);
	else
		fprintf(out, "%s mode %04o", input->address, input->socket_mode);
	fprintf(out, ", up to %u bytes%s\n", input->payload_max,
		input->eol_required ? ", newline required" : "");
}

static void
print_names(const char *what, const struct string_list *list, FILE *out)
{
	if (list->n == 0)
		return;
	fprintf(out, "             %s", what);
	for (size_t i = 0; i < list->n; i++)
		fprintf(out, " %s", list->item[i]);
	fputc('\n', out);
}

static void
print_queues(const struct port_spec *spec, FILE *out)
{
	fprintf(out, "%u queue%s", spec->queues, spec->queues == 1 ? "" : "s");
	if (spec->shares > spec->queues)
		fprintf(out, ", steered in software to %u workers", spec->shares);
	else if (spec->shares > 1)
		fprintf(out, ", steered in software if the device grants fewer");
}

static void
print_listeners(const struct plan *plan, FILE *out)
{
	fprintf(out, "listeners: %u\n", plan->n_listeners);
	for (uint32_t i = 0; i < plan->workers[0].n_inputs; i++)
		if (strcmp(plan->workers[0].input[i].driver, "dpdk") != 0)
			print_socket(&plan->workers[0].input[i], out);
	for (uint32_t i = 0; i < plan->n_ports; i++) {
		const struct plan_port *port = &plan->ports[i];

		fprintf(out, "  %-10s %-10s %s (%s), ", port->options->name, "dpdk",
			port->options->device, port->device);
		if (port->spec.udp_port != 0)
			fprintf(out, "UDP port %u, ", port->spec.udp_port);
		else
			fprintf(out, "every UDP port, ");
		print_queues(&port->spec, out);
		if (port->node >= 0)
			fprintf(out, ", device on node %d", port->node);
		if (port->spec.on_node)
			fprintf(out, ", buffers on node %d", port->spec.node);
		if (port->spec.mtu != 0)
			fprintf(out, ", MTU %u", port->spec.mtu);
		fputc('\n', out);
		print_names("members", &port->options->members, out);
		print_names("addresses", &port->options->addresses, out);
		print_names("gateway", &port->options->gateway, out);
		print_names("multicast", &port->options->multicast, out);
		print_names("allow", &port->options->allow, out);
		if (port->options->exception[0] != '\0')
			fprintf(out, "             everything else to and from %s\n",
				port->options->exception);
	}
}

static void
print_ceiling(const struct ceiling_plan *plan, FILE *out)
{
	for (int i = 0; i < CEILING_ACCOUNT_COUNT; i++) {
		const struct account_conf *account = &plan->account[i];

		if (account->cap != 0)
			fprintf(out, "             %s: %llu MiB reserved, %llu MiB at most\n",
				account->name, mebibytes(account->reserve),
				mebibytes(account->cap));
	}
	fprintf(out, "             in chunks of %zu KiB, %s\n", plan->chunk_size >> 10,
		plan->use_hugepages ? "of hugepages while there are free ones"
				    : "of ordinary pages");
}

static void
print_memory(const struct plan *plan, FILE *out)
{
	if (plan->options->hugepages == HUGEPAGES_OFF)
		fprintf(out, "hugepages: off, ordinary memory\n");
	else
		fprintf(out, "hugepages: %llu MiB wanted, %llu MiB free: %s\n",
			mebibytes(plan->hugepage_memory), mebibytes(plan->hugepage_memory_free),
			plan->use_hugepages ? "used" : "ordinary memory instead");
	fprintf(out,
		"memory: at worst %llu MiB\n"
		"  %6llu MiB received and not decoded yet (penstock: memory_ceiling)\n",
		mebibytes(plan->memory_worst), mebibytes(plan->options->memory_ceiling));
	print_ceiling(&plan->ceiling, out);
	fprintf(out,
		"  %6llu MiB series and their values (penstock: max_context_bytes)\n"
		"  %6llu MiB DPDK and the ports' buffers\n"
		"  %6llu MiB datagrams in fragments and jumbo frames, taken while they are there\n",
		mebibytes(plan->options->max_context_bytes), mebibytes(plan->eal.memory),
		mebibytes(plan->frame_memory));
}

static void
print_outputs(const struct plan *plan, FILE *out)
{
	fprintf(out, "outputs: %u, a bucket is %u s\n", plan->n_outputs,
		plan->options->aggregate_window_duration_seconds);
	for (uint32_t i = 0; i < plan->n_outputs; i++)
		fprintf(out, "  %-10s %-10s %s\n", plan->outputs[i].name, plan->outputs[i].type,
			plan->outputs[i].path);
}

void
plan_print(const struct plan *plan, FILE *out)
{
	const struct options *options = plan->options;

	fprintf(out, "Penstock " PENSTOCK_VERSION ": the plan of %s\n", options->source);
	fprintf(out, "host: %s\n", options->hostname);
	print_workers(plan, out);
	print_listeners(plan, out);
	print_outputs(plan, out);
	print_memory(plan, out);
	fprintf(out, "admin: socket %s, http %s\n",
		options->admin_socket[0] != '\0' ? options->admin_socket : "off",
		options->admin_http[0] != '\0' ? options->admin_http : "off");
	if (plan->telemetry[0] != '\0')
		fprintf(out, "telemetry of DPDK: socket %s\n", plan->telemetry);
	for (uint32_t i = 0; i < plan->n_folders; i++)
		fprintf(out, "folder: %s (made when missing%s)\n", plan->folders[i].path,
			plan->folders[i].is_private ? ", for this user only" : "");
	for (size_t i = 0; i < plan->notes.n; i++)
		fprintf(out, "note: %s\n", plan->notes.item[i]);
}
