/* SPDX-License-Identifier: BSD-3-Clause */
#include "dpdk/eal.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/un.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_log.h>

#include "dpdk/device.h"
#include "dpdk/interrupt.h"
#include "dpdk/words.h"

/* What EAL, ethdev and the drivers need beside the ports' pools: measured 6 MiB with 4 ports, of
 * which only touched pages cost anything. */
#define OWN_MEMORY (size_t)(16 << 20)

#define PROGRAM "penstock"

/* Below RUNTIME_DIRECTORY, and below the folder that is named by the file prefix there. */
#define TELEMETRY_FOLDER "/dpdk"
#define TELEMETRY_NAME "dpdk_telemetry.v2"
#define MIB (size_t)(1 << 20)
#define WORKERS_MAX (RTE_MAX_LCORE - 1)

struct arguments {
	char **item; /* ends in NULL */
	int n;
	bool full; /* out of memory: at least one is missing */
};

static bool started;
static char telemetry_path[sizeof(((struct sockaddr_un *)NULL)->sun_path)];

static void printf_like(2, 3) add(struct arguments *arguments, const char *format, ...)
{
	char **item = reallocarray(arguments->item, (size_t)arguments->n + 2, sizeof(*item));
	va_list values;

	if (item == NULL) {
		arguments->full = true;
		return;
	}
	arguments->item = item;
	va_start(values, format);
	if (vasprintf(&item[arguments->n], format, values) < 0) {
		item[arguments->n] = NULL;
		arguments->full = true;
	} else {
		item[++arguments->n] = NULL;
	}
	va_end(values);
}

static void
arguments_free(struct arguments *arguments)
{
	for (int i = 0; i < arguments->n; i++)
		free(arguments->item[i]);
	free(arguments->item);
}

static bool
has_pci_device(const struct eal_options *options)
{
	for (size_t i = 0; i < options->n_devices; i++)
		if (device_is_pci(options->devices[i]))
			return true;
	for (size_t i = 0; i < options->n_extra; i++)
		if (strncmp(options->extra[i], "-a", 2) == 0 ||
			strncmp(options->extra[i], "--allow", 7) == 0)
			return true;
	return false;
}

/* The kernel reserves hugepages at mmap and not at the first touch: what can be mapped can be
 * used, whatever limits it. */
static bool
can_map(size_t size, unsigned page_shift)
{
	size_t page = (size_t)1 << page_shift;
	void *memory;

	size = (size + page - 1) / page * page;
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | (int)(page_shift << MAP_HUGE_SHIFT), -1,
		0);
	if (memory == MAP_FAILED)
		return false;
	munmap(memory, size);
	return true;
}

size_t
eal_hugepage_memory(const struct eal_options *options)
{
	return options->memory + OWN_MEMORY;
}

bool
eal_telemetry_path(const char *path, char *telemetry, size_t size)
{
	const char *name = strrchr(path, '/');
	size_t name_size, n;

	if (name == NULL || name[1] == '\0')
		return false;
	name_size = strlen(++name);
	if (name_size > 5 && strcmp(name + name_size - 5, ".sock") == 0)
		name_size -= 5;
	n = (size_t)snprintf(telemetry, size, "%.*s" TELEMETRY_FOLDER "/%.*s/" TELEMETRY_NAME,
		(int)(name - 1 - path), path, (int)name_size, name);
	return n < size && n < sizeof(((struct sockaddr_un *)NULL)->sun_path);
}

bool
eal_would_use_hugepages(const struct eal_options *options)
{
	size_t size = eal_hugepage_memory(options);

	return options->hugepages && (can_map(size, 21) || can_map(size, 30));
}

/* "0-3,6": the CPUs that this process may use. */
static void
describe_cpus(const cpu_set_t *cpus, char *text, size_t size)
{
	size_t at = 0;

	text[0] = '\0';
	for (int first = 0; first < CPU_SETSIZE && at < size; first++) {
		int last = first;

		if (!CPU_ISSET(first, cpus))
			continue;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, cpus))
			last++;
		at += (size_t)snprintf(text + at, size - at, "%s%d", at > 0 ? "," : "", first);
		if (last > first && at < size)
			at += (size_t)snprintf(text + at, size - at, "-%d", last);
		first = last;
	}
}

