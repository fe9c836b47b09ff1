/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plan on machines that are made by hand: two sockets, node numbers that do not begin at 0,
 * nodes without memory or CPUs, hardware threads, isolation, governors. What is near was worked out
 * on paper.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "penstockd/machine_topology.h"
#include "penstockd/plan.h"

static struct machine machine;
static char root[32]; /* the machine's sysfs: its NICs */

/* "3b:00.0" with the driver vfio-pci on a node; "-1" where the firmware does not say. */
static void
add_nic(const char *address, const char *node)
{
	char command[512];

	snprintf(command, sizeof(command),
		"d=%s/bus/pci/devices/0000:%s; mkdir -p $d && ln -s ../../drivers/vfio-pci "
		"$d/driver && echo %s >$d/numa_node",
		root, address, node);
	assert_int_equal(system(command), 0);
}

/* Eight CPUs: 0-3 on node 1, 4-7 on node 3; there is no other node. */
static int
set_up(void **state)
{
	(void)state;
	snprintf(root, sizeof(root), "/tmp/plan-nodes-XXXXXX");
	assert_non_null(mkdtemp(root));
	machine = (struct machine){.sys = root, .n_nodes = 2};
	machine.node[0] =
		(struct machine_node){.number = 1, .memory = 4ull << 30, .distance = {10, 21}};
	machine.node[1] =
		(struct machine_node){.number = 3, .memory = 4ull << 30, .distance = {21, 10}};
	for (uint16_t cpu = 0; cpu < 8; cpu++) {
		machine.cpu[machine.n_cpus++] = cpu;
		machine.cpu_node[cpu] = cpu < 4 ? 1 : 3;
	}
	return 0;
}

static int
tear_down(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command);
}

static struct options options;
static struct plan plan;

static void
make(const char *own)
{
	static const char *no_variables[] = {NULL};
	struct warnings warnings = {0};
	struct conf_error conf_error;
	struct plan_error error = {0};
	char text[2048];

	snprintf(text, sizeof(text),
		"dogstatsd_socket: /tmp/plan.sock\npenstock:\n  admin: {socket: /tmp/plan-admin}\n"
		"  outputs: [{type: null}]\n%s",
		own);
	assert_int_equal(options_parse(span_from_string(text), "p.yaml", no_variables, &options,
				 &warnings, &conf_error),
		0);
	warnings_free(&warnings);
	if (plan_make_on(&options, &machine, &plan, &error) != 0)
		fail_msg("%s", error.text);
}

static void
drop(void)
{
	plan_free(&plan);
	options_free(&options);
}

/* The cores of the workers that poll, in order: "4,5". */
static void
expect_cores(const char *expected)
{
	char cores[128] = "";
	size_t used = 0;

	for (uint32_t i = 1; i < plan.n_workers; i++)
		used += (size_t)snprintf(cores + used, sizeof(cores) - used, "%s%u",
			i > 1 ? "," : "", plan.workers[i].cpu);
	assert_string_equal(cores, expected);
}

static void
expect_note(const char *expected)
{
	for (size_t i = 0; i < plan.notes.n; i++)
		if (strcmp(plan.notes.item[i], expected) == 0)
			return;
	for (size_t i = 0; i < plan.notes.n; i++)
		print_message("note: %s\n", plan.notes.item[i]);
	fail_msg("no note: %s", expected);
}

static void
expect_no_note_with(const char *words)
{
	for (size_t i = 0; i < plan.notes.n; i++)
		if (strstr(plan.notes.item[i], words) != NULL)
			fail_msg("note: %s", plan.notes.item[i]);
}

/* The slow path takes core 0; a NIC on node 3 is polled from there alone. */
static void
workers_are_on_the_ports_node(void **state)
{
	(void)state;
	add_nic("3b:00.0", "3");
	make("  ports: [{device: '3b:00.0'}]\n");
	assert_int_equal(plan.workers[0].cpu, 0);
	assert_int_equal(plan.workers[0].node, 1);
	expect_cores("4,5,6,7");
	assert_int_equal(plan.ports[0].spec.queues, 4);
	assert_int_equal(plan.ports[0].node, 3);
	assert_true(plan.ports[0].spec.on_node);
	assert_int_equal(plan.ports[0].spec.node, 3);
	for (uint32_t i = 1; i < plan.n_workers; i++) {
		assert_int_equal(plan.workers[i].memory_node, 3);
		assert_int_equal(plan.workers[i].n_inputs, 1);
	}
	expect_no_note_with("node");
	drop();
}

