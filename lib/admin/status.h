/* SPDX-License-Identifier: BSD-3-Clause */
/* What the daemon is and how it is doing, as penstockctl status and /healthz show it. */
#ifndef ADMIN_STATUS_H
#define ADMIN_STATUS_H

#include "admin/ledger.h"
#include "admin/status_link.h"
#include "stats/rejects.h"
#include "wire/json.h"

enum state {
	STATE_STARTING, /* not all listeners take in yet */
	STATE_READY,
	STATE_DRAINING, /* takes nothing in any more, empties its queues */
	STATE_STOPPING, /* the outputs write what is left */
	STATE_COUNT,
};

extern const char *const state_name[STATE_COUNT];

struct status_listener {
	const char *name; /* borrowed, both */
	const char *address;
};

/* What one worker does; the first is the slow path. */
struct status_worker {
	const char *name, *idle; /* borrowed; idle: "poll", "pause", "sleep" */
	unsigned cpu;
	int node; /* NUMA node of the CPU; -1: not known */
	uint32_t busy; /* thousandths of the last second */
	uint64_t turns, busy_turns, datagrams, lines;
	uint64_t stage[STAGE_COUNT], gap[STAGE_GAPS], gaps; /* as in struct stats */
	uint64_t gap_max; /* ns */
};

#define STATUS_WORKERS_MAX 128 /* more than DPDK runs */
#define STATUS_ACCOUNTS_MAX 4

/* Memory of one kind of what is received and not decoded, in bytes. */
struct status_account {
	const char *name; /* borrowed */
	uint64_t used, peak, reserve, cap;
	uint64_t n_refused; /* times that it was not given what was asked for */
};

struct status_memory {
	uint64_t ceiling; /* of all accounts together */
	uint64_t resident, resident_peak; /* bytes of backlog chunks that have pages */
	struct status_account account[STATUS_ACCOUNTS_MAX];
	size_t n_accounts;
};

/* Strings are borrowed in both. */
struct status_port {
	const char *name, *driver;
	const char *hash_wanted, *hash_granted; /* "ipv4 ipv4-udp …" */
	uint16_t queues_wanted, queues_granted;
	bool hashes_ports; /* the device spreads flows over its queues by UDP ports */
	bool is_steered; /* some workers get frames in software */
	struct status_link link;
};

/* What of a port one worker gets. */
struct status_share {
	const char *port, *worker;
	uint16_t queue; /* of the port, from which its frames come */
	bool is_steered; /* … by another worker, which polls it */
	uint64_t frames; /* taken in */
};

#define STATUS_SHARES_MAX 512

struct status {
	enum state state;
	uint64_t uptime; /* seconds */
	uint64_t config_generation; /* 1, and one more with every reload that was taken */
	uint32_t n_workers;
	struct status_worker worker[STATUS_WORKERS_MAX]; /* the first n_workers */
	uint64_t contexts; /* alive in all workers */
	uint64_t context_bytes, context_bytes_max;
	struct status_memory memory;
	struct status_listener listener[STATS_LISTENERS_MAX];
	size_t n_listeners;
	struct status_port port[STATS_LISTENERS_MAX];
	size_t n_ports;
	struct status_share share[STATUS_SHARES_MAX];
	size_t n_shares;
};

/* One object. The ledger tells how the outputs are doing. */
void status_write(const struct status *status, const struct ledger *ledger, struct json *json);

/* Sorts them, newest first, and writes {"rejects": […]}. Their listeners are the ledger's. */
void status_write_rejects(struct reject *rejects, size_t n_rejects, const struct ledger *ledger,
	struct json *json);

#endif
