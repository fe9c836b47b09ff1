/* SPDX-License-Identifier: BSD-3-Clause */
#include "dpdk/mtu.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <rte_ethdev.h>

#include "dpdk/device.h"
#include "dpdk/joiner.h"

#define BUFFER_SIZE 2048
#define DRIVER_AF_PACKET "net_af_packet"
#define AF_PACKET_FRAME 2048 /* the driver's default for framesz */
#define BUFFER_SIZE_MAX 65408 /* its size has 16 bits, and its headroom counts too */
/* What the kernel puts before the frame: a header of 32 bytes, an address of 20, and room for the
 * Ethernet header that ends at a multiple of 16 (packet(7), TPACKET_V2). */
#define AF_PACKET_HEADER 66
#define FRAME_OVERHEAD (14 + 2 * 4 + 4) /* Ethernet with two tags and its checksum */

static bool
is_driver(const char *device, const char *driver)
{
	return strncmp(device, driver, strlen(driver)) == 0;
}

/* framesz as it is given, or 0: the device has no such argument. */
static uint32_t
af_packet_frame(const char *device)
{
	char value[16];
	unsigned long size;

	if (!is_driver(device, DRIVER_AF_PACKET))
		return 0;
	if (!device_argument(device, "framesz", value, sizeof(value)))
		return AF_PACKET_FRAME;
	size = strtoul(value, NULL, 10); /* the driver refuses what is no number */
	return size < BUFFER_SIZE_MAX ? (uint32_t)size : BUFFER_SIZE_MAX;
}

uint16_t
mtu_buffer_size(const char *device)
{
	uint32_t frame = af_packet_frame(device);

	return frame > BUFFER_SIZE ? (uint16_t)frame : BUFFER_SIZE;
}

uint16_t
mtu_whole_size(const struct mtu_wanted *wanted)
{
	uint32_t size = RTE_MAX((uint32_t)wanted->mtu + FRAME_OVERHEAD,
		(uint32_t)mtu_buffer_size(wanted->device));

	return (uint16_t)RTE_MIN(size, (uint32_t)BUFFER_SIZE_MAX);
}

uint16_t
mtu_held_by(uint16_t buffer_size)
{
	return (uint16_t)(buffer_size - FRAME_OVERHEAD);
}

static unsigned
count_segments(const struct mtu_wanted *wanted, unsigned frame_size)
{
	unsigned size = mtu_buffer_size(wanted->device);

	return (frame_size + size - 1) / size;
}

unsigned
mtu_segments(const struct mtu_wanted *wanted)
{
	return count_segments(wanted, wanted->mtu + FRAME_OVERHEAD);
}

/* Whose frames are as long as somebody else likes: whoever wrote the file, whoever sets the MTU of
 * the kernel's side, the peer. */
static bool
is_unbounded(const char *device)
{
	static const char *const drivers[] = {"net_memif", "net_pcap", "net_tap", "virtio_user"};

	for (size_t i = 0; i < RTE_DIM(drivers); i++)
		if (is_driver(device, drivers[i]))
			return true;
	return false;
}

unsigned
mtu_segments_max(const struct mtu_wanted *wanted)
{
	if (is_unbounded(wanted->device))
		return count_segments(wanted, JOINER_FRAME_MAX);
	return mtu_segments(wanted);
}

uint32_t
mtu_frame_max(const char *device)
{
	uint32_t frame = af_packet_frame(device);

	return frame > AF_PACKET_HEADER ? frame - AF_PACKET_HEADER : 0;
}

/* The highest that DPDK lets through; it takes 18 bytes for what comes around where the driver does
 * not say how much. */
static uint32_t
mtu_max(const struct rte_eth_dev_info *info)
{
	uint32_t by_frame = info->max_rx_pktlen - RTE_ETHER_HDR_LEN - RTE_ETHER_CRC_LEN;

	return info->max_mtu != UINT16_MAX ? info->max_mtu : RTE_MIN(by_frame, UINT16_MAX);
}

static bool
needs_scatter(const struct mtu_wanted *wanted)
{
	return is_unbounded(wanted->device) ||
		wanted->mtu + FRAME_OVERHEAD > mtu_buffer_size(wanted->device);
}

static int
refuse_range(const struct mtu_wanted *wanted, const struct rte_eth_dev_info *info,
	struct error *error)
{
	char interface[IF_NAMESIZE], way_out[128] = "";

	/* Their drivers let no more through than an ordinary Ethernet frame. */
	if (info->if_index != 0 && if_indextoname(info->if_index, interface) != NULL)
		snprintf(way_out, sizeof(way_out),
			"; leave mtu out, and the kernel sets it: 'ip link set %s mtu %u'",
			interface, wanted->mtu);
	return error_fill(error, ERANGE,
		"port %s: mtu %u is not possible: the driver %s can set %u to %u%s", wanted->port,
		wanted->mtu, info->driver_name, info->min_mtu, mtu_max(info), way_out);
}

int
mtu_prepare(const struct mtu_wanted *wanted, const struct rte_eth_dev_info *info,
	uint64_t *offloads, struct error *error)
{
	uint16_t size = mtu_buffer_size(wanted->device);

	if (needs_scatter(wanted))
		*offloads |= info->rx_offload_capa & RTE_ETH_RX_OFFLOAD_SCATTER;
	if (wanted->mtu == 0)
		return 0;
	if (wanted->mtu < info->min_mtu || wanted->mtu > mtu_max(info))
		return refuse_range(wanted, info, error);
	if (wanted->mtu + FRAME_OVERHEAD > size && (*offloads & RTE_ETH_RX_OFFLOAD_SCATTER) == 0)
		return error_fill(error, ERANGE,
			"port %s: mtu %u is not possible: the driver %s cannot spread a frame over "
			"buffers of %u bytes; %u is the most",
			wanted->port, wanted->mtu, info->driver_name, size, size - FRAME_OVERHEAD);
	return 0;
}

int
mtu_set(const struct mtu_wanted *wanted, uint16_t number, const char *driver, struct error *error)
{
	uint16_t mtu = 0;
	int result;

	if (wanted->mtu == 0)
		return 0;
	result = rte_eth_dev_set_mtu(number, wanted->mtu);
	if (result == -ENOTSUP)
		return error_fill(error, ENOTSUP,
			"port %s: mtu %u cannot be set: the driver %s has none: leave mtu out",
			wanted->port, wanted->mtu, driver);
	if (result != 0)
		return result;
	if (rte_eth_dev_get_mtu(number, &mtu) != 0 || mtu != wanted->mtu)
		return error_fill(error, EIO,
			"port %s: mtu %u was set, but the device has %u: use that, or leave mtu "
			"out",
			wanted->port, wanted->mtu, mtu);
	return 0;
}

uint16_t
mtu_get(uint16_t number, const struct rte_eth_dev_info *info)
{
	struct ifreq request = {.ifr_mtu = 0};
	uint16_t mtu = 0;
	int fd, result;

	rte_eth_dev_get_mtu(number, &mtu);
	if (info->if_index == 0 || if_indextoname(info->if_index, request.ifr_name) == NULL)
		return mtu;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return mtu;
	result = ioctl(fd, SIOCGIFMTU, &request);
	close(fd);
	/* The loopback interface has 65536. */
	return result != 0 ? mtu : (uint16_t)RTE_MIN(request.ifr_mtu, (int)UINT16_MAX);
}