/* Near the first NIC there are cores 1-3, beside the slow path's. */
static void
each_port_gets_workers_of_its_own_node(void **state)
{
	(void)state;
	add_nic("3b:00.0", "1");
	add_nic("af:00.0", "3");
	make("  ports: [{device: '3b:00.0'}, {device: 'af:00.0'}]\n  workers: 4\n");
	expect_cores("1,4,2,5");
	for (uint32_t i = 1; i < plan.n_workers; i++) {
		assert_int_equal(plan.workers[i].n_inputs, 1);
		assert_string_equal(plan.workers[i].input[0].name, i % 2 == 1 ? "port0" : "port1");
	}
	assert_int_equal(plan.ports[0].spec.queues, 2);
	assert_int_equal(plan.ports[1].spec.queues, 2);
	assert_int_equal(plan.ports[0].spec.node, 1);
	assert_int_equal(plan.ports[1].spec.node, 3);
	expect_no_note_with("crosses");
	drop();
}

static void
isolated_cores_come_first_and_threads_of_taken_cores_last(void **state)
{
	(void)state;
	add_nic("3b:00.0", "3");
	/* 4 and 6, 5 and 7 are threads of one core each. */
	machine.core[4] = machine.core[6] = 4 + 1;
	machine.core[5] = machine.core[7] = 5 + 1;
	make("  ports: [{device: '3b:00.0'}]\n");
	expect_cores("4,5");
	drop();
	make("  ports: [{device: '3b:00.0'}]\n  workers: 3\n");
	expect_cores("4,5,6");
	expect_note("worker1 (core 4) and worker3 (core 6) are threads of one physical core and "
		    "slow each other down: let penstock: workers and slow_core name threads of "
		    "different cores.");
	drop();
	machine.is_isolated[7] = true;
	make("  ports: [{device: '3b:00.0'}]\n  workers: 3\n");
	expect_cores("7,4,5");
	drop();
	/* Who isolates cores means these. */
	machine.is_isolated[6] = true;
	make("  ports: [{device: '3b:00.0'}]\n");
	expect_cores("6,7");
	assert_int_equal(plan.workers[1].idle, WORKER_IDLE_POLL);
	expect_no_note_with("threads of one");
	drop();
}

static void
the_slow_path_leaves_isolated_cores_and_their_threads_alone(void **state)
{
	(void)state;
	machine.is_isolated[0] = machine.is_isolated[1] = true;
	machine.core[0] = machine.core[4] = 1; /* threads of one core, for the sake of it */
	machine.core[2] = machine.core[1] = 2;
	make("  ports: [{device: net_null0, queues: 2}]\n");
	assert_int_equal(plan.workers[0].cpu, 2);
	/* Core 1 shares with the slow path's, so 0 is the only one that is worth a worker. */
	expect_cores("0");
	drop();
}

static void
far_cores_of_a_list_are_kept_and_noted(void **state)
{
	(void)state;
	add_nic("3b:00.0", "3");
	make("  ports: [{name: up, device: '3b:00.0'}]\n  workers: [1, 5]\n");
	expect_cores("1,5");
	assert_int_equal(plan.workers[1].n_inputs, 1);
	assert_int_equal(plan.workers[2].n_inputs, 1);
	expect_no_note_with("worker2");
	drop();
	make("  ports: [{name: up, device: '3b:00.0'}]\n  workers: [1, 2]\n");
	assert_int_equal(plan.workers[1].n_inputs, 1);
	assert_int_equal(plan.workers[2].n_inputs, 1);
	assert_int_equal(plan.ports[0].spec.node, 3);
	expect_note("Port up is on node 3, but worker1 (core 1), which polls it, is on node 1 "
		    "(distance 21; 10 is near), and each frame crosses between them: let "
		    "penstock: workers name cores of its node, 4-7.");
	drop();
	machine.n_cpus = 4; /* as with taskset -c 0-3 */
	make("  ports: [{name: up, device: '3b:00.0'}]\n  workers: 1\n");
	expect_cores("1");
	expect_note("Port up is on node 3, but worker1 (core 1), which polls it, is on node 1 "
		    "(distance 21; 10 is near), and each frame crosses between them: let the "
		    "process use cores of its node (taskset, AllowedCPUs=).");
	drop();
}

static void
a_device_without_a_node_goes_where_its_worker_is(void **state)
{
	(void)state;
	add_nic("3b:00.0", "-1");
	make("  ports: [{device: '3b:00.0'}, {device: net_null0}]\n  workers: [6]\n");
	assert_int_equal(plan.ports[0].node, -1);
	assert_int_equal(plan.ports[0].spec.node, 3);
	assert_int_equal(plan.ports[1].spec.node, 3);
	expect_note("Port port0: the machine does not say on which node its device is; its buffers "
		    "go to node 3, with the worker that polls it.");
	expect_no_note_with("Port port1");
	drop();
}

