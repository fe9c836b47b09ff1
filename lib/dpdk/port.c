/* SPDX-License-Identifier: BSD-3-Clause */
#include "dpdk/port.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_ethdev.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>

#include "dpdk/bond.h"
#include "dpdk/device.h"
#include "dpdk/exception.h"
#include "dpdk/flow_rule.h"
#include "dpdk/guard.h"
#include "dpdk/mac_filter.h"
#include "dpdk/memif.h"
#include "dpdk/mtu.h"
#include "dpdk/pool.h"
#include "dpdk/port_priv.h"
#include "dpdk/words.h"
#include "dpdk/xstats.h"
#include "dsd/burst.h"

struct share {
	cache_aligned _Atomic uint64_t frames;
};

struct port {
	struct port_facts facts;
	struct filter filter;
	struct host host;
	struct exception *exception;
	uint16_t number, send_queues;
	bool attached, answers, has_exception, wants_flow;
	bool on_node; /* facts.node is the spec's */
	enum port_promiscuous promiscuous;
	uint64_t receive_offloads;
	uint64_t hash; /* that the device was asked for */
	struct steer *steer; /* where there are more shares than queues */
	struct share *shares;
	struct mtu_wanted mtu;
	struct rte_mempool *pool;
	struct guard sending;
	bool is_memif_client;
	const struct memif_ring *ring; /* that port_unread has found; valid while the link is up */
	struct port_control control;
};

/* A host spreads over a virtual machine's queues, and a peer over a virtual device's, as it likes.
 * Nobody does for a NIC. */
static bool
is_spread_by_others(const struct port_facts *facts)
{
	return facts->is_virtual || strcmp(facts->driver, "net_virtio") == 0;
}

/* One queue, if there is somebody to steer to, is better than some that fill by address only. */
static void
choose_hash(struct port *port, const struct rte_eth_dev_info *info, struct rte_eth_conf *conf)
{
	struct port_facts *facts = &port->facts;
	uint64_t hash = rxhash_wanted() & info->flow_type_rss_offloads;

	if (facts->shares > 1 && !rxhash_has_ports(hash) &&
		(hash != 0 || !is_spread_by_others(facts)))
		facts->queues = 1;
	facts->shares = RTE_MAX(facts->shares, facts->queues);
	if (facts->queues < 2 || hash == 0)
		return;
	port->hash = hash;
	conf->rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
	conf->rx_adv_conf.rss_conf.rss_hf = hash;
	if (facts->shares > facts->queues)
		port->receive_offloads |= info->rx_offload_capa & RTE_ETH_RX_OFFLOAD_RSS_HASH;
}

/* A queue to send on even where nothing is sent: some drivers refuse to start without, and some
 * want as many of the one as of the other. */
static int
configure_queues(struct port *port, const struct rte_eth_dev_info *info,
	const struct rte_eth_conf *conf)
{
	uint16_t queues = port->facts.queues, n = RTE_MIN(queues, info->max_tx_queues);
	int result;

	port->send_queues = port->answers ? n : 1;
	result = rte_eth_dev_configure(port->number, queues, port->send_queues, conf);
	if (result == 0)
		return 0;
	port->send_queues = port->answers ? 1 : queues;
	return rte_eth_dev_configure(port->number, queues, port->send_queues, conf);
}

static int
configure(struct port *port, const struct rte_eth_dev_info *info)
{
	struct rte_eth_conf conf = {0};
	struct port_facts *facts = &port->facts;
	int result;

	facts->send_descriptors = PORT_SEND_DESCRIPTORS;
	facts->queues = RTE_MIN(facts->queues_wanted, info->max_rx_queues);
	facts->descriptors = facts->is_virtual ? PORT_DESCRIPTORS_VIRTUAL : PORT_DESCRIPTORS;
	if (facts->checksum == PORT_CHECKSUM_AUTO)
		port->receive_offloads |= info->rx_offload_capa &
			(RTE_ETH_RX_OFFLOAD_IPV4_CKSUM | RTE_ETH_RX_OFFLOAD_UDP_CKSUM);
	/* A frame out of the exception port is as long as its driver made it. */
	if (port->has_exception)
		conf.txmode.offloads = info->tx_offload_capa & RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
	events_configure(info, &conf);
	conf.rxmode.mtu = port->mtu.mtu;
	choose_hash(port, info, &conf);
	conf.rxmode.offloads = port->receive_offloads;
	result = configure_queues(port, info, &conf);
	if (result != 0)
		return result;
	return rte_eth_dev_adjust_nb_rx_tx_desc(port->number, &facts->descriptors,
		&facts->send_descriptors);
}

/* Receive rings that the driver fills for each queue. vmxnet3 has a second one of the same size,
 * for the further buffers of long frames, and receives nothing once filling both emptied the pool.
 */
