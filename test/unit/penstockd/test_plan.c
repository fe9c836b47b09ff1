/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "penstockd/plan.h"

static const char *no_variables[] = {NULL};

/* A machine with CPUs 0 … n - 1 and nothing else. */
static struct machine
machine_of(size_t n)
{
	struct machine machine = {.sys = "/nonexistent"};

	for (size_t i = 0; i < n; i++)
		machine.cpu[machine.n_cpus++] = (uint16_t)i;
	return machine;
}

/* A configuration with its sockets and files in /tmp. */
static void
load(const char *own, struct options *options)
{
	struct warnings warnings = {0};
	struct conf_error error;
	char text[2048];

	snprintf(text, sizeof(text),
		"dogstatsd_socket: /tmp/plan.sock\npenstock:\n  admin: {socket: /tmp/plan-admin}\n"
		"  outputs: [{type: null}]\n%s",
		own);
	assert_int_equal(options_parse(span_from_string(text), "p.yaml", no_variables, options,
				 &warnings, &error),
		0);
	warnings_free(&warnings);
}

static void
expect_refused(const char *own, const struct machine *machine, int exit_code, const char *message)
{
	struct plan_error error;
	struct options options;
	struct plan plan;

	load(own, &options);
	assert_true(plan_make_on(&options, machine, &plan, &error) < 0);
	assert_string_equal(error.text, message);
	assert_int_equal(error.exit_code, exit_code);
	options_free(&options);
}

static void
make(const char *own, const struct machine *machine, struct options *options, struct plan *plan)
{
	struct plan_error error = {0};

	load(own, options);
	if (plan_make_on(options, machine, plan, &error) != 0)
		fail_msg("%s", error.text);
}

static void
sockets_are_the_slow_paths(void **state)
{
	struct machine machine = machine_of(4);
	const struct plan_worker *slow;
	struct options options;
	struct plan plan;

	(void)state;
	make("dogstatsd_stream_socket: /tmp/plan-stream\ndogstatsd_eol_required: [uds]\n", &machine,
		&options, &plan);
	assert_int_equal(plan.n_workers, 1);
	slow = &plan.workers[0];
	assert_string_equal(slow->name, "slow");
	assert_int_equal(slow->cpu, 0);
	assert_int_equal(slow->n_inputs, 3);
	assert_string_equal(slow->input[0].driver, "udp");
	assert_string_equal(slow->input[0].address, "localhost");
	assert_string_equal(slow->input[0].udp_port, "8125");
	assert_false(slow->input[0].eol_required);
	assert_string_equal(slow->input[1].driver, "uds_dgram");
	assert_string_equal(slow->input[1].address, "/tmp/plan.sock");
	assert_true(slow->input[1].eol_required);
	assert_string_equal(slow->input[2].driver, "uds_stream");
	assert_int_equal(plan.n_listeners, 3);
	assert_string_equal(plan.listener_name[0], "udp");
	assert_string_equal(plan.listener_name[1], "uds");
	assert_string_equal(plan.listener_name[2], "uds_stream");
	assert_int_equal(slow->input[2].listener, 2);
	plan_free(&plan);
	options_free(&options);
}

