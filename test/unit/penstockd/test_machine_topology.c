/* SPDX-License-Identifier: BSD-3-Clause */
/* A sysfs with what matters of a machine with nodes 1 and 3, in the forms that the kernel writes
 * (Documentation/admin-guide/mm/numaperf.rst, ABI/stable/sysfs-devices-node,
 * sysfs-devices-system-cpu). */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "penstockd/hardware.h"
#include "penstockd/machine_topology.h"

static char root[32];

static void
put(const char *path, const char *text)
{
	char full[256], command[512];
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	snprintf(command, sizeof(command), "mkdir -p $(dirname %s)", full);
	assert_int_equal(system(command), 0);
	file = fopen(full, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int
set_up(void **state)
{
	(void)state;
	snprintf(root, sizeof(root), "/tmp/topology-XXXXXX");
	return mkdtemp(root) == NULL;
}

static int
tear_down(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command);
}

static struct machine machine;

static void
read_machine(void)
{
	machine = (struct machine){.sys = root};
	for (uint16_t cpu = 0; cpu < 4; cpu++)
		machine.cpu[machine.n_cpus++] = cpu;
	machine_read_topology(&machine);
}

static void
nodes_are_read_with_the_kernels_numbers(void **state)
{
	char cpus[64];

	(void)state;
	put("devices/system/node/online", "1,3\n");
	put("devices/system/node/node1/cpulist", "0,2\n");
	put("devices/system/node/node1/distance", "10 21\n");
	put("devices/system/node/node1/meminfo",
		"\nNode 1 MemTotal:       65536 kB\nNode 1 MemFree:  1 kB\n");
	put("devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages", "8\n");
	put("devices/system/node/node1/hugepages/hugepages-2048kB/free_hugepages", "5\n");
	put("devices/system/node/node3/cpulist", "1,3\n");
	put("devices/system/node/node3/distance", "21 10\n");
	put("devices/system/node/node3/meminfo", "Node 3 MemTotal:       0 kB\n");
	read_machine();
	assert_int_equal(machine.n_nodes, 2);
	assert_int_equal(machine.node[0].number, 1);
	assert_int_equal(machine.node[1].number, 3);
	assert_int_equal(machine.node[0].memory, 65536 << 10);
	assert_int_equal(machine.node[1].memory, 0);
	assert_int_equal(machine.node[0].n_page_sizes, 1);
	assert_int_equal(machine.node[0].pages[0].size, 2 << 20);
	assert_int_equal(machine.node[0].pages[0].free, 5);
	assert_int_equal(machine_node_of(&machine, 2), 1);
	assert_int_equal(machine_node_of(&machine, 3), 3);
	assert_int_equal(machine_distance(&machine, 1, 3), 21);
	assert_int_equal(machine_distance(&machine, 3, 3), 10);
	assert_int_equal(machine_distance(&machine, 3, 0), 10); /* no such node: not known */
	assert_int_equal(machine_memory_node(&machine, 3), 1);
	assert_null(machine_node(&machine, 0));
	machine_node_cpus(&machine, 1, cpus, sizeof(cpus));
	assert_string_equal(cpus, "0,2");
}

static void
threads_of_one_core_and_governors_are_read(void **state)
{
	(void)state;
	put("devices/system/cpu/cpu0/topology/thread_siblings_list", "0,2\n");
	put("devices/system/cpu/cpu2/topology/thread_siblings_list", "0,2\n");
	put("devices/system/cpu/cpu1/topology/thread_siblings_list", "1\n");
	put("devices/system/cpu/cpu1/cpufreq/scaling_governor", "schedutil\n");
	read_machine();
	assert_true(machine_share_core(&machine, 0, 2));
	assert_false(machine_share_core(&machine, 0, 1));
	assert_false(machine_share_core(&machine, 1, 3)); /* of 3 nothing is known */
	assert_string_equal(machine.governor[1], "schedutil");
	assert_string_equal(machine.governor[0], "");
}

static void
a_machine_that_says_nothing_is_one_of_which_nothing_is_known(void **state)
{
	(void)state;
	read_machine();
	assert_int_equal(machine.n_nodes, 0);
	assert_int_equal(machine_node_of(&machine, 1), -1);
	assert_int_equal(machine_memory_node(&machine, -1), -1);
	assert_int_equal(machine_distance(&machine, -1, -1), 10);
	assert_false(machine_share_core(&machine, 0, 1));
	assert_true(machine_share_core(&machine, 1, 1));
}

static void
a_devices_node_is_read(void **state)
{
	(void)state;
	put("bus/pci/devices/0000:3b:00.0/numa_node", "3\n");
	put("bus/pci/devices/0001:3b:00.0/numa_node", "-1\n");
	put("class/net/eth1/device/numa_node", "1\n");
	assert_int_equal(hardware_node("3b:00.0", root), 3);
	assert_int_equal(hardware_node("0000:3b:00.0", root), 3);
	assert_int_equal(hardware_node("0001:3b:00.0", root), -1);
	assert_int_equal(hardware_node("0000:3c:00.0", root), -1);
	assert_int_equal(hardware_node("net_af_packet0,iface=eth1", root), 1);
	assert_int_equal(hardware_node("net_af_packet0,iface=lo", root), -1);
	assert_int_equal(hardware_node("net_null0", root), -1);
}

/* What is isolated at boot is in nobody's affinity: here the last CPU of two or more. */
static void
isolated_cpus_are_allowed_unless_an_affinity_was_chosen(void **state)
{
	cpu_set_t all, inherited, after;
	unsigned last = 0;
	char text[64];

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &all))
			last = cpu;
	if (CPU_COUNT(&all) < 2)
		skip();
	inherited = all;
	CPU_CLR(last, &inherited);
	snprintf(text, sizeof(text), "%u\n", last);
	put("devices/system/cpu/isolated", text);
	put("devices/system/cpu/nohz_full", text);
	/* As many as there are, whatever their numbers. */
	snprintf(text, sizeof(text), "0-%d\n", CPU_COUNT(&all) - 1);
	put("devices/system/cpu/online", text);

	assert_int_equal(sched_setaffinity(0, sizeof(inherited), &inherited), 0);
	assert_int_equal(machine_read_from(root, &machine), 0);
	assert_int_equal(machine.n_cpus, CPU_COUNT(&all));
	assert_true(machine_has_cpu(&machine, last));
	assert_true(machine.is_isolated[last] && machine.is_tickless[last]);
	assert_true(machine.can_be_tickless);
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&after, &inherited));

	/* One CPU less than everybody inherits: somebody chose it. */
	snprintf(text, sizeof(text), "0-%d\n", CPU_COUNT(&all));
	put("devices/system/cpu/online", text);
	assert_int_equal(machine_read_from(root, &machine), 0);
	assert_false(machine_has_cpu(&machine, last));
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nodes_are_read_with_the_kernels_numbers),
		TEST(threads_of_one_core_and_governors_are_read),
		TEST(a_machine_that_says_nothing_is_one_of_which_nothing_is_known),
		TEST(a_devices_node_is_read),
		TEST(isolated_cpus_are_allowed_unless_an_affinity_was_chosen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
