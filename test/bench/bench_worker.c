/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A whole worker, from the frames of a DPDK port to the null output with a flush every second,
 * against the least that could be done with the same frames: receive, find the payload by fixed
 * offsets, the reference loop, free. Each has a port of its own; both ports repeat the same capture
 * file (net_pcap, infinite_rx) out of ordinary memory.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_prefetch.h>

#undef NS_PER_S /* DPDK's is a double; the one of base/clock.h is meant here */
#include "assembly.h"
#include "base/thread.h"
#include "dpdk/eal.h"
#include "dpdk/port.h"
#include "load.h"
#include "measure.h"
#include "reference.h"

#define SKIPPED 77 /* as the tests say it */
#define HEADERS_SIZE 42 /* Ethernet, IPv4 without options, UDP */
#define PROTOCOL_AT 23
#define PROTOCOL_UDP 17
#define REFERENCE_SERIES (4 * LOAD_SERIES) /* to it, another order of tags is another series */
#define FLUSH_INTERVAL 1 /* s */

struct reference_side {
	const struct load *load;
	struct port *port;
	struct reference *reference;
	uint64_t n_frames; /* in all turns */
};

struct worker_side {
	const struct load *load;
	struct port *port;
	struct assembly assembly;
	struct worker *worker; /* its only one */
	uint64_t duration; /* ns of the turn */
};

static uint16_t
receive(struct reference_side *side, struct rte_mbuf **mbufs, struct span *payloads)
{
	uint16_t n = rte_eth_rx_burst(port_number(side->port), 0, mbufs, BURST_MAX), n_payloads = 0;

	for (uint16_t i = 0; i < n; i++)
		rte_prefetch0(rte_pktmbuf_mtod(mbufs[i], const void *));
	for (uint16_t i = 0; i < n; i++) {
		const uint8_t *frame = rte_pktmbuf_mtod(mbufs[i], const uint8_t *);

		if (frame[PROTOCOL_AT] == PROTOCOL_UDP)
			payloads[n_payloads++] =
				span_of(frame + HEADERS_SIZE, mbufs[i]->data_len - HEADERS_SIZE);
	}
	reference_take(side->reference, payloads, n_payloads);
	rte_pktmbuf_free_bulk(mbufs, n);
	return n_payloads;
}

static uint64_t
run_reference(void *context, uint64_t duration)
{
	struct reference_side *side = context;
	struct rte_mbuf *mbufs[BURST_MAX];
	struct span payloads[BURST_MAX];
	uint64_t until = measure_now() + duration, before = side->n_frames;

	do {
		for (unsigned i = 0; i < 64; i++)
			side->n_frames += receive(side, mbufs, payloads);
	} while (measure_now() < until);
	return load_sent(side->load, side->n_frames).n_lines -
		load_sent(side->load, before).n_lines;
}

/* A worker that drained has told its input to take nothing more: each turn needs a new one. */
static void
reopen_input(void *context)
{
	struct worker_side *side = context;
	struct worker *worker = side->worker;
	struct error error;

	input_close(worker->input[0]);
	worker->n_inputs = 0;
	if (input_open(&side->assembly.input, &worker->stats, &worker->input[0], &error) != 0)
		measure_fail("%s", error.text);
	worker->n_inputs = 1;
	atomic_store(&worker->command, WORKER_RUN);
}

static void *
end_turn(void *argument)
{
	const struct worker_side *side = argument;
	const struct timespec wait = {
		.tv_sec = (time_t)(side->duration / NS_PER_S),
		.tv_nsec = (long)(side->duration % NS_PER_S),
	};

	nanosleep(&wait, NULL);
	worker_drain(side->worker, 0);
	return NULL;
}

static uint64_t
run_worker(void *context, uint64_t duration)
{
	struct worker_side *side = context;
	const uint64_t *n_lines = &side->worker->stats.counter[STAT_lines_received];
	uint64_t before = *n_lines;
	pthread_t timer;

	side->duration = duration;
	if (thread_start(&timer, "turn", end_turn, side) != 0)
		measure_fail("no thread for the clock");
	worker_run(side->worker);
	pthread_join(timer, NULL);
	return *n_lines - before;
}

static void
check_reference(const struct reference_side *side)
{
	struct load_part sent = load_sent(side->load, side->n_frames);
	uint64_t n_lines;
	double sum;
	uint32_t n_series = reference_total(side->reference, &n_lines, &sum);

	if (!load_is_plain(side->load))
		return;
	if (n_series != side->load->options->n_series || n_lines != sent.n_lines || sum != sent.sum)
		measure_fail("%s: the reference did not do its work", side->load->options->name);
}