static void
queues_go_round_the_workers(void **state)
{
	struct machine machine = machine_of(4);
	struct options options;
	struct plan plan;

	(void)state;
	make("  ports:\n    - {device: net_null0, queues: 3}\n    - {device: net_null1, queues: "
	     "2}\n"
	     "  workers: 2\n",
		&machine, &options, &plan);
	assert_int_equal(plan.n_workers, 3);
	assert_int_equal(plan.workers[0].cpu, 0);
	assert_int_equal(plan.workers[1].cpu, 1);
	assert_int_equal(plan.workers[2].cpu, 2);
	/* port0 q0 q1 q2, port1 q0 q1: to worker 1, 2, 1, 2, 1. */
	assert_int_equal(plan.workers[1].n_inputs, 3);
	assert_int_equal(plan.workers[2].n_inputs, 2);
	assert_string_equal(plan.workers[1].input[1].name, "port0");
	assert_int_equal(plan.workers[1].input[1].queue, 2);
	assert_string_equal(plan.workers[2].input[1].name, "port1");
	assert_int_equal(plan.workers[2].input[1].queue, 0);
	assert_int_equal(plan.workers[1].input[2].queue, 1);
	plan_set_port(&plan, 1, (struct port *)&plan, 2);
	assert_null(plan.workers[1].input[0].port);
	assert_ptr_equal(plan.workers[1].input[2].port, &plan);
	/* The first was granted one queue of three: worker 2 shares it, worker 1 needs no second
	 * share. */
	assert_int_equal(plan.ports[0].spec.shares, 2);
	plan_set_port(&plan, 0, (struct port *)&plan, 2);
	assert_int_equal(plan.workers[1].n_inputs, 2);
	assert_string_equal(plan.workers[1].input[1].name, "port1");
	assert_int_equal(plan.workers[2].n_inputs, 2);
	assert_int_equal(plan.workers[2].input[0].queue, 1);
	plan_free(&plan);
	options_free(&options);
}

/* Ports without a number of queues, on virtual devices: what is left over is steered to. */
static void
workers_without_a_queue_are_steered_to(void **state)
{
	struct machine machine = machine_of(8);
	struct options options;
	struct plan plan;

	(void)state;
	make("  ports: [{device: net_null0}]\n  workers: 3\n", &machine, &options, &plan);
	assert_int_equal(plan.ports[0].spec.queues, 1);
	assert_int_equal(plan.ports[0].spec.shares, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(plan.workers[1 + i].n_inputs, 1);
		assert_int_equal(plan.workers[1 + i].input[0].queue, i);
	}
	assert_int_equal(plan.notes.n, 0);
	plan_free(&plan);
	options_free(&options);

	/* Each port has a poller of its own; the third worker has none, so all share in both. */
	make("  ports: [{device: net_null0}, {device: net_null1}]\n  workers: 3\n", &machine,
		&options, &plan);
	assert_int_equal(plan.workers[1].input[0].queue, 0);
	assert_string_equal(plan.workers[2].input[0].name, "port1");
	assert_int_equal(plan.workers[2].input[0].queue, 0);
	for (unsigned i = 1; i <= 3; i++)
		assert_int_equal(plan.workers[i].n_inputs, 2);
	plan_free(&plan);
	options_free(&options);

	/* A queue for each worker, and one that was asked for: nothing is steered. */
	make("  ports: [{device: net_null0}, {device: net_null1}]\n  workers: 2\n", &machine,
		&options, &plan);
	assert_int_equal(plan.ports[0].spec.shares, 1);
	assert_int_equal(plan.workers[1].n_inputs, 1);
	plan_free(&plan);
	options_free(&options);
	make("  ports: [{device: net_null0, queues: 2}]\n  workers: 3\n", &machine, &options,
		&plan);
	assert_int_equal(plan.ports[0].spec.shares, 2);
	assert_int_equal(plan.workers[3].n_inputs, 0);
	plan_free(&plan);
	options_free(&options);
}

static void
workers_are_as_many_as_cores_and_queues_allow(void **state)
{
	static const struct {
		const char *own;
		size_t n_cpus;
		uint32_t n_polling;
	} expected[] = {
		{"", 8, 0},
		{"  workers: 4\n", 8, 0}, /* nothing to poll */
		{"  ports: [{device: net_null0}]\n", 8, 1},
		{"  ports: [{device: net_null0, queues: 3}]\n", 8, 3},
		{"  ports: [{device: net_null0, queues: 9}]\n", 8, 7},
		{"  ports: [{device: net_null0, queues: 9}]\n", 1, 1},
		{"  ports: [{device: net_null0}]\n  workers: 0\n", 8, 0}, /* the slow path polls */
		{"  ports: [{device: net_null0}]\n  workers: 2\n", 2, 2},
		{"  ports: [{device: net_null0}]\ndogstatsd_workers_count: 2\n", 4, 2},
		{"  ports: [{device: net_null0}]\ndogstatsd_workers_count: 64\n", 4, 3},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(expected); i++) {
		struct machine machine = machine_of(expected[i].n_cpus);
		struct options options;
		struct plan plan;

		make(expected[i].own, &machine, &options, &plan);
		assert_int_equal(plan.n_workers, expected[i].n_polling + 1);
		if (expected[i].n_polling == 0 && plan.n_ports != 0)
			assert_string_equal(plan.workers[0].input[2].driver, "dpdk");
		plan_free(&plan);
		options_free(&options);
	}
}