static void
a_node_without_memory_takes_from_the_nearest(void **state)
{
	(void)state;
	add_nic("3b:00.0", "3");
	machine.n_nodes = 3;
	machine.node[2] = (struct machine_node){.number = 6, .memory = 1ull << 30};
	machine.node[1].memory = 0;
	memcpy(machine.node[1].distance, ((uint8_t[]){21, 10, 14}), 3);
	make("  ports: [{device: '3b:00.0'}]\n  workers: 1\n");
	assert_int_equal(plan.workers[1].node, 3);
	assert_int_equal(plan.workers[1].memory_node, 6);
	assert_int_equal(plan.ports[0].spec.node, 6);
	assert_string_equal(plan.nodes,
		"1 (cores 0-3, 4096 MiB), 3 (cores 4-7, no memory), 6 (no core, 1024 MiB)");
	expect_note("worker1 runs on node 3, which has no memory for this process: it takes its "
		    "memory from node 6 (distance 14; 10 is near).");
	drop();
}

static void
what_disturbs_a_core_that_polls_is_noted_with_the_command(void **state)
{
	(void)state;
	add_nic("3b:00.0", "3");
	machine.can_be_tickless = true;
	machine.moves_pages = true;
	for (int cpu = 4; cpu < 8; cpu++)
		snprintf(machine.governor[cpu], sizeof(machine.governor[cpu]), "powersave");
	snprintf(machine.governor[7], sizeof(machine.governor[7]), "performance");
	make("  ports: [{device: '3b:00.0'}]\n");
	expect_cores("4,5,6,7");
	expect_note("Core 4-7 of the workers is not isolated, so other threads may hold them up "
		    "for milliseconds: boot with isolcpus=4-7 nohz_full=4-7, or let penstock: "
		    "workers name isolated cores.");
	expect_note("The frequency governor of core 4-6 is powersave, so the core starts slowly "
		    "after each pause: 'cpupower -c 4-6 frequency-set -g performance' (of the "
		    "package linux-cpupower).");
	expect_note("The kernel looks for pages to move between nodes, and holds workers up for "
		    "it: 'sysctl -w kernel.numa_balancing=0'.");
	drop();
	machine.is_isolated[6] = machine.is_isolated[7] = true;
	make("  ports: [{device: '3b:00.0'}]\n");
	expect_cores("6,7");
	expect_note("Core 6-7 is isolated, but its timer still ticks: boot with nohz_full=6-7 as "
		    "well.");
	expect_no_note_with("not isolated");
	drop();
	machine.is_tickless[6] = machine.is_tickless[7] = true;
	make("  ports: [{device: '3b:00.0'}]\n");
	expect_no_note_with("ticks");
	drop();
}

/* A virtual device's worker that sleeps when idle needs none of it. */
static void
a_worker_that_rests_gets_no_advice(void **state)
{
	(void)state;
	machine.can_be_tickless = machine.moves_pages = true;
	snprintf(machine.governor[1], sizeof(machine.governor[1]), "powersave");
	make("  ports: [{device: net_null0}]\n");
	expect_cores("1");
	assert_int_equal(plan.notes.n, 0);
	drop();
	make("  ports: [{device: net_null0}]\n  idle: poll\n");
	assert_int_equal(plan.notes.n, 3);
	drop();
}

static void
the_plan_says_what_it_found(void **state)
{
	char *text;
	size_t size;
	FILE *out;

	(void)state;
	add_nic("3b:00.0", "3");
	machine.is_isolated[6] = machine.is_tickless[6] = true;
	make("  ports: [{name: up, device: '3b:00.0'}]\n");
	out = open_memstream(&text, &size);
	assert_non_null(out);
	plan_print(&plan, out);
	fclose(out);
	assert_non_null(strstr(text,
		"cores: 0-7 allowed\n"
		"nodes: 1 (cores 0-3, 4096 MiB), 3 (cores 4-7, 4096 MiB)\n"
		"  core 0    slow      idle sleep  node 1, udp, uds\n"
		"  core 6    worker1   idle poll   node 3 isolated tickless, up queue 0\n"));
	assert_non_null(strstr(text,
		"3b:00.0 (PCI device, driver vfio-pci), UDP port 8125, 1 queue, device on node 3, "
		"buffers on node 3\n"));
	free(text);
	drop();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(workers_are_on_the_ports_node),
		TEST(each_port_gets_workers_of_its_own_node),
		TEST(isolated_cores_come_first_and_threads_of_taken_cores_last),
		TEST(the_slow_path_leaves_isolated_cores_and_their_threads_alone),
		TEST(far_cores_of_a_list_are_kept_and_noted),
		TEST(a_device_without_a_node_goes_where_its_worker_is),
		TEST(a_node_without_memory_takes_from_the_nearest),
		TEST(what_disturbs_a_core_that_polls_is_noted_with_the_command),
		TEST(a_worker_that_rests_gets_no_advice),
		TEST(the_plan_says_what_it_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
