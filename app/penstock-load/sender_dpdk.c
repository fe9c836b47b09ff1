/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A DPDK port: "net_memif0,role=client,…", any other virtual device, or a PCI address. Ordinary
 * memory, no hugepages. Frames are offered to the device until it takes them or the timeout is
 * over.
 */
#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ours first: DPDK leaves alone what is defined already (container_of, likely). */
#include "base/compiler.h"
#include "pace.h"
#include "sender_table.h"

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#define MEMORY_MIB "64"
#define DESCRIPTORS 1024
#define MBUFS 4095 /* best used is 2^n - 1 */
#define MBUF_CACHE 64
#define IP_AND_UDP_SIZE 28 /* of a datagram's MTU */
#define NS_OF_MS UINT64_C(1000000)
#define LINK_POLL (10 * NS_OF_MS)

/* Closing a memif takes the ring away from the peer, with what it has not read yet. */
#define LINGER (500 * NS_OF_MS)

struct port {
	uint16_t id;
	bool is_blocked; /* the last send ran into the timeout: the next ones do not wait */
	int timeout; /* ms */
	struct rte_mempool *pool;
	struct envelope envelope;
	const atomic_bool *stopping;
};

/* "0000:3b:00.0" or "3b:00.0". */
static bool
is_pci_address(const char *device)
{
	const char *dot = strrchr(device, '.');

	return isxdigit((unsigned char)device[0]) && strchr(device, ':') != NULL && dot != NULL &&
		strspn(device, "0123456789abcdefABCDEF:") == (size_t)(dot - device);
}

/* One EAL thread that may run on every core this program may use: "0@(1,2,5)". */
static void
write_cores(char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "0@(");
	const char *separator = "";
	cpu_set_t allowed;

	CPU_ZERO(&allowed);
	sched_getaffinity(0, sizeof(allowed), &allowed);
	for (int cpu = 0; cpu < CPU_SETSIZE && used + 8 < size; cpu++) {
		if (!CPU_ISSET(cpu, &allowed))
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s%d", separator, cpu);
		separator = ",";
	}
	snprintf(text + used, size - used, ")");
}

static int
start_eal(const char *device, struct sender_error *error)
{
	char cores[2048], *copy = strdup(device);
	bool is_pci = is_pci_address(device);
	const char *arguments[] = {"penstock-load", "--no-shconf", "--no-huge", "-m", MEMORY_MIB,
		"--no-telemetry", "--log-level=error", "--lcores", cores, is_pci ? "-a" : "--vdev",
		copy, is_pci ? NULL : "--no-pci", NULL};
	int n = (int)ARRAY_LENGTH(arguments) - (is_pci ? 2 : 1), result = 0;

	if (copy == NULL)
		return sender_fail(error, ENOMEM, "Out of memory.");
	write_cores(cores, sizeof(cores));
	if (rte_eal_init(n, (char **)arguments) < 0)
		result = sender_fail(error, rte_errno != 0 ? rte_errno : ENODEV,
			"DPDK did not start with %s: %s.", device, rte_strerror(rte_errno));
	free(copy);
	return result;
}

static int
set_up_port(struct port *port, const struct sender_options *options)
{
	const struct rte_eth_conf conf = {0};
	uint16_t room = RTE_PKTMBUF_HEADROOM + ENVELOPE_SIZE + options->datagram_size, mtu;
	int result;

	if (room < RTE_MBUF_DEFAULT_BUF_SIZE)
		room = RTE_MBUF_DEFAULT_BUF_SIZE;
	port->pool =
		rte_pktmbuf_pool_create("load", MBUFS, MBUF_CACHE, 0, room, (int)rte_socket_id());
	if (port->pool == NULL)
		return -rte_errno;
	/* Some devices want a receive queue even where nothing is received. */
	result = rte_eth_dev_configure(port->id, 1, 1, &conf);
	if (result == 0)
		result = rte_eth_rx_queue_setup(port->id, 0, DESCRIPTORS, rte_socket_id(), NULL,
			port->pool);
	if (result == 0)
		result = rte_eth_tx_queue_setup(port->id, 0, DESCRIPTORS, rte_socket_id(), NULL);
	if (result == 0)
		result = rte_eth_dev_get_mtu(port->id, &mtu);
	if (result == 0 && options->datagram_size + IP_AND_UDP_SIZE > mtu)
		result = rte_eth_dev_set_mtu(port->id,
			(uint16_t)(options->datagram_size + IP_AND_UDP_SIZE));
	return result;
}

static bool
is_up(const struct port *port)
{
	struct rte_eth_link link = {0};

	return rte_eth_link_get_nowait(port->id, &link) == 0 && link.link_status == RTE_ETH_LINK_UP;
}