/* Isolated CPUs are not in the affinity that a process inherits, but its threads may ask for them:
 * only the cgroup stands in the way. 0: it can, -ENXIO: it cannot, or -errno: it could and did not
 * come back. */
static int
try_pin(const cpu_set_t *before, unsigned cpu)
{
	cpu_set_t wanted;

	if (cpu >= CPU_SETSIZE)
		return -ENXIO;
	CPU_ZERO(&wanted);
	CPU_SET(cpu, &wanted);
	if (sched_setaffinity(0, sizeof(wanted), &wanted) != 0)
		return -ENXIO;
	return sched_setaffinity(0, sizeof(*before), before) == 0 ? 0 : -errno;
}

/* EAL panics over a CPU that it may not use. */
static int
check_cpu(const cpu_set_t *allowed, const char *who, unsigned cpu, struct error *error)
{
	char text[128];
	int result;

	if (cpu < CPU_SETSIZE && CPU_ISSET(cpu, allowed))
		return 0;
	result = try_pin(allowed, cpu);
	if (result == 0)
		return 0;
	if (result != -ENXIO)
		return error_fill(error, -result,
			"%s wants CPU %u: the calling thread moved there and cannot move back: %s",
			who, cpu, strerror(-result));
	describe_cpus(allowed, text, sizeof(text));
	return error_fill(error, EINVAL,
		"%s wants CPU %u, but this process may use CPU %s only: choose among these, or "
		"start it with another affinity (taskset, AllowedCPUs= of its unit)",
		who, cpu, text);
}

int
eal_check(const struct eal_options *options, struct error *error)
{
	cpu_set_t allowed;
	int result;

	if (options->n_workers > WORKERS_MAX)
		return error_fill(error, EINVAL, "%zu workers are too many: DPDK runs at most %d",
			options->n_workers, WORKERS_MAX);
	if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
		return error_fill(error, EINVAL,
			"the machine has more CPUs than the %d that Penstock knows", CPU_SETSIZE);
	if (options->main_cpu >= 0 &&
		(result = check_cpu(&allowed, "the main thread", (unsigned)options->main_cpu,
			 error)) != 0)
		return result;
	for (size_t i = 0; i < options->n_workers; i++) {
		char who[32];

		snprintf(who, sizeof(who), "worker %zu", i);
		result = check_cpu(&allowed, who, options->worker_cpus[i], error);
		if (result != 0)
			return result;
	}
	return 0;
}

static int
first_allowed_cpu(void)
{
	cpu_set_t allowed;
	int cpu = 0;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
		while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET(cpu, &allowed))
			cpu++;
	return cpu;
}

/* lcore 0 is the calling thread, lcore i + 1 worker i. */
static void
add_lcores(struct arguments *arguments, const struct eal_options *options)
{
	int main_cpu = options->main_cpu >= 0 ? options->main_cpu : first_allowed_cpu();
	char text[(WORKERS_MAX + 1) * sizeof("127@1023,")];
	size_t at = (size_t)snprintf(text, sizeof(text), "0@%d", main_cpu);

	for (size_t i = 0; i < options->n_workers; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, ",%zu@%u", i + 1,
			options->worker_cpus[i]);
	add(arguments, "--lcores=%s", text);
}

static void
add_memory(struct arguments *arguments, const struct eal_options *options)
{
	/*
	 * Either way no file is left on the machine, and no second process can attach. Hugepages
	 * are taken when they are asked for and on the node that is asked: --socket-mem would only
	 * take them earlier.
	 */
	if (eal_would_use_hugepages(options)) {
		add(arguments, "--in-memory");
		return;
	}
	add(arguments, "--no-huge");
	add(arguments, "--no-shconf");
	/* Untouched pages cost nothing, so twice the need leaves room for what the drivers take. */
	add(arguments, "-m");
	add(arguments, "%zu", (options->memory * 2 + OWN_MEMORY) / MIB);
}

