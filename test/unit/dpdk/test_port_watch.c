/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events of devices that are none of hardware: what a driver would say in its interrupt is said
 * here through the same function of ethdev, and a link is switched where the driver can.
 */
#include "dpdk/lab.h"

#include <pthread.h>
#include <stdatomic.h>

#include <rte_ethdev.h>

#include "penstockd/port_watch.h"

/* For drivers, so in none of the installed headers. */
struct rte_eth_dev *rte_eth_dev_allocated(const char *name);
int rte_eth_dev_callback_process(struct rte_eth_dev *device, enum rte_eth_event_type event,
	void *parameter);

static void
happens(const char *device, enum rte_eth_event_type event)
{
	CHECK(rte_eth_dev_allocated(device) != NULL);
	rte_eth_dev_callback_process(rte_eth_dev_allocated(device), event, NULL);
}

static struct port *
open_watched(const char *device)
{
	struct port_spec spec = {.name = "port0", .device = device, .queues = 1};
	struct port *port = open_port(&spec);

	CHECK(port_watch_add(port) == 0);
	return port;
}

static struct status_link
look(void)
{
	struct status_link status;

	port_watch_look();
	port_watch_status(0, &status);
	return status;
}

static uint16_t
poll_once(struct input *input)
{
	struct burst burst;

	input_poll(input, &burst);
	return burst.n;
}

static void
switch_a_link(void)
{
	struct port *port = open_watched("net_ring0");

	CHECK(look().state == LINK_UP && look().changes == 0);
	CHECK(rte_eth_dev_set_link_down(port_number(port)) == 0);
	CHECK(look().state == LINK_DOWN && look().changes == 1);
	CHECK(look().changes == 1);
	CHECK(rte_eth_dev_set_link_up(port_number(port)) == 0);
	CHECK(look().state == LINK_UP && look().changes == 2);
	CHECK(look().resets == 0);
	port_watch_close();
	port_close(port);
}

static void
a_link_that_changes_is_counted(void **state)
{
	(void)state;
	expect_child(switch_a_link);
}

static void
hear_of_an_event(void)
{
	struct port *port = open_watched("net_null0");
	uint64_t count;

	CHECK(read(port_watch_fd(), &count, sizeof(count)) < 0);
	happens("net_null0", RTE_ETH_EVENT_INTR_LSC);
	CHECK(read(port_watch_fd(), &count, sizeof(count)) == sizeof(count));
	/* An interrupt that changed nothing is no change. */
	CHECK(look().changes == 0);
	port_watch_close();
	happens("net_null0", RTE_ETH_EVENT_INTR_LSC);
	port_close(port);
}

static void
an_interrupt_wakes_the_control_thread(void **state)
{
	(void)state;
	expect_child(hear_of_an_event);
}

/* Frames that net_null hands over have no type of ours: each is dropped and counted. */
static void
reset_an_idle_port(void)
{
	struct port *port = open_watched("net_null0,size=64");
	struct stats stats = {0};
	struct input *input = open_input(port, 0, &stats);

	poll_once(input);
	CHECK(stats.counter[STAT_frames_received] == BURST_MAX);
	happens("net_null0", RTE_ETH_EVENT_INTR_RESET);
	CHECK(look().resets == 1);
	CHECK(look().resets == 1 && look().state == LINK_UP);
	poll_once(input);
	input_refresh(input);
	CHECK(stats.counter[STAT_frames_received] == 2 * BURST_MAX);
	CHECK(frames_balance(&stats));
	input_close(input);
	port_watch_close();
	port_close(port);
}

static void
a_device_that_asks_for_a_reset_gets_it(void **state)
{
	(void)state;
	expect_child(reset_an_idle_port);
}

static void
take_a_device_away(void)
{
	struct port *port = open_watched("net_null0,size=64");
	struct stats stats = {0};
	struct input *input = open_input(port, 0, &stats);

	poll_once(input);
	happens("net_null0", RTE_ETH_EVENT_INTR_RMV);
	CHECK(look().state == LINK_GONE && look().changes == 1);
	for (int i = 0; i < 10; i++)
		poll_once(input);
	input_refresh(input);
	CHECK(stats.counter[STAT_frames_received] == BURST_MAX);
	/* Gone is gone: nothing that is said later brings it back. */
	happens("net_null0", RTE_ETH_EVENT_INTR_RESET);
	CHECK(look().state == LINK_GONE && look().changes == 1 && look().resets == 0);
	input_close(input);
	port_watch_close();
	port_close(port);
}

static void
a_device_that_is_gone_is_not_polled(void **state)
{
	(void)state;
	expect_child(take_a_device_away);
}

static _Atomic bool is_over;
static _Atomic unsigned n_polls;
static _Atomic bool has_received; /* between two resets */
static struct stats poller_stats;

static void *
poll_all_the_time(void *input)
{
	for (; !atomic_load(&is_over); atomic_fetch_add(&n_polls, 1)) {
		poll_once(input);
		if (poller_stats.counter[STAT_frames_received] > 0)
			atomic_store(&has_received, true);
	}
	return NULL;
}

static void
reset_under_load(void)
{
	struct port *port = open_watched("net_null0,size=64");
	struct input *input = open_input(port, 0, &poller_stats);
	struct error error;
	pthread_t poller;

	CHECK(pthread_create(&poller, NULL, poll_all_the_time, input) == 0);
	for (int i = 0; i < 200 || atomic_load(&n_polls) < 1000 || !atomic_load(&has_received); i++)
		CHECK(port_reset(port, &error) == 0);
	atomic_store(&is_over, true);
	pthread_join(poller, NULL);
	CHECK(frames_balance(&poller_stats));
	/* Every buffer came back: the queue can still be polled at full length. */
	poll_once(input);
	input_close(input);
	port_watch_close();
	port_close(port);
}

static void
a_worker_that_polls_is_kept_out_of_a_reset(void **state)
{
	(void)state;
	expect_child(reset_under_load);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_link_that_changes_is_counted),
		cmocka_unit_test(an_interrupt_wakes_the_control_thread),
		cmocka_unit_test(a_device_that_asks_for_a_reset_gets_it),
		cmocka_unit_test(a_device_that_is_gone_is_not_polled),
		cmocka_unit_test(a_worker_that_polls_is_kept_out_of_a_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
