/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A network interface that DPDK owns: its queues, its buffers, and what the device says it lost.
 *
 * Which checksums are computed in software:
 *
 *                 device says good   device says bad     device says nothing
 *   auto          none               what it calls bad   IP: always; UDP: on a PCI device
 *   verify        both               both                both
 *   ignore        none               none                none
 *
 * A virtual device says nothing, and senders on the same host leave UDP checksums to a NIC that
 * is not there; a wrong one proves no damage then. A bad mark alone drops nothing, because some
 * devices put it on datagrams without a checksum (RFC 768). A datagram that came in fragments has a
 * UDP checksum that its sender filled in and of which no device says anything: it is computed
 * unless all are ignored.
 */
#ifndef DPDK_PORT_H
#define DPDK_PORT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dpdk/eal.h"
#include "dpdk/events.h"
#include "dpdk/rxhash.h"
#include "dpdk/steer.h"
#include "frame/filter.h"
#include "frame/host.h"

struct port;
struct exception;
struct rte_mempool;
struct xstats;

enum port_checksum {
	PORT_CHECKSUM_AUTO,
	PORT_CHECKSUM_VERIFY,
	PORT_CHECKSUM_IGNORE,
};

enum port_promiscuous {
	PORT_PROMISCUOUS_AUTO, /* of a virtual device that takes datagrams to any address */
	PORT_PROMISCUOUS_ON,
	PORT_PROMISCUOUS_OFF,
};

/* Strings are borrowed and outlive the port. */
struct port_spec {
	const char *name;
	const char *device; /* as in dpdk/device.h */
	const char *const *members; /* devices, where device is a bond */
	size_t n_members;
	uint16_t queues; /* wanted, at least 1; fewer may be granted */
	uint16_t shares; /* workers that get frames, see dpdk/steer.h; 0: one for each queue */
	uint16_t udp_port; /* host order; 0: any */
	const char *const *addresses; /* "192.0.2.10/24"; none: any destination */
	size_t n_addresses;
	const char *const *gateways; /* "192.0.2.1" */
	size_t n_gateways;
	const char *exception; /* device as in dpdk/exception.h; NULL or "": none */
	const char *const *multicast; /* groups that are destinations too: "239.1.2.3" */
	size_t n_multicast;
	enum port_promiscuous promiscuous;
	bool wants_flow; /* only what is for udp_port and the addresses: dpdk/flow_rule.h */
	const char *const *allow; /* source prefixes; none: any source */
	size_t n_allow;
	enum port_checksum checksum;
	bool on_node; /* its memory goes to this NUMA node, not to the device's own */
	int node;
	uint16_t mtu; /* to be set, bytes; 0: as the device has it */
	unsigned buffers_kept; /* by the device: net_pcap with infinite_rx keeps its whole file */
};

/* What the port turned out to be, for people and for the plan. */
struct port_facts {
	const char *name, *device;
	const char *driver; /* "net_ixgbe" */
	uint8_t mac[6];
	bool is_virtual; /* no NIC behind it */
	bool has_lacp; /* a bond that somebody must send on: see dpdk/bond.h */
	bool keeps_unread; /* a file, or endless: loses nothing however late it is polled */
	int node; /* NUMA node where its memory should be; -1: none */
	int memory_node; /* where it is; -1: on any, since that one had not enough */
	uint16_t queues_wanted, queues; /* granted, and used */
	uint16_t shares; /* queues, or more: then those beyond are steered in software */
	bool hashes_ports; /* spreads flows over the queues by UDP ports, not only by address */
	char hash_wanted[RXHASH_NAMES_SIZE], hash_granted[RXHASH_NAMES_SIZE];
	uint16_t hash_entries; /* of the device's table that we filled; 0: it has its own */
	uint16_t descriptors; /* of each queue */
	uint16_t send_descriptors; /* of each queue that it sends on */
	uint16_t mtu;
	uint32_t frame_max; /* bytes of a frame that arrive whole; 0: no limit but the MTU */
	unsigned buffers;
	enum port_checksum checksum;
	const char *multicast_by; /* what lets the groups through; "": there are none */
};