static unsigned
rings(const char *driver)
{
	return strcmp(driver, "net_vmxnet3") == 0 ? PORT_RINGS_MAX : 1;
}

static int
create_pool(struct port *port)
{
	unsigned n_devices = port_count_devices(port->control.bond.n_members);
	struct port_facts *facts = &port->facts;
	unsigned n_sending = (unsigned)port->send_queues * facts->send_descriptors * n_devices;
	char name[RTE_MEMPOOL_NAMESIZE];
	int result;

	snprintf(name, sizeof(name), "port%u", port->number);
	if (port->has_exception)
		n_sending += exception_buffers(facts->shares);
	facts->buffers += port_count_buffers(facts->queues * n_devices,
		rings(facts->driver) * facts->descriptors, n_sending, facts->shares - facts->queues,
		rte_lcore_count(), &port->mtu);
	result = pool_create(name, facts->buffers, mtu_buffer_size(port->mtu.device), facts->node,
		!facts->is_virtual, &port->pool);
	if (result != 0)
		return result;
	facts->memory_node = port->pool->socket_id;
	return 0;
}

static int
create_shares(struct port *port)
{
	const struct port_facts *facts = &port->facts;
	const struct steer_conf conf = {
		.port_number = port->number,
		.n_queues = facts->queues,
		.n_shares = facts->shares,
		.node = facts->memory_node,
	};
	size_t size = facts->shares * sizeof(*port->shares);

	port->shares = aligned_alloc(CACHE_LINE_SIZE, size);
	if (port->shares == NULL)
		return -ENOMEM;
	memset(port->shares, 0, size);
	return facts->shares > facts->queues ? steer_new(&conf, &port->steer) : 0;
}

static int
set_up_queues(struct port *port, const struct rte_eth_dev_info *info)
{
	struct rte_eth_rxconf receive = info->default_rxconf;
	unsigned node = (unsigned)port->facts.memory_node;
	int result = 0;

	receive.offloads = port->receive_offloads;
	/* One full queue must not hold up the others. */
	receive.rx_drop_en = port->facts.queues > 1;
	for (uint16_t i = 0; i < port->facts.queues && result == 0; i++)
		result = rte_eth_rx_queue_setup(port->number, i, port->facts.descriptors, node,
			&receive, port->pool);
	for (uint16_t i = 0; i < port->send_queues && result == 0; i++)
		result = rte_eth_tx_queue_setup(port->number, i, port->facts.send_descriptors, node,
			&info->default_txconf);
	return result;
}

static void
spread(struct port *port)
{
	struct port_facts *facts = &port->facts;
	uint64_t granted = 0;

	if (port->hash != 0) {
		granted = rxhash_granted(port->number, port->hash);
		facts->hash_entries = rxhash_spread(port->number, facts->queues, facts->shares);
	}
	facts->hashes_ports = rxhash_has_ports(granted);
	if (port->steer != NULL)
		steer_trust_hash(port->steer, facts->hashes_ports);
	rxhash_names(rxhash_wanted(), facts->hash_wanted);
	rxhash_names(granted, facts->hash_granted);
}

static int
start(struct port *port)
{
	struct rte_ether_addr mac;
	int result;

	result = rte_eth_dev_start(port->number);
	if (result != 0)
		return result;
	if (rte_eth_macaddr_get(port->number, &mac) == 0)
		memcpy(port->facts.mac, mac.addr_bytes, sizeof(port->facts.mac));
	memcpy(port->host.mac, port->facts.mac, sizeof(port->host.mac));
	spread(port);
	return 0;
}

/* What comes in through a device that runs. Without an address everything is for us. */
static int
direct(struct port *port, struct error *error)
{
	const struct mac_filter filter = {
		.promiscuous = port->promiscuous == PORT_PROMISCUOUS_ON ||
			(port->promiscuous == PORT_PROMISCUOUS_AUTO && port->facts.is_virtual &&
				port->filter.n_addresses == 0),
		.is_must = port->promiscuous != PORT_PROMISCUOUS_AUTO,
		.all_groups = port->has_exception,
		.groups = port->filter.groups,
		.n_groups = port->filter.n_groups,
		.addresses = port->filter.addresses,
		.n_addresses = port->filter.n_addresses,
	};
	struct error why;
	int result = mac_filter_set(port->number, &filter, &port->facts.multicast_by, &why);

	if (result == 0 && port->wants_flow)
		result = flow_rule_set(port->number, &port->filter, port->facts.queues, port->hash,
			&why);
	if (result != 0)
		return error_fill(error, -result, "port %s: %s", port->facts.name, why.text);
	return 0;
}

