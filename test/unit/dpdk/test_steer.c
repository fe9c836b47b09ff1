/* SPDX-License-Identifier: BSD-3-Clause */
/* What the device's hash is used for, where it has one: net_null keeps the table it is given. What
 * other devices grant is laid out by hand. */
#include "dpdk/lab.h"

#include "dpdk/port.c"

static void
names_what_is_wanted_and_granted(void **state)
{
	char names[RXHASH_NAMES_SIZE];

	(void)state;
	rxhash_names(rxhash_wanted(), names);
	assert_string_equal(names, "ipv4 ipv4-frag ipv4-udp ipv6 ipv6-frag ipv6-udp");
	rxhash_names(RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_NONFRAG_IPV4_TCP | RTE_ETH_RSS_IPV6, names);
	assert_string_equal(names, "ipv4 ipv6");
	rxhash_names(0, names);
	assert_string_equal(names, "none");
	assert_true(rxhash_has_ports(rxhash_wanted()));
	assert_false(rxhash_has_ports(RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_NONFRAG_IPV4_UDP));
}

/* What is made of a device that has n_queues, and these functions, for n_shares workers. */
static struct port
choose(const char *driver, uint64_t functions, uint16_t n_queues, uint16_t n_shares,
	struct rte_eth_conf *conf)
{
	const struct rte_eth_dev_info info = {.flow_type_rss_offloads = functions,
		.rx_offload_capa = RTE_ETH_RX_OFFLOAD_RSS_HASH};
	struct port port = {.facts = {.driver = driver,
				    .queues_wanted = n_queues,
				    .queues = n_queues,
				    .shares = n_shares}};

	*conf = (struct rte_eth_conf){0};
	choose_hash(&port, &info, conf);
	return port;
}

#define BY_ADDRESS (RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_NONFRAG_IPV4_TCP | RTE_ETH_RSS_IPV6)
#define BY_PORTS (BY_ADDRESS | RTE_ETH_RSS_NONFRAG_IPV4_UDP | RTE_ETH_RSS_NONFRAG_IPV6_UDP)

static void
steers_where_the_device_cannot_tell_flows_apart(void **state)
{
	struct rte_eth_conf conf;
	struct port port;

	(void)state;
	port = choose("net_ixgbe", BY_PORTS, 4, 4, &conf);
	assert_int_equal(port.facts.queues, 4);
	assert_int_equal(conf.rxmode.mq_mode, RTE_ETH_MQ_RX_RSS);
	assert_int_equal(conf.rx_adv_conf.rss_conf.rss_hf, BY_PORTS & rxhash_wanted());
	assert_int_equal(port.receive_offloads, 0); /* nobody reads the hash */
	/* Fewer queues than workers: the hash steers too. */
	port = choose("net_ixgbe", BY_PORTS, 4, 6, &conf);
	assert_int_equal(port.facts.queues, 4);
	assert_int_equal(port.facts.shares, 6);
	assert_int_equal(port.receive_offloads, RTE_ETH_RX_OFFLOAD_RSS_HASH);
	/* By address only, or by nothing: one queue and all others behind it. */
	port = choose("net_vmxnet3", BY_ADDRESS, 4, 4, &conf);
	assert_int_equal(port.facts.queues, 1);
	assert_int_equal(port.facts.shares, 4);
	assert_int_equal(conf.rxmode.mq_mode, RTE_ETH_MQ_RX_NONE);
	port = choose("net_e1000_em", 0, 2, 2, &conf);
	assert_int_equal(port.facts.queues, 1);
	/* There the host spreads. */
	port = choose("net_virtio", 0, 4, 4, &conf);
	assert_int_equal(port.facts.queues, 4);
	/* One worker polls all queues: nobody to steer to. */
	port = choose("net_vmxnet3", BY_ADDRESS, 4, 1, &conf);
	assert_int_equal(port.facts.queues, 4);
	assert_int_equal(port.facts.shares, 4);
	assert_int_equal(conf.rxmode.mq_mode, RTE_ETH_MQ_RX_RSS);
}

/* Entry i belongs to share i modulo the shares; share s is polled, or steered to, from queue s
 * modulo the queues. */
static void
expect_table(uint16_t n_queues, uint16_t n_shares, const uint16_t *queues)
{
	const struct port_spec spec = {.name = "port0",
		.device = "net_null0",
		.queues = n_queues,
		.shares = n_shares};
	struct port *port = open_port(&spec);
	const struct port_facts *facts = port_facts(port);
	struct rte_eth_rss_reta_entry64 group[8] = {0};

	CHECK(facts->queues == n_queues && facts->shares == n_shares);
	CHECK(facts->hash_entries >= 64 && facts->hash_entries <= 512);
	for (unsigned i = 0; i < 8; i++)
		group[i].mask = UINT64_MAX;
	CHECK(rte_eth_dev_rss_reta_query(port_number(port), group, facts->hash_entries) == 0);
	for (unsigned i = 0; i < facts->hash_entries; i++)
		CHECK(group[i / 64].reta[i % 64] == queues[i % n_shares]);
	port_close(port);
}

static void
fill_tables(void)
{
	expect_table(2, 2, (const uint16_t[]){0, 1});
}