static void
add_devices(struct arguments *arguments, const struct eal_options *options)
{
	if (!has_pci_device(options)) {
		/* Without DMA, virtual addresses are all it takes, and no privilege. */
		add(arguments, "--no-pci");
		add(arguments, "--iova-mode=va");
	}
	for (size_t i = 0; i < options->n_devices; i++)
		if (device_is_pci(options->devices[i]))
			add(arguments, "--allow=%s", options->devices[i]);
}

/* The name of the folder that the socket stands in. */
static void
add_telemetry(struct arguments *arguments, const char *telemetry)
{
	const char *end = strrchr(telemetry, '/'), *name = end;

	while (name > telemetry && name[-1] != '/')
		name--;
	add(arguments, "--file-prefix=%.*s", (int)(end - name), name);
}

/* Virtual devices come later, one by one, with their ports: then each failure has a name. */
static int
build_arguments(const struct eal_options *options, struct arguments *arguments)
{
	add(arguments, PROGRAM);
	add_lcores(arguments, options);
	add_memory(arguments, options);
	add_devices(arguments, options);
	if (options->telemetry != NULL) {
		add_telemetry(arguments, options->telemetry);
	} else {
		add(arguments, "--file-prefix=penstock-%d", (int)getpid());
		add(arguments, "--no-telemetry");
	}
	add(arguments, "--log-level=%d", RTE_LOG_WARNING);
	for (size_t i = 0; i < options->n_extra; i++)
		add(arguments, "%s", options->extra[i]);
	return arguments->full ? -ENOMEM : 0;
}

/* EAL's parser prints its whole usage to stdout and getopt the argument at fault to stderr. The
 * former is swallowed, the latter becomes what[]. */
static int
init_quietly(int n, char **arguments, char *what, size_t size)
{
	FILE *real_stdout = stdout, *real_stderr = stderr;
	FILE *nothing = fopen("/dev/null", "w"), *memory = fmemopen(what, size, "w");
	int result;

	fflush(stdout);
	stdout = nothing != NULL ? nothing : stdout;
	stderr = memory != NULL ? memory : stderr;
	result = rte_eal_init(n, arguments);
	stdout = real_stdout;
	stderr = real_stderr;
	if (memory != NULL)
		fclose(memory);
	if (nothing != NULL)
		fclose(nothing);
	what[size - 1] = '\0';
	what[strncmp(what, PROGRAM ": ", sizeof(PROGRAM ": ") - 1) == 0 ? strcspn(what, "\n") : 0] =
		'\0';
	return result;
}

/* EAL pins the thread that calls it, and threads that it starts later inherit that. */
static int
init_in_place(int n, char **arguments, char *what, size_t size)
{
	char name[16];
	cpu_set_t affinity;
	bool has_name = pthread_getname_np(pthread_self(), name, sizeof(name)) == 0;
	bool has_affinity =
		pthread_getaffinity_np(pthread_self(), sizeof(affinity), &affinity) == 0;
	int result = init_quietly(n, arguments, what, size);

	if (has_affinity)
		pthread_setaffinity_np(pthread_self(), sizeof(affinity), &affinity);
	if (has_name)
		pthread_setname_np(pthread_self(), name);
	return result;
}

/* The folders of the telemetry socket, from the inner to the one that EAL did not make. */
static void
cut_folder(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash != NULL)
		*slash = '\0';
}

/* At exit, after DPDK's own handler has removed the socket; another process may use the folders. */
static void
remove_telemetry_folders(void)
{
	char path[sizeof(telemetry_path)];

	memcpy(path, telemetry_path, sizeof(path));
	for (int i = 0; i < 2; i++) {
		cut_folder(path);
		rmdir(path);
	}
}

