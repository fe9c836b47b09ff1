/* SPDX-License-Identifier: BSD-3-Clause */
#include "dpdk/events.h"

#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <rte_ethdev.h>

static const enum rte_eth_event_type heard[] = {
	RTE_ETH_EVENT_INTR_LSC,
	RTE_ETH_EVENT_INTR_RESET,
	RTE_ETH_EVENT_INTR_RMV,
};

static const enum events_bit meaning[] = {EVENTS_LINK, EVENTS_RESET, EVENTS_GONE};

void
events_configure(const struct rte_eth_dev_info *info, struct rte_eth_conf *conf)
{
	conf->intr_conf.lsc = (*info->dev_flags & RTE_ETH_DEV_INTR_LSC) != 0;
	conf->intr_conf.rmv = (*info->dev_flags & RTE_ETH_DEV_INTR_RMV) != 0;
}

/* In the interrupt thread, or in whichever thread the driver finds out. */
static int
hear(uint16_t device, enum rte_eth_event_type type, void *argument, void *unused)
{
	struct events *events = argument;
	int wake = atomic_load(&events->wake);
	uint64_t one = 1;

	(void)device;
	(void)unused;
	for (size_t i = 0; i < RTE_DIM(heard); i++)
		if (heard[i] == type)
			atomic_fetch_or(&events->pending, meaning[i]);
	if (wake >= 0 && write(wake, &one, sizeof(one)) < 0)
		return 0; /* the counter is full: the thread will wake */
	return 0;
}

int
events_open(struct events *events, uint16_t device, const struct rte_eth_dev_info *info)
{
	events->device = device;
	events->interface = info->if_index;
	/* Those that neither interrupt nor look call their link up as long as they run. */
	events->knows_link = info->if_index == 0 || (*info->dev_flags & RTE_ETH_DEV_INTR_LSC) != 0;
	atomic_store(&events->wake, -1);
	events->is_open = true;
	for (size_t i = 0; i < RTE_DIM(heard); i++) {
		int result = rte_eth_dev_callback_register(device, heard[i], hear, events);

		if (result != 0)
			return result;
	}
	return 0;
}

unsigned
events_take(struct events *events)
{
	return atomic_exchange(&events->pending, 0);
}

/* The flags of a kernel interface, whatever it is called by now. 0; -ENODEV when it is gone. */
static int
interface_flags(unsigned interface, short *ret_flags)
{
	struct ifreq request = {0};
	int fd, result;

	if (if_indextoname(interface, request.ifr_name) == NULL)
		return errno == ENXIO ? -ENODEV : -errno;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	result = ioctl(fd, SIOCGIFFLAGS, &request) == 0 ? 0 : -errno;
	close(fd);
	if (result == 0)
		*ret_flags = request.ifr_flags;
	return result;
}

struct link
events_link(const struct events *events)
{
	struct rte_eth_link device = {0};
	struct link link = {LINK_DOWN, 0};
	short flags = 0;
	int result = events->interface != 0 ? interface_flags(events->interface, &flags) : 0;

	if (result == -ENODEV || rte_eth_dev_is_removed(events->device) == 1) {
		link.state = LINK_GONE;
		return link;
	}
	if (rte_eth_link_get_nowait(events->device, &device) != 0)
		return link;
	if (device.link_status == RTE_ETH_LINK_UP)
		link.state = LINK_UP;
	/* IFF_RUNNING: the carrier is there, by netdevice(7). */
	if (!events->knows_link && result == 0 && (flags & IFF_UP) != 0 &&
		(flags & IFF_RUNNING) != 0)
		link.state = LINK_UP;
	else if (!events->knows_link && result == 0)
		link.state = LINK_DOWN;
	/* A virtual device says 10 Gbit/s whatever is behind it. */
	if (link.state == LINK_UP && events->interface == 0 &&
		device.link_speed != RTE_ETH_SPEED_NUM_UNKNOWN)
		link.speed = device.link_speed;
	return link;
}

void
events_close(struct events *events)
{
	if (!events->is_open)
		return;
	events->is_open = false;
	for (size_t i = 0; i < RTE_DIM(heard); i++)
		rte_eth_dev_callback_unregister(events->device, heard[i], hear, events);
}
