/* SPDX-License-Identifier: BSD-3-Clause */
#include "dpdk/device.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <rte_dev.h>
#include <rte_eal.h>
#include <rte_ethdev.h>

#include "base/pci.h"
#include "base/unix_socket.h"
#include "dpdk/driver_list.h"
#include "dpdk/interrupt.h"
#include "dpdk/words.h"

/* The part before the arguments, as DPDK spells it. False when it is too long to be one. */
static bool
device_name(const char *device, char name[RTE_ETH_NAME_MAX_LEN])
{
	size_t size = strcspn(device, ",");
	char address[PCI_ADDRESS_SIZE];

	if (size == 0 || size >= RTE_ETH_NAME_MAX_LEN)
		return false;
	memcpy(name, device, size);
	name[size] = '\0';
	if (pci_parse(device, address))
		memcpy(name, address, sizeof(address));
	return true;
}

bool
device_is_pci(const char *device)
{
	return pci_parse(device, NULL);
}

static bool
has_driver(const char *device)
{
	static const char *const prefixes[] = {DRIVER_LIST, "virtio_user"};

	for (size_t i = 0; i < ARRAY_LENGTH(prefixes); i++)
		if (strncmp(device, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

int
device_check(const char *device, struct error *error)
{
	char name[RTE_ETH_NAME_MAX_LEN];

	if (!device_name(device, name))
		return error_fill(error, EINVAL, "'%s' names no device", device);
	if (device_is_pci(device) || has_driver(device))
		return 0;
	if (strncmp(device, "net_", 4) == 0)
		return error_fill(error, EINVAL,
			"this build has no driver for '%s'; it has " DRIVER_TEXT, name);
	return error_fill(error, EINVAL,
		"'%s' is neither a PCI address (0000:3b:00.0) nor a virtual device; for an "
		"interface of the kernel write net_af_packet0,iface=%s",
		name, name);
}

static int
explain_pci(const char *name, const char *said, struct error *error)
{
	char path[PATH_MAX], driver[PCI_DRIVER_SIZE], group[64];
	int result = pci_look_up(name, "/sys", driver, error);

	if (result != 0)
		return result;
	if (pci_link(name, "/sys", "iommu_group", group, sizeof(group))) {
		snprintf(path, sizeof(path), "/dev/vfio/%s", group);
		if (access(path, R_OK | W_OK) != 0 && errno == EACCES)
			return error_fill(error, EACCES,
				"%s: no permission to open %s: give it to the user that Penstock "
				"runs as, by chown or by a udev rule",
				name, path);
	}
	return error_fill(error, ENODEV, "%s cannot be opened: %s%s", name, said,
		rte_eal_has_hugepages()
			? ""
			: "; some drivers need hugepages: 'echo 64 > /sys/kernel/mm/"
			  "hugepages/hugepages-2048kB/nr_hugepages' reserves 128 "
			  "MiB");
}

static int
explain(const char *device, int error_number, const char *said, struct error *error)
{
	char name[RTE_ETH_NAME_MAX_LEN] = "";

	if (device_is_pci(device) && device_name(device, name))
		return explain_pci(name, said, error);
	/* Many drivers return -1 whatever happened. */
	if (error_number <= EPERM)
		error_number = ENODEV;
	if (geteuid() != 0 &&
		(strstr(device, "net_af_packet") == device || strstr(device, "net_tap") == device))
		return error_fill(error, EPERM,
			"'%s' cannot be opened: it takes CAP_NET_RAW (af_packet) or CAP_NET_ADMIN "
			"(tap), which this user may lack: %s",
			device, said);
	return error_fill(error, error_number, "'%s' cannot be opened: %s", device,
		said[0] != '\0' ? said : strerror(error_number));
}

bool
device_argument(const char *device, const char *key, char *value, size_t size)
{
	size_t key_size = strlen(key);

	for (const char *at = strchr(device, ','); at != NULL; at = strchr(at, ',')) {
		size_t value_size;

		at++;
		if (strncmp(at, key, key_size) != 0 || at[key_size] != '=')
			continue;
		at += key_size + 1;
		value_size = strcspn(at, ",");
		if (value_size >= size)
			return false;
		memcpy(value, at, value_size);
		value[value_size] = '\0';
		return true;
	}
	return false;
}

/* A memif server binds its socket where nothing may be; a killed process left one there. */
static int
clear_memif_socket(const char *device, struct error *error)
{
	char role[16], is_abstract[8], path[PATH_MAX];
	struct error why;
	int result;

	if (strncmp(device, "net_memif", strlen("net_memif")) != 0 ||
		!device_argument(device, "role", role, sizeof(role)) ||
		strcmp(role, "server") != 0 ||
		!device_argument(device, "socket-abstract", is_abstract, sizeof(is_abstract)) ||
		strcmp(is_abstract, "no") != 0 ||
		!device_argument(device, "socket", path, sizeof(path)))
		return 0;
	result = unix_socket_make_room(path, &why);
	return result == 0 ? 0 : error_fill(error, -result, "'%s': %s", device, why.text);
}

static int
claim(uint16_t number, const char *device, const char *name, struct error *error)
{
	struct rte_eth_dev_owner owner = {.id = RTE_ETH_DEV_NO_OWNER}, other;

	if (rte_eth_dev_owner_get(number, &other) == 0 && other.id != RTE_ETH_DEV_NO_OWNER)
		return error_fill(error, EBUSY, "'%s' is already the device of '%s'", device,
			other.name);
	snprintf(owner.name, sizeof(owner.name), "%s", name);
	if (rte_eth_dev_owner_new(&owner.id) != 0 || rte_eth_dev_owner_set(number, &owner) != 0)
		return error_fill(error, EBUSY, "'%s' is taken by another part of DPDK", device);
	return 0;
}

int
device_attach(const char *device, const char *owner, uint16_t *ret_number, struct error *error)
{
	char name[RTE_ETH_NAME_MAX_LEN], said[256];
	int result = device_check(device, error);
	uint16_t number;

	if (result != 0 || !device_name(device, name))
		return result;
	/* PCI devices, and what the EAL arguments name, are there since EAL started. */
	if (rte_eth_dev_get_port_by_name(name, &number) != 0) {
		result = clear_memif_socket(device, error);
		if (result != 0)
			return result;
		words_listen();
		result = rte_dev_probe(device);
		words_rest(said, sizeof(said));
		if (result != 0)
			return explain(device, result < 0 ? -result : ENODEV, said, error);
		if (rte_eth_dev_get_port_by_name(name, &number) != 0)
			return error_fill(error, ENODEV, "'%s' is no network interface", device);
	}
	result = claim(number, device, owner, error);
	if (result == 0)
		*ret_number = number;
	return result;
}

static void
close_device(void *number)
{
	rte_eth_dev_stop(*(uint16_t *)number);
	rte_eth_dev_close(*(uint16_t *)number);
}

void
device_detach(uint16_t number)
{
	struct rte_eth_dev_info info = {0};
	bool has_info = rte_eth_dev_info_get(number, &info) == 0;

	/* memif frees what its interrupt handler uses: a peer that goes at the same moment would
	 * end in a crash. In one thread the two take turns. */
	if (!has_info || strcmp(info.driver_name, "net_memif") != 0 ||
		interrupt_run(close_device, &number) != 0)
		close_device(&number);
	if (has_info)
		rte_dev_remove(info.device);
}
