/* SPDX-License-Identifier: BSD-3-Clause */
/* A daemon that the tests of lib/admin ask: its answers are fields that a test sets. */
#ifndef TEST_FAKE_SOURCE_H
#define TEST_FAKE_SOURCE_H

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "admin/source.h"

struct fake {
	struct ledger ledger;
	struct status status;
	struct reject rejects[4];
	size_t n_rejects;
	int flush_result, reload_result;
	_Atomic int n_flushes, flush_ms;
};

static void
fake_ledger(void *context, struct ledger *ret_ledger)
{
	*ret_ledger = ((struct fake *)context)->ledger;
}

static void
fake_status(void *context, struct status *ret_status)
{
	*ret_status = ((struct fake *)context)->status;
}

static size_t
fake_rejects(void *context, struct reject *out, size_t n_max)
{
	struct fake *fake = context;
	size_t n = fake->n_rejects < n_max ? fake->n_rejects : n_max;

	memcpy(out, fake->rejects, n * sizeof(*out));
	return n;
}

static int
fake_flush(void *context, int timeout)
{
	struct fake *fake = context;

	fake->n_flushes++;
	poll(NULL, 0, fake->flush_ms);
	return fake->flush_result;
}

static int
fake_reload(void *context, char *text, size_t size)
{
	snprintf(text, size, "penstock.yaml:3:1: \"dogstatsd_port\" cannot change");
	return ((struct fake *)context)->reload_result;
}

static inline struct admin_source
fake_source(struct fake *fake)
{
	return (struct admin_source){fake, fake_ledger, fake_status, fake_rejects, fake_flush,
		fake_reload};
}

/* A port with one queue of three, behind which a second worker gets frames; and one without any. */
static inline void
fake_ports(struct status *status)
{
	status->port[0] = (struct status_port){"port0", "net_x", "ipv4 ipv4-udp", "ipv4", 3, 1,
		false, true, {"net_x0", LINK_UP, 5, 10000, 1, 2, 2, 1, NULL}};
	status->port[1] = (struct status_port){"up", "net_y", "ipv4 ipv4-udp", "ipv4 ipv4-udp", 2,
		2, true, false, {"net_y0", LINK_GONE, 9, 0, 3, 0, 0, 0, NULL}};
	status->n_ports = 2;
	status->share[0] = (struct status_share){"port0", "worker1", 0, false, 60};
	status->share[1] = (struct status_share){"port0", "worker2", 0, true, 40};
	status->n_shares = 2;
}

/* Two listeners, one output, something in every level, and all of it balances. */
static inline void
fake_init(struct fake *fake)
{
	uint64_t *counter = fake->ledger.stats.counter;
	struct ledger_output *output = &fake->ledger.output[0];

	memset(fake, 0, sizeof(*fake));
	counter[STAT_frames_received] = 100;
	counter[STAT_frames_delivered] = 90;
	counter[STAT_frames_dropped_not_udp] = 10;
	counter[STAT_datagrams_received] = 120;
	counter[STAT_datagrams_delivered] = 119;
	counter[STAT_datagrams_queued] = 1;
	counter[STAT_datagrams_truncated] = 3;
	counter[STAT_lines_received] = 300;
	counter[STAT_lines_metrics] = 298;
	counter[STAT_lines_aggregated] = 290;
	counter[STAT_lines_passed] = 2;
	counter[STAT_lines_rejected_no_pipe] = 5;
	counter[STAT_lines_dropped_context_limit] = 3;
	counter[STAT_samples_received] = 400;
	counter[STAT_samples_aggregated] = 397;
	counter[STAT_samples_dropped_context_limit] = 3;
	counter[STAT_worker_turns] = 7;
	fake->ledger.stats.listener[0] = 30;
	fake->ledger.stats.listener[1] = 90;
	fake->ledger.listener[0] = "udp";
	fake->ledger.listener[1] = "port\"0\\";
	fake->ledger.n_listeners = 2;
	fake->ledger.epoch = 9;
	snprintf(output->name, sizeof(output->name), "file");
	output->counts.points = 50;
	output->counts.delivered = 40;
	output->counts.queued = 6;
	output->counts.dropped[OUTPUT_WRITE_ERROR] = 4;
	fake->ledger.n_outputs = 1;
	fake->status.state = STATE_READY;
	fake->status.uptime = 65;
	fake->status.config_generation = 1;
	fake->status.n_workers = 2;
	fake->status.worker[0] = (struct status_worker){.name = "slow",
		.idle = "sleep",
		.cpu = 2,
		.node = -1,
		.busy = 125,
		.turns = 4,
		.busy_turns = 3,
		.datagrams = 30,
		.lines = 60,
		.stage = {1000000000, 2500000000, 500000000, 4000000001},
		.gap = {[0] = 2, [21] = 1},
		.gaps = 1500001000,
		.gap_max = 1500000000};
	fake->status.worker[1] =
		(struct status_worker){.name = "worker1", .idle = "poll", .cpu = 3, .node = 1};
	fake->status.contexts = 11;
	fake->status.context_bytes = 2200;
	fake->status.context_bytes_max = 1 << 20;
	fake->status.memory = (struct status_memory){.ceiling = 65536,
		.resident = 4096,
		.resident_peak = 8192,
		.account = {{"sockets", 100, 300, 400, 500, 2}},
		.n_accounts = 1};
	fake->status.listener[0] = (struct status_listener){"udp", "127.0.0.1:8125"};
	fake->status.n_listeners = 1;
}

#endif