static void
cores_outside_the_allowed_ones_are_refused(void **state)
{
	struct machine machine = machine_of(3);

	(void)state;
	machine.cpu[2] = 6;
	expect_refused("  ports: [{device: net_null0}]\n  workers: [1, 2]\n", &machine, 78,
		"penstock: workers: core 2 is not one that this process may use; affinity and "
		"cgroup "
		"leave it 0-1,6: choose from these, or set it to auto");
	expect_refused("  slow_core: 3\n", &machine, 78,
		"penstock: slow_core: core 3 is not one that this process may use; affinity and "
		"cgroup leave it 0-1,6: choose from these, or set it to auto");
	expect_refused("  ports: [{device: net_null0}]\n  workers: 4\n", &machine, 78,
		"penstock: workers: 4 are wanted, but affinity and cgroup leave this process only "
		"the cores 0-1,6: set it to at most 3 or to auto, or give the process more cores "
		"(taskset, AllowedCPUs=)");
}

static void
the_slow_path_keeps_off_the_workers_cores(void **state)
{
	struct machine machine = machine_of(3);
	struct options options;
	struct plan plan;

	(void)state;
	machine.is_isolated[0] = true;
	make("  ports: [{device: net_null0, queues: 2}]\n  workers: [0, 2]\n", &machine, &options,
		&plan);
	assert_int_equal(plan.workers[0].cpu, 1);
	assert_int_equal(plan.workers[1].cpu, 0);
	assert_int_equal(plan.workers[1].idle, WORKER_IDLE_POLL); /* isolated */
	assert_int_equal(plan.workers[2].cpu, 2);
	assert_int_equal(plan.workers[2].idle, WORKER_IDLE_SLEEP);
	assert_int_equal(plan.notes.n, 0);
	plan_free(&plan);
	options_free(&options);

	make("  ports: [{device: net_null0, queues: 2}]\n  slow_core: 1\n  workers: 2\n", &machine,
		&options, &plan);
	assert_int_equal(plan.workers[0].cpu, 1);
	assert_int_equal(plan.workers[1].cpu, 0);
	assert_int_equal(plan.workers[2].cpu, 2);
	plan_free(&plan);
	options_free(&options);
}

static void
a_worker_without_a_queue_is_noted(void **state)
{
	struct machine machine = machine_of(4);
	struct options options;
	struct plan plan;

	(void)state;
	make("  ports: [{device: net_null0, queues: 1}]\n  workers: 2\n", &machine, &options,
		&plan);
	assert_int_equal(plan.notes.n, 1);
	assert_string_equal(plan.notes.item[0],
		"worker2 has no queue to poll: set queues of a port to 2, or penstock: workers to "
		"less.");
	plan_free(&plan);
	options_free(&options);
}

static void
a_missing_device_is_refused_with_the_way_out(void **state)
{
	struct machine machine = machine_of(2);

	(void)state;
	expect_refused("  ports: [{device: '3b:00.0'}]\n", &machine, 69,
		"port port0: there is no PCI device 0000:3b:00.0: 'ls /sys/bus/pci/devices' lists "
		"what there is");
	expect_refused("  ports: [{name: up, device: 'net_af_packet0,iface=eth9'}]\n", &machine, 69,
		"port up: there is no network interface eth9: 'ls /sys/class/net' lists what there "
		"is");
}