/* Everything that the port handed over was decoded, recorded and flushed. */
static void
check_worker(const struct worker_side *side)
{
	const uint64_t *counter = side->worker->stats.counter;
	struct load_part sent = load_sent(side->load, counter[STAT_datagrams_delivered]);
	const char *what = side->load->options->name;

	assembly_check(&side->assembly, what, &sent);
	assembly_check_output(&side->assembly, what, counter[STAT_worker_contexts_created]);
}

/* One more turn, which nobody flushes: the bucket holds what the port handed over, to the bit. */
static void
check_bucket(struct worker_side *side, uint64_t duration)
{
	const uint64_t *n_delivered = &side->worker->stats.counter[STAT_datagrams_delivered];
	struct load_part before = load_sent(side->load, *n_delivered), after;
	const struct bucket *bucket;
	uint64_t n = 0;
	double sum = 0;

	if (!load_is_plain(side->load))
		return;
	reopen_input(side);
	run_worker(side, duration);
	after = load_sent(side->load, *n_delivered);
	bucket = side->worker->shard->open;
	for (uint32_t i = 0; i < bucket->n_touched; i++) {
		n += bucket->values[bucket->touched[i]].n;
		sum += bucket->values[bucket->touched[i]].sum;
	}
	if (n != after.n_samples - before.n_samples || sum != after.sum - before.sum)
		measure_fail("%s: the bucket is wrong", side->load->options->name);
}

static struct port *
open_port(const struct port_spec *spec)
{
	struct error error;
	struct port *port;

	if (port_open(spec, &port, &error) != 0)
		measure_fail("%s", error.text);
	return port;
}

static struct port_spec
make_spec(const char *name, const char *device, uint32_t n_frames)
{
	return (struct port_spec){.name = name,
		.device = device,
		.queues = 1,
		.udp_port = 8125,
		.buffers_kept = n_frames};
}

static void
compare(const struct measure *measure, const struct load *load, const char *const devices[2])
{
	struct port_spec specs[2] = {make_spec("port0", devices[0], load->n_payloads),
		make_spec("port1", devices[1], load->n_payloads)};
	struct reference_side reference = {.load = load};
	struct worker_side worker = {.load = load};

	reference.port = open_port(&specs[0]);
	reference.reference = reference_new(REFERENCE_SERIES, false);
	worker.port = open_port(&specs[1]);
	assembly_open(&worker.assembly, 1, worker.port, FLUSH_INTERVAL);
	worker.worker = worker.assembly.worker[0];
	measure_compare(measure, load->options->name, "lines", MEASURE_RATE,
		(const struct contestant[]){
			{"reference", NULL, run_reference, &reference, NULL},
			{"worker", reopen_input, run_worker, &worker, NULL},
		},
		2);
	check_reference(&reference);
	assembly_stop(&worker.assembly);
	check_worker(&worker);
	check_bucket(&worker, measure->duration);
	assembly_close(&worker.assembly);
	reference_free(reference.reference);
	port_close(worker.port);
	port_close(reference.port);
}

/* False when this machine cannot run DPDK at all. */
static bool
start_eal(const char *const devices[2])
{
	const struct port_spec spec = make_spec("port", devices[0], LOAD_SERIES);
	const struct eal_options options = {.devices = devices,
		.n_devices = 2,
		.main_cpu = -1,
		.memory = 2 * port_memory(&spec, 0)};
	struct error error;

	if (eal_start(&options, &error) == 0)
		return true;
	printf("SKIP: %s\n", error.text);
	return false;
}

static char folder[] = "/tmp/penstock-bench-XXXXXX", capture[sizeof(folder) + 16];

static void
remove_capture(void)
{
	unlink(capture);
	rmdir(folder);
}

static void
place_capture(void)
{
	if (mkdtemp(folder) == NULL)
		measure_fail("no folder in /tmp: %s", strerror(errno));
	snprintf(capture, sizeof(capture), "%s/load.pcap", folder);
	atexit(remove_capture);
}

int
main(int argc, char **argv)
{
	char text[2][128];
	const char *const devices[] = {text[0], text[1]};
	struct measure measure;

	measure_init(&measure, 0.5, argc, argv);
	place_capture();
	for (unsigned i = 0; i < 2; i++)
		snprintf(text[i], sizeof(text[i]), "net_pcap%u,rx_pcap=%s,infinite_rx=1", i,
			capture);
	if (!start_eal(devices))
		return SKIPPED;
	for (const struct load_options *options = load_table; options->name != NULL; options++) {
		struct load load;

		if (!measure_wants(&measure, options->name))
			continue;
		load_init(&load, options, measure.seed);
		load_write_pcap(&load, capture);
		compare(&measure, &load, devices);
		load_done(&load);
	}
	eal_stop();
	return 0;
}