/* Frames that never reached a poll. */
struct port_lost {
	uint64_t missed; /* no free descriptor */
	uint64_t no_buffer; /* read and thrown away, since the pool was empty */
	uint64_t errors; /* damaged on the way in */
};

/* Looks at the spec without touching the device. 0, or -EINVAL with error filled. */
int port_check(const struct port_spec *spec, struct error *error);

/* Bytes of EAL memory that the port will take at most, for n_workers. */
size_t port_memory(const struct port_spec *spec, size_t n_workers);

/* Bytes beside that which its inputs take at worst, while datagrams come in fragments or frames in
 * several buffers. */
size_t port_frame_memory(const struct port_spec *spec);

/* Opens and starts the device; after eal_start, same thread. 0, or -errno with error filled;
 * ret_port is untouched then. */
int port_open(const struct port_spec *spec, struct port **ret_port, struct error *error);

/* Any thread. */
const struct port_facts *port_facts(const struct port *port);
const struct filter *port_filter(const struct port *port);
uint16_t port_number(const struct port *port); /* DPDK's */
bool port_has_link(const struct port *port);

/* A polled queue's other workers (NULL: none), and where the frames of a share come from (NULL: the
 * queue of that number). The workers' own. */
struct steer_poller *port_poller(const struct port *port, uint16_t queue);
struct steer_lane *port_lane(const struct port *port, uint16_t share);

/* Frames that the share's worker took in: it counts, anyone reads. */
_Atomic uint64_t *port_frames(const struct port *port, uint16_t share);

/* For the owners of the port's queues (dpdk/responder.h): what it is to its neighbours, whose
 * addresses are none where it answers nothing; its exception port, or NULL; its buffers; and how
 * many queues it sends on. */
struct host *port_host(struct port *port);
const struct exception *port_exception(const struct port *port);
struct rte_mempool *port_pool(const struct port *port);
uint16_t port_send_queues(const struct port *port);

/*
 * The rest of a port's life is handled by one control thread, which is none of those that poll.
 */

/* What happened to the device since the last call, bits of enum events_bit; from now on wake, an
 * eventfd, is written when something does. -1: no longer. */
unsigned port_events(struct port *port, int wake);

/* How the link is; asks the device. */
struct link port_link(struct port *port);

/* How many members of a bond carry traffic, and of how many; 0 of 0: the port is no bond. */
uint16_t port_members(struct port *port, uint16_t *ret_n);

/* Keeps all pollers out of the device, stops it, resets it where it can be reset, sets it up as it
 * was and lets them in again. Buffers that they hold stay valid. 0, or -errno with error filled:
 * they are kept out then, and it may be tried again. */
int port_reset(struct port *port, struct error *error);

/* The device is gone: keeps all pollers out for good. */
void port_give_up(struct port *port);

/* The device's own statistics, as of the last port_read_xstats; NULL: it has none. Any thread. */
const struct xstats *port_xstats(struct port *port);
void port_read_xstats(struct port *port);

/*
 * What the device lost since the last call. One thread only. Not every driver can tell: memif and
 * ring refuse their sender instead, af_packet and null report nothing; e.g. the kernel's drops in
 * front of af_packet are not in the ledger.
 */
void port_lost(struct port *port, struct port_lost *ret_lost);

/* Copies the frames into buffers and sends them on queue 0; returns how many the device took.
 * One thread at a time. */
size_t port_send(struct port *port, const struct span *frames, size_t n);

/* Frames that the device took and its peer has not read yet; they are gone when the port is closed.
 * -ENOTCONN: the peer has left. -ENOTSUP: the device is no memif client and cannot tell. Same
 * thread as port_send. */
int port_unread(struct port *port);

/* After the last poll; NULL is fine. */
void port_close(struct port *port);

#endif