static void
a_missing_folder_is_refused_with_the_way_out(void **state)
{
	struct machine machine = machine_of(2);

	(void)state;
	expect_refused("dogstatsd_stream_socket: /tmp/nonexistent/a/s.sock\n", &machine, 69,
		"dogstatsd_stream_socket: the folder /tmp/nonexistent/a does not exist: 'mkdir -p "
		"/tmp/nonexistent/a', or set another path");
	expect_refused("dogstatsd_stream_socket: /dev/null/s.sock\n", &machine, 69,
		"dogstatsd_stream_socket: no file can be made in /dev/null (Not a directory): "
		"change its owner or mode, or set another path");
}

static void
memory_is_summed_and_compared(void **state)
{
	struct machine machine = machine_of(2);
	struct options options;
	struct plan plan;

	(void)state;
	machine.memory = 1ull << 30;
	machine.n_page_sizes = 2;
	machine.pages[0] = (struct machine_pages){2 << 20, 100, 31};
	machine.pages[1] = (struct machine_pages){1 << 30, 4, 2};
	make("  memory_ceiling: 1GiB\n  max_context_bytes: 2GiB\n", &machine, &options, &plan);
	assert_true(plan.memory_worst == 3ull << 30);
	assert_true(plan.hugepage_memory_free == (62 << 20) + (2ull << 30));
	assert_int_equal(plan.notes.n, 1);
	assert_string_equal(plan.notes.item[0],
		"At worst Penstock takes 3072 MiB, but the machine has 1024 MiB: lower penstock: "
		"max_context_bytes or memory_ceiling.");
	plan_free(&plan);
	options_free(&options);
}

/* Two workers with a port and one with sockets have 2 chunks of 256 KiB each; the longest datagram
 * of a port is 65507 bytes. */
static void
a_ceiling_below_the_reserves_is_refused(void **state)
{
	static const char own[] =
		"  ports: [{device: net_null0, queues: 2}]\n  workers: 2\n  memory_ceiling: 1MiB\n";
	struct machine machine = machine_of(4);

	(void)state;
	expect_refused(own, &machine, 78,
		"penstock: memory_ceiling is 1024 KiB, but 2 workers with ports, 1 with sockets "
		"and "
		"frames of up to 65527 bytes need 1536 KiB at least: set it to 2MiB or more");
}

/* 32 and 4 each for 2 workers, 2 sockets, 3 queues and 1 output: 64. */
static void
too_few_descriptors_are_refused(void **state)
{
	static const char own[] = "  ports: [{device: net_null0, queues: 3}]\n  workers: 1\n";
	struct machine machine = machine_of(2);
	struct options options;
	struct plan plan;

	(void)state;
	machine.descriptors_max = 63;
	expect_refused(own, &machine, 69,
		"this process may open 63 files, but needs 64 for what is configured, and one more "
		"for each stream connection: 'ulimit -n 1024' before the start, or LimitNOFILE= of "
		"its unit");
	machine.descriptors_max = 64;
	make(own, &machine, &options, &plan);
	plan_free(&plan);
	options_free(&options);
}

static void
what_dpdk_is_told_is_what_was_planned(void **state)
{
	struct machine machine = machine_of(4);
	const struct port_spec *spec;
	struct options options;
	struct plan plan;

	(void)state;
	make("  ports: [{device: net_null0, queues: 2, addresses: [192.0.2.1/24], allow: "
	     "[192.0.2.0/24, '2001:db8::/32'], checksum: verify}]\n  hugepages: off\n"
	     "  eal: [--no-pci]\ndogstatsd_port: 9125\n",
		&machine, &options, &plan);
	spec = &plan.ports[0].spec;
	assert_string_equal(spec->name, "port0");
	assert_string_equal(spec->device, "net_null0");
	assert_int_equal(spec->queues, 2);
	assert_int_equal(spec->udp_port, 9125);
	assert_int_equal(spec->n_addresses, 1);
	assert_int_equal(spec->n_allow, 2);
	assert_string_equal(spec->allow[1], "2001:db8::/32");
	assert_int_equal(spec->checksum, PORT_CHECKSUM_VERIFY);
	assert_int_equal(plan.eal.n_devices, 1);
	assert_string_equal(plan.eal.devices[0], "net_null0");
	assert_false(plan.eal.hugepages);
	assert_int_equal(plan.eal.main_cpu, 0);
	assert_int_equal(plan.eal.n_workers, 2);
	assert_int_equal(plan.eal.worker_cpus[0], 1);
	assert_int_equal(plan.eal.worker_cpus[1], 2);
	assert_int_equal(plan.eal.n_extra, 1);
	assert_string_equal(plan.eal.extra[0], "--no-pci");
	plan_free(&plan);
	options_free(&options);
}

