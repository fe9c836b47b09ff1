/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of plan_make share. */
#ifndef PENSTOCKD_PLAN_PRIV_H
#define PENSTOCKD_PLAN_PRIV_H

#include "penstockd/plan.h"

/* What making a plan needs at hand. */
struct planner {
	const struct options *options;
	const struct machine *machine;
	struct plan plan;
	struct plan_error *error;
	bool asks_dpdk;
	uint32_t n_polling; /* workers that poll ports */
	bool core_list; /* penstock: workers is a list, in core */
	uint16_t core[256];
	unsigned slow_cpu;
};

/* Fills the error: -EINVAL for a configuration, -ENODEV for a resource. */
int plan_refuse(struct planner *planner, int exit_code, const char *format, ...) printf_like(3, 4);

/* -ENOMEM, with the error filled. */
int plan_out_of_memory(struct planner *planner);

/* Adds a note. 0 or -ENOMEM with the error filled. */
int plan_note(struct planner *planner, const char *format, ...) printf_like(2, 3);

/* The queues of a port that n_polling workers on its node poll. */
uint16_t plan_port_queues(const struct port_options *port, uint32_t n_polling);

/* Chooses the slow core and the workers' cores. */
int plan_cores(struct planner *planner);

/* How many cores are worth a worker each, when nobody says how many: the isolated ones near the
 * ports, or all there, one thread of each physical core; at least 1. The slow core is chosen. */
uint32_t plan_good_cores(const struct planner *planner);

/* Chooses a core for each of the n_polling workers. */
void plan_choose_cores(struct planner *planner);

/* The workers on the port's node, and those that are on no port's; all where there are none. */
uint32_t plan_near_workers(const struct planner *planner, const struct plan_port *port);

/* One of them has no input yet. */
bool plan_has_idle_worker(const struct planner *planner, const struct plan_port *port);

/* The one of them with the fewest inputs of the port, then of all; the slow path where nobody else
 * polls. */
struct plan_worker *plan_next_poller(const struct planner *planner, const struct plan_port *port);

/* Writes plan.nodes. */
void plan_describe_nodes(struct planner *planner);

/* Decides on which node the port's memory should be; after its queues have their workers. */
void plan_place_port(const struct planner *planner, struct plan_port *port);

/* Notes what of the host slows the plan down. */
int plan_host(struct planner *planner);

/* Shares memory_ceiling; after plan_eal and plan_memory. */
int plan_ceiling(struct planner *planner);

/* Notes what the ports' addresses and gateways lack. */
int plan_addresses(struct planner *planner);

/* Refuses a NIC whose hugepages are missing or off. After ports_check. */
int plan_hugepages(struct planner *planner);

/* Looks for the folder of every path that will be made. */
int plan_folders(struct planner *planner);

#endif
