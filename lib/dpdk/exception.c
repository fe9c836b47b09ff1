/* SPDX-License-Identifier: BSD-3-Clause */
#include "dpdk/exception.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_ethdev.h>
#include <rte_lcore.h>
#include <rte_mempool.h>

#include "dpdk/device.h"
#include "dpdk/mtu.h"
#include "dpdk/pool.h"
#include "dpdk/port.h"
#include "dpdk/words.h"
#include "dsd/burst.h"

#define DESCRIPTORS 256

/* Rings and state of the device, beside its buffers. */
#define DEVICE_MEMORY (size_t)(1 << 20)

struct exception {
	char *device; /* with the MAC */
	uint16_t number, queues, mtu;
	uint16_t buffer_size; /* bytes of a frame */
	bool attached;
	struct rte_mempool *pool; /* for what comes out of the kernel */
};

int
exception_check(const char *device, const char *port, struct error *error)
{
	if (device_is_pci(device))
		return error_fill(error, EINVAL,
			"port %s: exception: '%s' is a NIC; expected a device that leads into the "
			"kernel, such as net_tap0,iface=pen0",
			port, device);
	return device_check(device, error);
}

/* The port holds our buffers while it sends them. */
static unsigned
count_buffers(unsigned queues, unsigned n_threads, unsigned send_descriptors)
{
	return queues * (DESCRIPTORS + send_descriptors + BURST_MAX) + pool_cached(n_threads);
}

size_t
exception_memory(unsigned shares, unsigned n_threads, unsigned send_descriptors,
	const struct mtu_wanted *port_mtu)
{
	return pool_memory(count_buffers(shares, n_threads, send_descriptors),
		       mtu_whole_size(port_mtu)) +
		DEVICE_MEMORY;
}

unsigned
exception_buffers(unsigned shares)
{
	return shares * DESCRIPTORS;
}

/* net_tap and virtio_user take the MAC of the kernel's side at their birth only. */
static char *
with_mac(const char *device, const uint8_t mac[6])
{
	size_t size = strlen(device) + sizeof(",mac=00:00:00:00:00:00");
	bool takes_mac =
		strncmp(device, "net_tap", 7) == 0 || strncmp(device, "virtio_user", 11) == 0;
	char *text = malloc(size);

	if (text == NULL)
		return NULL;
	if (takes_mac && strstr(device, ",mac=") == NULL)
		snprintf(text, size, "%s,mac=%02x:%02x:%02x:%02x:%02x:%02x", device, mac[0], mac[1],
			mac[2], mac[3], mac[4], mac[5]);
	else
		snprintf(text, size, "%s", device);
	return text;
}

static int
create_pool(struct exception *exception, unsigned send_descriptors)
{
	char name[RTE_MEMPOOL_NAMESIZE];

	snprintf(name, sizeof(name), "exception%u", exception->number);
	return pool_create(name,
		count_buffers(exception->queues, rte_lcore_count(), send_descriptors),
		exception->buffer_size, SOCKET_ID_ANY, true, &exception->pool);
}

static int
configure(struct exception *exception, const struct port_facts *port)
{
	uint16_t receive = DESCRIPTORS, send = DESCRIPTORS;
	struct rte_eth_conf conf = {0};
	struct rte_eth_dev_info info;
	uint16_t queues;
	int result = rte_eth_dev_info_get(exception->number, &info);

	if (result != 0)
		return result;
	queues = RTE_MIN(port->shares, RTE_MIN(info.max_rx_queues, info.max_tx_queues));
	exception->queues = queues;
	/* A long frame of the port is in several of its buffers. */
	conf.txmode.offloads = info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
	result = rte_eth_dev_configure(exception->number, queues, queues, &conf);
	if (result == 0)
		result = rte_eth_dev_adjust_nb_rx_tx_desc(exception->number, &receive, &send);
	if (result == 0)
		result = create_pool(exception, port->send_descriptors);
	for (uint16_t i = 0; i < queues && result == 0; i++) {
		result = rte_eth_rx_queue_setup(exception->number, i, receive,
			(unsigned)SOCKET_ID_ANY, NULL, exception->pool);
		if (result == 0)
			result = rte_eth_tx_queue_setup(exception->number, i, send,
				(unsigned)SOCKET_ID_ANY, NULL);
	}
	return result;
}

/* Longer frames would come out of the kernel than a buffer holds, or than the port can send.
 * net_tap refuses more than ordinary Ethernet has, and stays at that: shorter frames do no harm. */
static int
limit_mtu(struct exception *exception, const struct port_facts *port, struct error *error)
{
	uint16_t mtu = RTE_MIN(port->mtu, mtu_held_by(exception->buffer_size));
	struct rte_eth_dev_info info;
	int result = rte_eth_dev_info_get(exception->number, &info), refused;

	if (result != 0)
		return result;
	refused = port->mtu != 0 ? rte_eth_dev_set_mtu(exception->number, mtu) : 0;
	exception->mtu = mtu_get(exception->number, &info);
	if (refused == 0 || exception->mtu <= mtu)
		return 0;
	return error_fill(error, -refused,
		"port %s: its exception port '%s' has an MTU of %u and cannot be set to the port's "
		"%u (%s): choose another device",
		port->name, exception->device, exception->mtu, mtu, strerror(-refused));
}

static int
bring_up(struct exception *exception, const struct port_facts *port, struct error *error)
{
	char said[256];
	int result;

	error->text[0] = '\0';
	words_listen();
	result = configure(exception, port);
	if (result == 0)
		result = rte_eth_dev_start(exception->number);
	if (result == 0)
		result = limit_mtu(exception, port, error);
	words_rest(said, sizeof(said));
	if (result == 0 || error->text[0] != '\0')
		return result;
	result = result < -1 ? result : -EIO;
	return error_fill(error, -result, "port %s: its exception port '%s' cannot be started: %s",
		port->name, exception->device, said[0] != '\0' ? said : strerror(-result));
}

int
exception_open(const char *device, const struct port_facts *port, const struct mtu_wanted *port_mtu,
	struct exception **ret_exception, struct error *error)
{
	struct exception *exception = calloc(1, sizeof(*exception));
	char owner[64];
	int result;

	if (exception == NULL || (exception->device = with_mac(device, port->mac)) == NULL) {
		exception_close(exception);
		return error_fill(error, ENOMEM, "port %s: no memory", port->name);
	}
	exception->buffer_size = mtu_whole_size(port_mtu);
	snprintf(owner, sizeof(owner), "%s (exception)", port->name);
	result = device_attach(exception->device, owner, &exception->number, error);
	if (result == 0) {
		exception->attached = true;
		result = bring_up(exception, port, error);
	}
	if (result != 0) {
		exception_close(exception);
		return result;
	}
	*ret_exception = exception;
	return 0;
}

uint16_t
exception_number(const struct exception *exception)
{
	return exception->number;
}

uint16_t
exception_queues(const struct exception *exception)
{
	return exception->queues;
}

uint16_t
exception_mtu(const struct exception *exception)
{
	return exception->mtu;
}

void
exception_close(struct exception *exception)
{
	if (exception == NULL)
		return;
	if (exception->attached)
		device_detach(exception->number);
	rte_mempool_free(exception->pool);
	free(exception->device);
	free(exception);
}