static uint64_t
deadline(const struct port *port)
{
	return pace_now() + (uint64_t)port->timeout * NS_OF_MS;
}

/* A memif client can only start when its peer listens, and is up when both have agreed. */
static int
wait_for_link(const struct port *port)
{
	uint64_t end = deadline(port), now;
	bool is_started = false;

	rte_log_set_level_pattern("pmd.net.memif", RTE_LOG_CRIT); /* each attempt is no error */
	while (!is_started || !is_up(port)) {
		is_started = is_started || rte_eth_dev_start(port->id) == 0;
		now = pace_now();
		if (now >= end || atomic_load(port->stopping))
			return -ETIMEDOUT;
		pace_sleep_until(now + LINK_POLL);
	}
	return 0;
}

static int
dpdk_close(void *state)
{
	struct port *port = state;

	pace_sleep_until(pace_now() + LINGER);
	rte_eth_dev_stop(port->id);
	rte_eth_dev_close(port->id);
	rte_mempool_free(port->pool);
	rte_eal_cleanup();
	free(port);
	return 0;
}

static int
dpdk_open(const char *target, const struct sender_options *options, void **ret_state,
	struct sender_error *error)
{
	struct port *port;
	int result = start_eal(target, error);

	if (result != 0)
		return result;
	if (rte_eth_dev_count_avail() == 0)
		return sender_fail(error, ENODEV, "DPDK has no port named %s.", target);
	port = calloc(1, sizeof(*port));
	if (port == NULL)
		return sender_fail(error, ENOMEM, "Out of memory.");
	port->id = (uint16_t)rte_eth_find_next(0);
	port->timeout = options->timeout;
	port->stopping = options->stopping;
	envelope_init(&port->envelope, &options->envelope);
	result = set_up_port(port, options);
	if (result != 0) {
		sender_fail(error, -result, "Cannot set up %s for datagrams of %u bytes: %s.",
			target, options->datagram_size, rte_strerror(-result));
		dpdk_close(port);
		return result;
	}
	result = wait_for_link(port);
	if (result != 0) {
		sender_fail(error, -result, "The link of %s did not come up within %d ms.", target,
			port->timeout);
		dpdk_close(port);
		return result;
	}
	*ret_state = port;
	return 0;
}

/* NULL when there is no free buffer. */
static struct rte_mbuf *
frame_of(const struct port *port, const struct datagram *datagram)
{
	struct rte_mbuf *mbuf = rte_pktmbuf_alloc(port->pool);
	uint8_t *at;

	if (mbuf == NULL)
		return NULL;
	at = (uint8_t *)rte_pktmbuf_append(mbuf, (uint16_t)(ENVELOPE_SIZE + datagram->size));
	if (at == NULL) {
		rte_pktmbuf_free(mbuf);
		return NULL;
	}
	envelope_write(&port->envelope, span_of(datagram->data, datagram->size), datagram->number,
		at);
	memcpy(at + ENVELOPE_SIZE, datagram->data, datagram->size);
	return mbuf;
}

/* Returns how many of n frames the device took before the timeout. */
static uint16_t
offer(struct port *port, struct rte_mbuf **frames, uint16_t n)
{
	uint16_t done = rte_eth_tx_burst(port->id, 0, frames, n);
	uint64_t end;

	if (done == n || (port->is_blocked && done == 0))
		return done;
	end = deadline(port);
	while (done < n) {
		uint16_t sent = rte_eth_tx_burst(port->id, 0, frames + done, (uint16_t)(n - done));

		done += sent;
		if (sent > 0)
			end = deadline(port);
		else if (pace_now() >= end || atomic_load(port->stopping))
			break;
		else
			sched_yield(); /* the peer may need this core */
	}
	return done;
}

static void
dpdk_send(void *state, struct datagram *datagrams, unsigned n)
{
	struct port *port = state;
	struct rte_mbuf *frames[SENDER_BATCH];
	unsigned n_frames = 0, sent;

	while (n_frames < n) {
		frames[n_frames] = frame_of(port, &datagrams[n_frames]);
		if (frames[n_frames] == NULL)
			break;
		n_frames++;
	}
	sent = offer(port, frames, (uint16_t)n_frames);
	port->is_blocked = sent < n_frames;
	for (unsigned i = 0; i < n; i++)
		datagrams[i].error = i < sent ? 0 : i < n_frames ? ETIMEDOUT : ENOMEM;
	for (unsigned i = sent; i < n_frames; i++)
		rte_pktmbuf_free(frames[i]);
}

const struct sender_driver sender_dpdk = {
	.scheme = "dpdk",
	.help = "DEVICE",
	.datagram_size = 1432,
	.datagram_size_max = 9000,
	.open = dpdk_open,
	.send = dpdk_send,
	.close = dpdk_close,
};