static void
ports_need_a_udp_port(void **state)
{
	struct machine machine = machine_of(2);
	struct options options;
	struct plan plan;

	(void)state;
	expect_refused("  ports: [{device: net_null0}]\ndogstatsd_port: 0\n", &machine, 78,
		"dogstatsd_port is 0 (off), but a port takes the datagrams that are sent to it: "
		"set "
		"dogstatsd_port, or leave penstock: ports out");
	make("  ports: [{device: net_null0}]\ndogstatsd_port: __random__\n", &machine, &options,
		&plan);
	assert_int_equal(plan.ports[0].spec.udp_port, 0); /* any */
	assert_int_equal(plan.notes.n, 1);
	plan_free(&plan);
	options_free(&options);
}

static void
outputs_are_no_more_than_the_ledger_holds(void **state)
{
	struct machine machine = machine_of(1);
	struct warnings warnings = {0};
	struct conf_error conf_error;
	struct plan_error error;
	struct options options;
	struct plan plan;
	char text[1024];

	(void)state;
	for (int n = 16; n <= 17; n++) {
		size_t used = (size_t)snprintf(text, sizeof(text),
			"dogstatsd_socket: /tmp/plan.sock\n"
			"penstock:\n  admin: {socket: /tmp/plan-admin}\n  outputs:\n");

		for (int i = 0; i < n; i++)
			used += (size_t)snprintf(text + used, sizeof(text) - used,
				"    - {type: null}\n");
		assert_int_equal(options_parse(span_of(text, used), "p.yaml", no_variables,
					 &options, &warnings, &conf_error),
			0);
		if (n == 16) {
			assert_int_equal(plan_make_on(&options, &machine, &plan, &error), 0);
			plan_free(&plan);
		} else {
			assert_true(plan_make_on(&options, &machine, &plan, &error) < 0);
			assert_int_equal(error.exit_code, 78);
			assert_string_equal(error.text,
				"17 outputs are more than the 16 that there can be: leave some of "
				"penstock: outputs out");
		}
		options_free(&options);
	}
	warnings_free(&warnings);
}

static void
a_port_that_the_kernel_serves_too_is_noted(void **state)
{
	struct machine machine = machine_of(2);
	struct options options;
	struct plan plan;

	(void)state;
	machine.sys = "/sys"; /* every machine has lo */
	make("  ports: [{device: 'net_af_packet0,iface=lo'}, {device: net_null0}]\n", &machine,
		&options, &plan);
	assert_int_equal(plan.notes.n, 1);
	assert_string_equal(plan.notes.item[0],
		"port port0: the kernel goes on serving lo (net_af_packet only looks on), so a "
		"datagram to UDP port 8125 that the UDP socket hears as well is counted more than "
		"once: let bind_host be an address that lo does not carry.");
	plan_free(&plan);
	options_free(&options);

	make("  ports: [{device: 'net_pcap0,rx_iface=eth1'}]\n", &machine, &options, &plan);
	assert_int_equal(plan.notes.n, 1);
	plan_free(&plan);
	options_free(&options);
	make("  ports: [{device: 'net_pcap0,rx_pcap=/tmp/a'}]\n", &machine, &options, &plan);
	assert_int_equal(plan.notes.n, 0);
	plan_free(&plan);
	options_free(&options);
}