static void
note_device(struct port *port, const struct rte_eth_dev_info *info)
{
	const char *driver = info->driver_name;

	port->facts.driver = driver;
	if (!port->on_node)
		port->facts.node = rte_eth_dev_socket_id(port->number);
	/* Elsewhere rx_nombuf counts attempts to fill the ring again, which lose nothing; what the
	 * ring then cannot take is in imissed. */
	port->control.loses_without_buffer =
		strcmp(driver, "net_pcap") == 0 || strcmp(driver, "net_tap") == 0;
	/* net_pcap counts each read at a damaged place in the file, once a poll. */
	port->control.loses_with_error = strcmp(driver, "net_pcap") != 0;
	port->facts.keeps_unread = strcmp(driver, "net_null") == 0 ||
		(strcmp(driver, "net_pcap") == 0 && strstr(port->facts.device, "rx_pcap=") != NULL);
	port->is_memif_client = strcmp(driver, "net_memif") == 0 &&
		strstr(port->facts.device, "role=server") == NULL;
}

/* What a first start and one after a reset have in common at the end. */
static int
begin(struct port *port, const struct rte_eth_dev_info *info, const char **ret_step)
{
	int result;

	*ret_step = "setting up its queues";
	result = set_up_queues(port, info);
	if (result != 0)
		return result;
	*ret_step = "starting it";
	return start(port);
}

/* ret_step: what was tried last. error is filled where more is known of a failure than that. */
static int
set_up(struct port *port, const char **ret_step, struct error *error)
{
	struct rte_eth_dev_info info;
	int result;

	*ret_step = "asking the device";
	result = rte_eth_dev_info_get(port->number, &info);
	if (result != 0)
		return result;
	note_device(port, &info);
	result = mtu_prepare(&port->mtu, &info, &port->receive_offloads, error);
	if (result != 0)
		return result;
	*ret_step = "listening to it";
	result = events_open(&port->control.events, port->number, &info);
	if (result != 0)
		return result;
	if (port->wants_flow)
		flow_rule_isolate(port->number);
	*ret_step = "configuring it";
	result = configure(port, &info);
	if (result != 0)
		return result;
	*ret_step = "setting its MTU";
	result = mtu_set(&port->mtu, port->number, info.driver_name, error);
	if (result != 0)
		return result;
	*ret_step = "taking memory for its buffers";
	result = create_pool(port);
	if (result != 0)
		return result;
	*ret_step = "taking memory to steer to its workers";
	result = create_shares(port);
	if (result != 0)
		return result;
	result = begin(port, &info, ret_step);
	if (result == 0)
		port->facts.mtu = mtu_get(port->number, &info);
	return result;
}

static int
bring_up(struct port *port, struct error *error)
{
	struct port_lost before;
	const char *step;
	char said[256];
	int result;

	error->text[0] = '\0';
	words_listen();
	result = set_up(port, &step, error);
	words_rest(said, sizeof(said));
	if (result == 0) {
		port_lost(port, &before);
		port->control.xstats = xstats_new(port->number);
		return direct(port, error);
	}
	if (error->text[0] != '\0')
		return result;
	result = result < -1 ? result : -EIO;
	return error_fill(error, -result, "port %s: %s failed: %s%s", port->facts.name, step,
		said[0] != '\0' ? said : strerror(-result),
		result == -ENOMEM ? "; more memory: '-- -m MEGABYTES', or hugepages" : "");
}

int
port_open(const struct port_spec *spec, struct port **ret_port, struct error *error)
{
	struct port *port;
	int result = port_check(spec, error);

	if (result != 0)
		return result;
	port = calloc(1, sizeof(*port));
	if (port == NULL)
		return error_fill(error, ENOMEM, "port %s: no memory", spec->name);
	pthread_mutex_init(&port->control.counting, NULL);
	port->facts.name = spec->name;
	port->facts.device = spec->device;
	port->facts.queues_wanted = spec->queues;
	port->facts.shares = spec->shares;
	port->facts.checksum = spec->checksum;
	port->facts.frame_max = mtu_frame_max(spec->device);
	port->mtu = (struct mtu_wanted){spec->name, port_lowest_device(spec), spec->mtu};
	port->facts.multicast_by = "";
	port->promiscuous = spec->promiscuous;
	port->wants_flow = spec->wants_flow;
	port->facts.buffers = spec->buffers_kept;
	port->answers = port_answers(spec);
	port->has_exception = port_has_exception(spec);
	port->on_node = spec->on_node;
	port->facts.node = spec->node;
	port->facts.is_virtual = !device_is_pci(port_lowest_device(spec));
	result = port_build_filter(spec, &port->filter, error);
	if (result == 0)
		result = port_build_host(spec, &port->filter, &port->host, error);
	if (result != 0)
		goto fail;
	result = device_attach(spec->device, spec->name, &port->number, error);
	if (result != 0)
		goto fail;
	port->attached = true;
	guard_add(&port->sending, port->number);
	result = bond_open(&port->control.bond, port->number, spec->name, spec->members,
		spec->n_members, error);
	if (result != 0)
		goto fail;
	port->facts.has_lacp = port->control.bond.has_lacp;
	result = bring_up(port, error);
	if (result == 0 && port_has_exception(spec))
		result = exception_open(spec->exception, &port->facts, &port->mtu, &port->exception,
			error);
	if (result != 0)
		goto fail;
	*ret_port = port;
	return 0;

fail:
	port_close(port);
	return result;
}