static void
fill_tables_for_more_shares(void)
{
	expect_table(2, 5, (const uint16_t[]){0, 1, 0, 1, 0});
}

static void
fills_the_devices_table_so_that_every_worker_gets_the_same(void **state)
{
	(void)state;
	expect_child(fill_tables);
	expect_child(fill_tables_for_more_shares);
}

/* No headers at all: what is known of the frame is what the device says. */
static struct rte_mbuf *
frame_with_hash(struct rte_mempool *pool, uint64_t flags, uint32_t type, uint32_t hash)
{
	struct rte_mbuf *mbuf = rte_pktmbuf_alloc(pool);
	char *bytes;

	CHECK(mbuf != NULL);
	bytes = rte_pktmbuf_append(mbuf, 60);
	CHECK(bytes != NULL);
	memset(bytes, 0, 60);
	mbuf->ol_flags |= flags;
	mbuf->packet_type = type;
	mbuf->hash.rss = hash;
	return mbuf;
}

/* Of 64 frames with different hashes: how many stay with the poller. */
static uint16_t
split(struct steer *steer, struct rte_mempool *pool, uint64_t flags, uint32_t type)
{
	struct rte_mbuf *mbufs[BURST_MAX];
	uint16_t n_refused, n_kept, n_lane;

	for (uint32_t i = 0; i < BURST_MAX; i++)
		mbufs[i] = frame_with_hash(pool, flags, type, i);
	n_kept = steer_split(steer_poller(steer, 0), mbufs, BURST_MAX, &n_refused);
	CHECK(n_refused == 0);
	rte_pktmbuf_free_bulk(mbufs, n_kept);
	n_lane = steer_take(steer_lane(steer, 1), mbufs, BURST_MAX);
	CHECK(n_kept + n_lane == BURST_MAX);
	rte_pktmbuf_free_bulk(mbufs, n_lane);
	return n_kept;
}

static void
split_by_hash(void)
{
	const uint32_t udp = RTE_PTYPE_L3_IPV4 | RTE_PTYPE_L4_UDP;
	const struct steer_conf conf = {.n_queues = 1, .n_shares = 2};
	struct eal_options options = {.main_cpu = -1, .memory = 16 << 20};
	struct rte_mempool *pool;
	struct steer *steer;
	struct error error;
	uint16_t n;

	CHECK(eal_start(&options, &error) == 0);
	CHECK(pool_create("hashes", 512, 2048, SOCKET_ID_ANY, false, &pool) == 0);
	CHECK(pool != NULL);
	CHECK(steer_new(&conf, &steer) == 0);
	steer_trust_hash(steer, true);
	n = split(steer, pool, RTE_MBUF_F_RX_RSS_HASH, udp);
	CHECK(n > 8 && n < 56); /* 6 sigma around 32 */
	/* No hash, no datagram, a fragment: the headers count, and here are none. */
	CHECK(split(steer, pool, 0, udp) == BURST_MAX);
	CHECK(split(steer, pool, RTE_MBUF_F_RX_RSS_HASH, RTE_PTYPE_L3_IPV4) == BURST_MAX);
	CHECK(split(steer, pool, RTE_MBUF_F_RX_RSS_HASH, RTE_PTYPE_L4_TCP) == BURST_MAX);
	CHECK(split(steer, pool, RTE_MBUF_F_RX_RSS_HASH, RTE_PTYPE_L4_FRAG) == BURST_MAX);
	steer_trust_hash(steer, false);
	CHECK(split(steer, pool, RTE_MBUF_F_RX_RSS_HASH, udp) == BURST_MAX);
	steer_free(steer);
	CHECK(rte_mempool_avail_count(pool) == 512);
	rte_mempool_free(pool);
}

static void
takes_the_devices_hash_for_datagrams_only(void **state)
{
	(void)state;
	expect_child(split_by_hash);
}

/* 3 queues and 8 shares: 0 3 6, 1 4 7, 2 5. Every lane has one poller. */
static void
end_the_pollers_one_by_one(void)
{
	const struct steer_conf conf = {.n_queues = 3, .n_shares = 8};
	struct eal_options options = {.main_cpu = -1, .memory = 16 << 20};
	struct steer *steer;
	struct error error;

	CHECK(eal_start(&options, &error) == 0);
	CHECK(steer_new(&conf, &steer) == 0);
	for (uint16_t ended = 0; ended < 3; ended++) {
		steer_end(steer_poller(steer, ended));
		for (uint16_t share = 3; share < 8; share++)
			CHECK(steer_is_over(steer_lane(steer, share)) == (share % 3 <= ended));
	}
	steer_free(steer);
}

static void
a_lane_ends_with_its_poller(void **state)
{
	(void)state;
	expect_child(end_the_pollers_one_by_one);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_what_is_wanted_and_granted),
		cmocka_unit_test(steers_where_the_device_cannot_tell_flows_apart),
		cmocka_unit_test(fills_the_devices_table_so_that_every_worker_gets_the_same),
		cmocka_unit_test(takes_the_devices_hash_for_datagrams_only),
		cmocka_unit_test(a_lane_ends_with_its_poller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