static void
a_note_says_what_addresses_lack(void **state)
{
	struct machine machine = machine_of(2);
	struct options options;
	struct plan plan;

	(void)state;
	make("  ports:\n    - {device: net_null0, addresses: [192.0.2.1/24, 192.0.2.2, "
	     "'2001:db8::1'], "
	     "gateway: ['2001:db8::fe']}\n    - {device: net_null1, gateway: [192.0.2.254]}\n",
		&machine, &options, &plan);
	assert_int_equal(plan.notes.n, 2);
	assert_string_equal(plan.notes.item[0],
		"port port0: address 192.0.2.2 has no network around it (a prefix length such as "
		"/24), so echo requests are answered to nobody: write the length, or a gateway.");
	assert_string_equal(plan.notes.item[1],
		"port port1: its gateway is of no use without addresses, for which it could "
		"answer.");
	assert_int_equal(plan.ports[0].spec.n_gateways, 1);
	plan_free(&plan);
	options_free(&options);
}

static void
the_plan_prints_what_matters(void **state)
{
	struct machine machine = machine_of(2);
	struct options options;
	struct plan plan;
	char *text;
	size_t size;
	FILE *out;

	(void)state;
	make("  ports: [{device: net_null0, name: lab, addresses: [192.0.2.1/24], exception: "
	     "'net_tap0,iface=pen0'}]\n",
		&machine, &options, &plan);
	out = open_memstream(&text, &size);
	assert_non_null(out);
	plan_print(&plan, out);
	fclose(out);
	assert_non_null(strstr(text, "cores: 0-1 allowed\n"));
	assert_non_null(strstr(text, "core 1    worker1   idle sleep  lab queue 0\n"));
	assert_non_null(strstr(text, "localhost port 8125"));
	assert_non_null(strstr(text, "/tmp/plan.sock mode 0722"));
	assert_non_null(strstr(text, "net_null0 (virtual device)"));
	assert_non_null(strstr(text, "addresses 192.0.2.1/24\n"));
	assert_non_null(strstr(text, "everything else to and from net_tap0,iface=pen0\n"));
	free(text);
	plan_free(&plan);
	options_free(&options);
}

static void
this_machine_can_be_read(void **state)
{
	static struct machine machine;
	char text[256];

	(void)state;
	assert_int_equal(machine_read(&machine), 0);
	assert_true(machine.n_cpus > 0);
	assert_true(machine_has_cpu(&machine, machine.cpu[0]));
	assert_true(machine.memory > 0);
	machine_cpus(&machine, text, sizeof(text));
	assert_true(text[0] != '\0');
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sockets_are_the_slow_paths),
		cmocka_unit_test(queues_go_round_the_workers),
		cmocka_unit_test(workers_without_a_queue_are_steered_to),
		cmocka_unit_test(workers_are_as_many_as_cores_and_queues_allow),
		cmocka_unit_test(cores_outside_the_allowed_ones_are_refused),
		cmocka_unit_test(the_slow_path_keeps_off_the_workers_cores),
		cmocka_unit_test(a_worker_without_a_queue_is_noted),
		cmocka_unit_test(a_missing_device_is_refused_with_the_way_out),
		cmocka_unit_test(a_missing_folder_is_refused_with_the_way_out),
		cmocka_unit_test(memory_is_summed_and_compared),
		cmocka_unit_test(a_ceiling_below_the_reserves_is_refused),
		cmocka_unit_test(too_few_descriptors_are_refused),
		cmocka_unit_test(what_dpdk_is_told_is_what_was_planned),
		cmocka_unit_test(ports_need_a_udp_port),
		cmocka_unit_test(outputs_are_no_more_than_the_ledger_holds),
		cmocka_unit_test(a_port_that_the_kernel_serves_too_is_noted),
		cmocka_unit_test(a_note_says_what_addresses_lack),
		cmocka_unit_test(the_plan_prints_what_matters),
		cmocka_unit_test(this_machine_can_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
