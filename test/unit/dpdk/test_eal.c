/* SPDX-License-Identifier: BSD-3-Clause */
#include "dpdk/lab.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

/* P10 of the performance goals: a process without ports, before it has seen a metric. */
#define IDLE_RSS_KIB (16 << 10)

static unsigned cpu_of_first, cpu_count;
static _Atomic int n_ran;
static cpu_set_t ran_on[2];

static void
find_cpus(void)
{
	cpu_set_t allowed;

	CHECK(sched_getaffinity(0, sizeof(allowed), &allowed) == 0);
	cpu_count = (unsigned)CPU_COUNT(&allowed);
	for (cpu_of_first = 0; !CPU_ISSET(cpu_of_first, &allowed);)
		cpu_of_first++;
}

static int
note_cpu(void *argument)
{
	cpu_set_t *cpus = argument;

	sched_getaffinity(0, sizeof(*cpus), cpus);
	atomic_fetch_add(&n_ran, 1);
	return 0;
}

static long
resident_kib(void)
{
	char line[256];
	long kib = -1;
	FILE *file = fopen("/proc/self/status", "r");

	CHECK(file != NULL);
	while (fgets(line, sizeof(line), file) != NULL)
		if (strncmp(line, "VmRSS:", 6) == 0)
			kib = strtol(line + 6, NULL, 10);
	fclose(file);
	return kib;
}

static void
start_two_workers_on_one_cpu(void)
{
	unsigned cpus[2];
	struct eal_options options = {.main_cpu = -1, .worker_cpus = cpus, .n_workers = 2};
	struct error error;
	cpu_set_t before, after;
	char name[16], run_folder[64];

	find_cpus();
	cpus[0] = cpus[1] = cpu_of_first;
	pthread_setname_np(pthread_self(), "main of test");
	CHECK(sched_getaffinity(0, sizeof(before), &before) == 0);
	CHECK(eal_start(&options, &error) == 0);
	CHECK(sched_getaffinity(0, sizeof(after), &after) == 0);
	CHECK(CPU_EQUAL(&before, &after));
	CHECK(pthread_getname_np(pthread_self(), name, sizeof(name)) == 0);
	CHECK(strcmp(name, "main of test") == 0);

	CHECK(eal_launch(0, note_cpu, &ran_on[0]) == 0);
	CHECK(eal_launch(1, note_cpu, &ran_on[1]) == 0);
	CHECK(eal_launch(2, note_cpu, NULL) == -EINVAL);
	eal_wait();
	CHECK(atomic_load(&n_ran) == 2);
	for (int i = 0; i < 2; i++)
		CHECK(CPU_COUNT(&ran_on[i]) == 1 && CPU_ISSET(cpu_of_first, &ran_on[i]));

	printf("resident after eal_start without ports: %ld KiB\n", resident_kib());
	fflush(stdout);
	CHECK(resident_kib() <= IDLE_RSS_KIB);
	snprintf(run_folder, sizeof(run_folder), "/var/run/dpdk/penstock-%d", (int)getpid());
	CHECK(access(run_folder, F_OK) != 0);
	CHECK(eal_start(&options, &error) == -EALREADY);
}

static void
starts_pinned_workers_and_leaves_the_caller_alone(void **state)
{
	(void)state;
	expect_child(start_two_workers_on_one_cpu);
}

static void
start_as_nobody(void)
{
	const struct port_spec spec = {.name = "port0", .device = "net_null0", .queues = 1};

	if (geteuid() == 0)
		CHECK(setgid(65534) == 0 && setuid(65534) == 0);
	port_close(open_port(&spec));
}

static void
starts_without_privileges(void **state)
{
	(void)state;
	expect_child(start_as_nobody);
}

static void
want_a_cpu_that_is_not_there(void)
{
	unsigned cpus[2];
	struct eal_options options = {.main_cpu = -1, .worker_cpus = cpus, .n_workers = 2};
	struct error error = {""};

	find_cpus();
	cpus[0] = cpu_of_first;
	cpus[1] = CPU_SETSIZE - 1;
	CHECK(eal_start(&options, &error) == -EINVAL);
	CHECK(strstr(error.text, "worker 1 wants CPU 1023, but this process may use CPU ") != NULL);
	/* Nothing has happened yet: another try is fine. */
	cpus[1] = cpu_of_first;
	CHECK(eal_start(&options, &error) == 0);
}

static void
refuses_a_cpu_by_name_before_eal_would_panic(void **state)
{
	(void)state;
	expect_child(want_a_cpu_that_is_not_there);
}

