/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of a port's life that a control thread handles, beside the threads that poll. */
#include <errno.h>
#include <string.h>

#include <rte_ethdev.h>

#include "dpdk/flow_rule.h"
#include "dpdk/guard.h"
#include "dpdk/port_priv.h"
#include "dpdk/words.h"
#include "dpdk/xstats.h"

unsigned
port_events(struct port *port, int wake)
{
	struct events *events = &port_control(port)->events;

	atomic_store(&events->wake, wake);
	return events_take(events);
}

struct link
port_link(struct port *port)
{
	return events_link(&port_control(port)->events);
}

uint16_t
port_members(struct port *port, uint16_t *ret_n)
{
	struct bond *bond = &port_control(port)->bond;

	*ret_n = (uint16_t)bond->n_members;
	return *ret_n != 0 ? bond_look(bond) : 0;
}

/* A counter that went back was reset by the device: all of it is new. */
static uint64_t
advance(uint64_t *counted, uint64_t now)
{
	uint64_t difference = now >= *counted ? now - *counted : now;

	*counted = now;
	return difference;
}

/* Adds to untold what the device has lost since it was last asked. With counting held. */
static void
count_lost(struct port *port)
{
	struct port_control *control = port_control(port);
	struct rte_eth_stats stats;

	if (control->is_gone || rte_eth_stats_get(port_number(port), &stats) != 0)
		return;
	control->untold.missed += advance(&control->counted.missed, stats.imissed);
	if (control->loses_without_buffer)
		control->untold.no_buffer += advance(&control->counted.no_buffer, stats.rx_nombuf);
	if (control->loses_with_error)
		control->untold.errors += advance(&control->counted.errors, stats.ierrors);
}

void
port_lost(struct port *port, struct port_lost *ret_lost)
{
	struct port_control *control = port_control(port);

	*ret_lost = (struct port_lost){0};
	/* The control thread asks the device, or has it in pieces: the next call tells. */
	if (pthread_mutex_trylock(&control->counting) != 0)
		return;
	count_lost(port);
	*ret_lost = control->untold;
	control->untold = (struct port_lost){0};
	pthread_mutex_unlock(&control->counting);
}

const struct xstats *
port_xstats(struct port *port)
{
	return port_control(port)->xstats;
}

void
port_read_xstats(struct port *port)
{
	struct port_control *control = port_control(port);

	if (control->xstats == NULL)
		return;
	pthread_mutex_lock(&control->counting);
	if (!control->is_gone)
		xstats_read(control->xstats);
	pthread_mutex_unlock(&control->counting);
}

void
port_give_up(struct port *port)
{
	struct port_control *control = port_control(port);

	guard_shut(port_number(port));
	pthread_mutex_lock(&control->counting);
	control->is_gone = true; /* what it counts from now on is nothing that happened */
	pthread_mutex_unlock(&control->counting);
}

/* With all pollers kept out; ret_step: what was tried last. */
static int
start_over(struct port *port, const char **ret_step)
{
	int result;

	flow_rule_remove(port_number(port));
	*ret_step = "resetting the device";
	result = rte_eth_dev_reset(port_number(port));
	if (result == -ENOTSUP)
		result = rte_eth_dev_stop(port_number(port));
	return result == 0 ? port_set_up_again(port, ret_step) : result;
}

int
port_reset(struct port *port, struct error *error)
{
	struct port_control *control = port_control(port);
	struct port_lost before;
	const char *step;
	char said[256];
	int result;

	guard_shut(port_number(port));
	pthread_mutex_lock(&control->counting);
	count_lost(port);
	words_listen();
	result = start_over(port, &step);
	words_rest(said, sizeof(said));
	if (result == 0) {
		/* Whatever the device made of its counters: they go on from here. */
		before = control->untold;
		count_lost(port);
		control->untold = before;
	}
	pthread_mutex_unlock(&control->counting);
	if (result != 0)
		return error_fill(error, -result, "%s failed: %s", step,
			said[0] != '\0' ? said : strerror(-result));
	guard_open(port_number(port));
	return 0;
}