const struct port_facts *
port_facts(const struct port *port)
{
	return &port->facts;
}

const struct filter *
port_filter(const struct port *port)
{
	return &port->filter;
}

uint16_t
port_number(const struct port *port)
{
	return port->number;
}

bool
port_has_link(const struct port *port)
{
	struct rte_eth_link link;

	return rte_eth_link_get_nowait(port->number, &link) == 0 &&
		link.link_status == RTE_ETH_LINK_UP;
}

struct steer_poller *
port_poller(const struct port *port, uint16_t queue)
{
	return port->steer != NULL && queue < port->facts.queues ? steer_poller(port->steer, queue)
								 : NULL;
}

struct steer_lane *
port_lane(const struct port *port, uint16_t share)
{
	return share < port->facts.queues ? NULL : steer_lane(port->steer, share);
}

_Atomic uint64_t *
port_frames(const struct port *port, uint16_t share)
{
	return &port->shares[share].frames;
}

struct host *
port_host(struct port *port)
{
	return &port->host;
}

const struct exception *
port_exception(const struct port *port)
{
	return port->exception;
}

struct rte_mempool *
port_pool(const struct port *port)
{
	return port->pool;
}

uint16_t
port_send_queues(const struct port *port)
{
	return port->send_queues;
}

struct port_control *
port_control(struct port *port)
{
	return &port->control;
}

int
port_set_up_again(struct port *port, const char **ret_step)
{
	uint16_t queues = port->facts.queues;
	struct rte_eth_dev_info info;
	struct error error;
	int result;

	*ret_step = "asking the device";
	result = rte_eth_dev_info_get(port->number, &info);
	if (result != 0)
		return result;
	*ret_step = "configuring it as it was";
	result = configure(port, &info);
	if (result == 0 && port->facts.queues != queues)
		result = -ENOSPC; /* each is somebody's */
	if (result != 0)
		return result;
	*ret_step = "setting its MTU";
	result = mtu_set(&port->mtu, port->number, info.driver_name, &error);
	if (result != 0)
		return result;
	result = begin(port, &info, ret_step);
	if (result != 0)
		return result;
	*ret_step = "setting its filters";
	return direct(port, &error);
}

size_t
port_send(struct port *port, const struct span *frames, size_t n)
{
	struct rte_mbuf *buffers[BURST_MAX];
	uint16_t n_filled = 0, n_sent;

	for (; n_filled < RTE_MIN(n, (size_t)BURST_MAX); n_filled++) {
		struct span frame = frames[n_filled];
		struct rte_mbuf *buffer = rte_pktmbuf_alloc(port->pool);
		char *at;

		if (buffer == NULL)
			break;
		at = rte_pktmbuf_append(buffer, (uint16_t)RTE_MIN(frame.size, (size_t)UINT16_MAX));
		if (at == NULL) {
			rte_pktmbuf_free(buffer);
			break;
		}
		memcpy(at, frame.data, frame.size);
		buffers[n_filled] = buffer;
	}
	n_sent = 0;
	if (guard_enter(&port->sending)) {
		n_sent = rte_eth_tx_burst(port->number, 0, buffers, n_filled);
		guard_leave(&port->sending);
	}
	rte_pktmbuf_free_bulk(buffers + n_sent, n_filled - n_sent);
	return n_sent;
}

int
port_unread(struct port *port)
{
	int result = -ENOTSUP;

	if (!port->is_memif_client)
		return result;
	if (!guard_enter(&port->sending))
		return -ENOTCONN;
	if (!port_has_link(port))
		result = -ENOTCONN;
	else if (port->ring != NULL || (port->ring = memif_find_ring()) != NULL)
		result = memif_unread(port->ring);
	guard_leave(&port->sending);
	return result;
}

void
port_close(struct port *port)
{
	if (port == NULL)
		return;
	if (port->attached) {
		guard_remove(&port->sending);
		events_close(&port->control.events);
		if (port->wants_flow)
			flow_rule_remove(port->number);
		device_detach(port->number);
		bond_close(&port->control.bond);
	}
	exception_close(port->exception);
	steer_free(port->steer);
	free(port->shares);
	xstats_free(port->control.xstats);
	pthread_mutex_destroy(&port->control.counting);
	rte_mempool_free(port->pool);
	host_done(&port->host);
	port_free_filter(&port->filter);
	free(port);
}
