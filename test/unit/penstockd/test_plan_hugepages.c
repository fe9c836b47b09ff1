/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "penstockd/plan_priv.h"

#define MIB (UINT64_C(1) << 20)

/* A plan with one port on a machine where 3 of 10 pages of 2 MiB are free. */
struct scene {
	struct port_options port_options;
	struct plan_port port;
	struct options options;
	struct machine machine;
	struct plan_error error;
	struct planner planner;
};

static char name[] = "uplink", nic[] = "0000:3b:00.0", memif[] = "net_memif0,role=server";

static struct planner *
scene_of(struct scene *scene, char *device)
{
	*scene = (struct scene){
		.port_options = {.name = name, .device = device},
		.port = {.options = &scene->port_options},
		.options = {.hugepages = HUGEPAGES_AUTO},
		.machine = {.pages = {{2 * MIB, 10, 3}}, .n_page_sizes = 1},
		.planner =
			{
				.options = &scene->options,
				.machine = &scene->machine,
				.plan = {.ports = &scene->port,
					.n_ports = 1,
					.hugepage_memory = 31 * MIB},
				.error = &scene->error,
				.asks_dpdk = true,
			},
	};
	return &scene->planner;
}

static void
a_nic_without_its_hugepages_is_refused_with_the_command(void **state)
{
	struct scene scene;

	(void)state;
	assert_true(plan_hugepages(scene_of(&scene, nic)) < 0);
	assert_int_equal(scene.error.exit_code, 69);
	/* 7 pages are of others, and 31 MiB are 16 more. */
	assert_string_equal(scene.error.text,
		"port uplink: a NIC works in hugepages only: 31 MiB wanted, 6 MiB free: 'sysctl -w "
		"vm.nr_hugepages=23' reserves what is missing");
}

static void
a_nic_is_taken_where_hugepages_suffice(void **state)
{
	struct scene scene;
	struct planner *planner = scene_of(&scene, nic);

	(void)state;
	planner->plan.use_hugepages = true;
	assert_int_equal(plan_hugepages(planner), 0);
	assert_int_equal(planner->plan.hugepage_memory_free, 6 * MIB);
}

static void
a_nic_whose_node_has_none_is_refused_with_the_command(void **state)
{
	struct scene scene;
	struct planner *planner = scene_of(&scene, nic);

	(void)state;
	planner->plan.use_hugepages = true;
	scene.port.node = 3;
	scene.machine.n_nodes = 2;
	scene.machine.node[0] = (struct machine_node){
		.number = 1,
		.pages = {{2 * MIB, 16, 16}},
		.n_page_sizes = 1,
	};
	scene.machine.node[1] = (struct machine_node){
		.number = 3,
		.pages = {{2 * MIB, 4, 0}},
		.n_page_sizes = 1,
	};
	assert_true(plan_hugepages(planner) < 0);
	assert_int_equal(scene.error.exit_code, 69);
	/* 4 pages are of others. */
	assert_string_equal(scene.error.text,
		"port uplink: a NIC takes hugepages of its own node, and node 3 has none free, "
		"though others have: 'echo 20 "
		">/sys/devices/system/node/node3/hugepages/hugepages-2048kB/nr_hugepages'");
	scene.machine.node[1].pages[0].free = 1;
	assert_int_equal(plan_hugepages(planner), 0);
}

static void
a_nic_without_hugepages_is_a_contradiction(void **state)
{
	struct scene scene;
	struct planner *planner = scene_of(&scene, nic);

	(void)state;
	scene.options.hugepages = HUGEPAGES_OFF;
	assert_true(plan_hugepages(planner) < 0);
	assert_int_equal(scene.error.exit_code, 78);
	assert_string_equal(scene.error.text,
		"port uplink: a NIC works in hugepages only, but penstock: hugepages is off: set "
		"it to auto");
}

static void
a_virtual_device_takes_ordinary_memory(void **state)
{
	struct scene scene;

	(void)state;
	assert_int_equal(plan_hugepages(scene_of(&scene, memif)), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_nic_without_its_hugepages_is_refused_with_the_command),
		cmocka_unit_test(a_nic_is_taken_where_hugepages_suffice),
		cmocka_unit_test(a_nic_whose_node_has_none_is_refused_with_the_command),
		cmocka_unit_test(a_nic_without_hugepages_is_a_contradiction),
		cmocka_unit_test(a_virtual_device_takes_ordinary_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
