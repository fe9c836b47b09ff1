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
#include "dpdk/pool.h"
#include "dpdk/port.h"
#include "dpdk/words.h"
#include "dsd/burst.h"

#define DESCRIPTORS 256
#define BUFFER_SIZE 2048 /* bytes of a frame; longer ones take several */

/* What the port can hold of our buffers while it sends them. */
#define PORT_SEND_DESCRIPTORS 256

/* Rings and state of the device, beside its buffers. */
#define DEVICE_MEMORY (size_t)(1 << 20)

struct exception {
	char *device; /* with the MAC */
	uint16_t number, queues;
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

static unsigned
count_buffers(unsigned queues, unsigned n_threads)
{
	return queues * (DESCRIPTORS + PORT_SEND_DESCRIPTORS + BURST_MAX) + pool_cached(n_threads);
}

size_t
exception_memory(unsigned shares, unsigned n_threads)
{
	return pool_memory(count_buffers(shares, n_threads), BUFFER_SIZE) + DEVICE_MEMORY;
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
create_pool(struct exception *exception)
{
	char name[RTE_MEMPOOL_NAMESIZE];

	snprintf(name, sizeof(name), "exception%u", exception->number);
	return pool_create(name, count_buffers(exception->queues, rte_lcore_count()), BUFFER_SIZE,
		SOCKET_ID_ANY, true, &exception->pool);
}

static int
configure(struct exception *exception, uint16_t queues)
{
	uint16_t receive = DESCRIPTORS, send = DESCRIPTORS;
	struct rte_eth_conf conf = {0};
	struct rte_eth_dev_info info;
	int result = rte_eth_dev_info_get(exception->number, &info);

	if (result != 0)
		return result;
	queues = RTE_MIN(queues, RTE_MIN(info.max_rx_queues, info.max_tx_queues));
	exception->queues = queues;
	result = rte_eth_dev_configure(exception->number, queues, queues, &conf);
	if (result == 0)
		result = rte_eth_dev_adjust_nb_rx_tx_desc(exception->number, &receive, &send);
	if (result == 0)
		result = create_pool(exception);
	for (uint16_t i = 0; i < queues && result == 0; i++) {
		result = rte_eth_rx_queue_setup(exception->number, i, receive,
			(unsigned)SOCKET_ID_ANY, NULL, exception->pool);
		if (result == 0)
			result = rte_eth_tx_queue_setup(exception->number, i, send,
				(unsigned)SOCKET_ID_ANY, NULL);
	}
	return result;
}

static int
bring_up(struct exception *exception, const struct port_facts *port, struct error *error)
{
	char said[256];
	int result;

	words_listen();
	result = configure(exception, port->shares);
	if (result == 0)
		result = rte_eth_dev_start(exception->number);
	/* Longer frames would come out of the kernel than the port can send. */
	if (result == 0 && port->mtu != 0)
		rte_eth_dev_set_mtu(exception->number, port->mtu);
	words_rest(said, sizeof(said));
	if (result == 0)
		return 0;
	result = result < -1 ? result : -EIO;
	return error_fill(error, -result, "port %s: its exception port '%s' cannot be started: %s",
		port->name, exception->device, said[0] != '\0' ? said : strerror(-result));
}

int
exception_open(const char *device, const struct port_facts *port, struct exception **ret_exception,
	struct error *error)
{
	struct exception *exception = calloc(1, sizeof(*exception));
	char owner[64];
	int result;

	if (exception == NULL || (exception->device = with_mac(device, port->mac)) == NULL) {
		exception_close(exception);
		return error_fill(error, ENOMEM, "port %s: no memory", port->name);
	}
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
