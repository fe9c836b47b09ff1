/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything that is decided before anything is opened: which core does what, which queue goes to
 * which worker, what listens where, how much memory that can take. --check prints it.
 */
#ifndef PENSTOCKD_PLAN_H
#define PENSTOCKD_PLAN_H

#include "dpdk/eal.h"
#include "dpdk/port.h"
#include "input/input.h"
#include "output/output.h"
#include "penstockd/ceiling.h"
#include "penstockd/machine.h"
#include "penstockd/options.h"
#include "worker/worker.h"

/* The exit codes of a refusal, after sysexits.h. */
#define PLAN_EXIT_RESOURCE 69
#define PLAN_EXIT_OUR_FAULT 70
#define PLAN_EXIT_CONFIGURATION 78

/* Why there is no plan: one sentence, and the way out. */
struct plan_error {
	int exit_code;
	char text[768];
};

struct plan_worker {
	char name[20]; /* "slow", "worker1" */
	unsigned cpu;
	int node; /* NUMA node of the CPU; -1: not known */
	int memory_node; /* where its memory should be; -1: wherever the kernel puts it */
	bool is_isolated, is_tickless; /* as in struct machine */
	enum worker_idle idle;
	struct input_spec input[WORKER_INPUTS_MAX]; /* worker_conf takes it as it is */
	uint32_t n_inputs;
};

struct plan_port {
	const struct port_options *options;
	struct port_spec spec; /* port_open takes it as it is */
	uint16_t listener; /* as in struct stats */
	int node; /* NUMA node of the device; -1: none, or not known */
	char device[384]; /* what is known of the device, for people */
};

struct plan_folder {
	char *path; /* to be made by plan_prepare where it is missing */
	bool is_private;
};

struct plan {
	const struct options *options; /* borrowed: the plan points into it */
	char cpus[256]; /* what this process may use: "0-3" */
	char nodes[512]; /* "1 (cores 0-3, 16384 MiB), 3 (cores 4-7, no memory)"; "": not known */

	/* The first is the slow path: sockets, and the ports' queues when it is the only one. */
	struct plan_worker *workers;
	uint32_t n_workers;

	struct plan_port *ports;
	uint32_t n_ports;

	const char *listener_name[STATS_LISTENERS_MAX]; /* by index in struct stats */
	uint16_t n_listeners;

	struct output_spec *outputs;
	uint32_t n_outputs;

	struct plan_folder *folders;
	uint32_t n_folders;

	struct eal_options eal; /* eal_start takes it; its worker i is workers[i + 1] here */
	const char **devices; /* eal.devices */
	unsigned *worker_cpus; /* eal.worker_cpus */
	uint64_t hugepage_memory; /* bytes of hugepages that EAL asks for, if it may */
	char telemetry[108]; /* path of DPDK's telemetry socket; "": none */
	bool use_hugepages; /* what EAL will find, if nobody takes them before */
	uint64_t hugepage_memory_free; /* bytes in free hugepages */
	uint64_t frame_memory; /* bytes: datagrams in fragments and frames in several buffers */
	uint64_t memory_worst; /* bytes: ceiling, contexts, ports, frame_memory */
	struct ceiling_plan ceiling; /* how memory_ceiling is shared */
	uint32_t payload_max; /* longest payload that can arrive, bytes */
	struct string_list notes; /* what a user should know, one sentence each */
};

/* 0 and a plan (plan_free), or -EINVAL, -ENODEV, -ENOMEM … with error filled. options must stay.
 * Opens no device and makes no file. */
int plan_make(const struct options *options, struct plan *ret_plan, struct plan_error *error);

/* The same for a given machine and without asking DPDK: eal.memory is 0. */
int plan_make_on(const struct options *options, const struct machine *machine,
	struct plan *ret_plan, struct plan_error *error);

/* Makes the folders that are missing; before anything is opened. 0 or -errno with error filled. */
int plan_prepare(const struct plan *plan, struct plan_error *error);

/* Tells the workers' input specs which opened port stands for ports[index]; what they were to get
 * beyond its n_shares is taken from them. */
void plan_set_port(struct plan *plan, uint32_t index, struct port *port, uint16_t n_shares);

/* "poll", "pause", "sleep". */
const char *plan_idle_name(enum worker_idle idle);

void plan_print(const struct plan *plan, FILE *out);
void plan_free(struct plan *plan);

#endif