static void
want_too_many_workers(void)
{
	static unsigned cpus[200];
	struct eal_options options = {.main_cpu = -1, .worker_cpus = cpus, .n_workers = 200};
	struct error error = {""};

	CHECK(eal_start(&options, &error) == -EINVAL);
	CHECK(strstr(error.text, "200 workers are too many") != NULL);
}

static void
refuses_more_workers_than_dpdk_has(void **state)
{
	(void)state;
	expect_child(want_too_many_workers);
}

static void
start_with(const char *const *extra, size_t n, const char *said)
{
	struct eal_options options = {.main_cpu = -1, .extra = extra, .n_extra = n};
	struct error error = {""};

	CHECK(eal_start(&options, &error) == -EINVAL);
	if (strstr(error.text, said) == NULL)
		fprintf(stderr, "%s\n", error.text);
	CHECK(strstr(error.text, said) != NULL);
}

static void
pass_an_unknown_option(void)
{
	start_with((const char *const[]){"--no-such-thing"}, 1, "'--no-such-thing'");
}

static void
pass_a_word_that_is_no_option(void)
{
	start_with((const char *const[]){"net_null0"}, 1, "'net_null0'");
}

static void
pass_a_bad_core_list(void)
{
	start_with((const char *const[]){"-l", "0-x"}, 2, "DPDK did not start: ");
}

static void
says_which_eal_argument_is_wrong(void **state)
{
	(void)state;
	expect_child(pass_an_unknown_option);
	expect_child(pass_a_word_that_is_no_option);
	expect_child(pass_a_bad_core_list);
}

static void
open_a_device_from_the_eal_arguments(void)
{
	const char *const extra[] = {"--vdev=net_null7,size=128", "-m", "32"};
	const struct port_spec spec = {.name = "port0", .device = "net_null7", .queues = 1};
	struct eal_options options = {.main_cpu = -1, .extra = extra, .n_extra = 3};
	struct error error;
	struct port *port;

	CHECK(eal_start(&options, &error) == 0);
	CHECK(port_open(&spec, &port, &error) == 0);
	port_close(port);
}

static void
passes_eal_arguments_on(void **state)
{
	(void)state;
	expect_child(open_a_device_from_the_eal_arguments);
}

static void
takes_ordinary_memory_where_hugepages_do_not_suffice(void **state)
{
	struct eal_options options = {.hugepages = true, .memory = (size_t)1 << 50};

	(void)state;
	assert_false(eal_would_use_hugepages(&options));
	options = (struct eal_options){.hugepages = false};
	assert_false(eal_would_use_hugepages(&options));
}

static void
stops_what_never_started(void **state)
{
	(void)state;
	eal_stop();
	eal_wait();
	assert_int_equal(eal_launch(0, note_cpu, NULL), -EINVAL);
}

/* As rte_eal_get_runtime_dir() has it with RUNTIME_DIRECTORY=/run/penstock --file-prefix=admin. */
static void
the_telemetry_socket_stands_beside_the_programs_own(void **state)
{
	char path[108], name[120];

	(void)state;
	assert_true(eal_telemetry_path("/run/penstock/admin.sock", path, sizeof(path)));
	assert_string_equal(path, "/run/penstock/dpdk/admin/dpdk_telemetry.v2");
	assert_true(eal_telemetry_path("/control", path, sizeof(path)));
	assert_string_equal(path, "/dpdk/control/dpdk_telemetry.v2");
	assert_false(eal_telemetry_path("", path, sizeof(path)));
	assert_false(eal_telemetry_path("/run/penstock/", path, sizeof(path)));
	/* "/dpdk/a/dpdk_telemetry.v2" takes 25 of the 107 bytes that a socket's path may have. */
	snprintf(name, sizeof(name), "/%0*d/a.sock", 81, 0);
	assert_true(eal_telemetry_path(name, path, sizeof(path)));
	assert_int_equal(strlen(path), 107);
	snprintf(name, sizeof(name), "/%0*d/a.sock", 82, 0);
	assert_false(eal_telemetry_path(name, path, sizeof(path)));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(starts_pinned_workers_and_leaves_the_caller_alone),
		cmocka_unit_test(starts_without_privileges),
		cmocka_unit_test(refuses_a_cpu_by_name_before_eal_would_panic),
		cmocka_unit_test(refuses_more_workers_than_dpdk_has),
		cmocka_unit_test(says_which_eal_argument_is_wrong),
		cmocka_unit_test(passes_eal_arguments_on),
		cmocka_unit_test(takes_ordinary_memory_where_hugepages_do_not_suffice),
		cmocka_unit_test(stops_what_never_started),
		cmocka_unit_test(the_telemetry_socket_stands_beside_the_programs_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