/* EAL makes the socket's folders below RUNTIME_DIRECTORY, which systemd sets for something else. */
static int
init_below(const char *telemetry, const struct arguments *arguments, char **copy, char *what,
	size_t size)
{
	const char *before = getenv("RUNTIME_DIRECTORY");
	char *saved = before != NULL ? strdup(before) : NULL;
	char folder[sizeof(telemetry_path)];
	int result;

	snprintf(telemetry_path, sizeof(telemetry_path), "%s", telemetry);
	memcpy(folder, telemetry_path, sizeof(folder));
	for (int i = 0; i < 3; i++)
		cut_folder(folder);
	/* Handlers run in reverse: before DPDK's is there. */
	atexit(remove_telemetry_folders);
	setenv("RUNTIME_DIRECTORY", folder[0] != '\0' ? folder : "/", 1);
	result = init_in_place(arguments->n, copy, what, size);
	if (saved != NULL)
		setenv("RUNTIME_DIRECTORY", saved, 1);
	else
		unsetenv("RUNTIME_DIRECTORY");
	free(saved);
	return result;
}

/* 0, or -errno with what[] filled where an argument is to blame. */
static int
init(const struct arguments *arguments, const char *telemetry, char *what, size_t size)
{
	/* EAL sorts the pointers and overwrites some: it gets its own. */
	char **copy = calloc((size_t)arguments->n + 1, sizeof(*copy));
	int n_taken, error_number;

	if (copy == NULL)
		return -ENOMEM;
	memcpy(copy, arguments->item, (size_t)arguments->n * sizeof(*copy));
	n_taken = telemetry != NULL ? init_below(telemetry, arguments, copy, what, size)
				    : init_in_place(arguments->n, copy, what, size);
	error_number = rte_errno > 0 ? rte_errno : EINVAL;
	/* EAL makes a folder for files; without telemetry it has none. Gone now, even kill -9
	 * leaves none. */
	rmdir(rte_eal_get_runtime_dir());
	if (n_taken >= 0 && n_taken < arguments->n - 1) {
		snprintf(what, size, "'%s' is no option", copy[arguments->n - 1]);
		rte_eal_cleanup();
		n_taken = -1;
		error_number = EINVAL;
	}
	free(copy);
	return n_taken >= 0 ? 0 : -error_number;
}

static int
explain(int error_number, const struct eal_options *options, const char *what, struct error *error)
{
	char said[256];

	words_rest(said, sizeof(said));
	if (error_number == EALREADY)
		return error_fill(error, EALREADY, "DPDK was started before in this process");
	if (what[0] != '\0')
		return error_fill(error, EINVAL,
			"DPDK does not take an EAL argument after '--': %s", what);
	return error_fill(error, error_number, "DPDK did not start: %s (%s)%s", said,
		strerror(error_number),
		options->n_extra > 0 ? "; does it without the EAL arguments after '--'?" : "");
}

int
eal_start(const struct eal_options *options, struct error *error)
{
	struct arguments arguments = {0};
	char what[256] = "";
	int result = eal_check(options, error);

	if (result != 0)
		return result;
	if (words_open(options->log) != 0 || build_arguments(options, &arguments) != 0) {
		result = error_fill(error, ENOMEM, "no memory to start DPDK");
		goto fail;
	}
	result = init(&arguments, options->telemetry, what, sizeof(what));
	if (result != 0) {
		result = explain(-result, options, what, error);
		goto fail;
	}
	words_rest(what, sizeof(what));
	arguments_free(&arguments);
	started = true;
	return 0;

fail:
	words_close();
	arguments_free(&arguments);
	return result;
}

int
eal_launch(size_t worker, int (*run)(void *), void *argument)
{
	unsigned lcore = (unsigned)worker + 1;

	if (!started || worker >= WORKERS_MAX || !rte_lcore_is_enabled(lcore))
		return -EINVAL;
	return rte_eal_remote_launch(run, argument, lcore);
}

bool
eal_is_worker(void)
{
	return rte_lcore_id() != LCORE_ID_ANY && rte_lcore_id() != rte_get_main_lcore();
}

void
eal_wait(void)
{
	if (started)
		rte_eal_mp_wait_lcore();
}

void
eal_stop(void)
{
	if (!started)
		return;
	started = false;
	interrupt_end();
	rte_eal_cleanup();
	words_close();
}
