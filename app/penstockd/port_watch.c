/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockd/port_watch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "dpdk/port.h"
#include "penstockd/port_words.h"
#include "stats/stats.h"

/* Written by the control thread, read by any. */
struct watched {
	struct port *port;
	_Atomic int link; /* enum link_state */
	_Atomic uint32_t speed;
	_Atomic uint64_t since; /* monotonic ns */
	_Atomic uint64_t link_changes, resets;
	uint16_t members;
	_Atomic uint16_t members_active;
	bool wants_reset, said_failure; /* control thread only */
};

static struct watched watched[STATS_LISTENERS_MAX];
static size_t n_watched;
static int wake = -1;

static const char *
name_of(const struct watched *w)
{
	return port_facts(w->port)->name;
}

static void
set_link(struct watched *w, struct link link)
{
	atomic_store(&w->link, (int)link.state);
	atomic_store(&w->speed, link.speed);
	atomic_store(&w->since, clock_monotonic(&clock_system));
}

int
port_watch_add(struct port *port)
{
	struct watched *w = &watched[n_watched];

	if (n_watched == ARRAY_LENGTH(watched))
		return -ENOSPC;
	if (wake < 0 && (wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) < 0)
		return -errno;
	*w = (struct watched){.port = port};
	n_watched++;
	port_events(port, wake);
	set_link(w, port_link(port));
	atomic_store(&w->members_active, port_members(port, &w->members));
	if (atomic_load(&w->link) != LINK_UP)
		log_info("port %s: no link yet", name_of(w));
	return 0;
}

int
port_watch_fd(void)
{
	return wake;
}

static void
say_link(const struct watched *w, struct link link)
{
	char speed[32] = "";

	if (link.speed != 0)
		snprintf(speed, sizeof(speed), ", %" PRIu32 " Mbit/s", link.speed);
	if (link.state == LINK_UP)
		log_info("port %s: link up%s", name_of(w), speed);
	else if (link.state == LINK_DOWN)
		log_warning("port %s: link down: nothing arrives until it is back", name_of(w));
	else
		log_error("port %s: its device %s is gone and no longer polled; all else goes on. "
			  "Restart penstockd when it is back",
			name_of(w), port_facts(w->port)->device);
}

static void
note_link(struct watched *w, struct link link)
{
	atomic_store(&w->speed, link.speed);
	if ((int)link.state == atomic_load(&w->link))
		return;
	set_link(w, link);
	atomic_fetch_add(&w->link_changes, 1);
	if (link.state == LINK_GONE)
		port_give_up(w->port);
	say_link(w, link);
}

static void
note_members(struct watched *w)
{
	uint16_t n, active = port_members(w->port, &n);
	uint16_t before = atomic_exchange(&w->members_active, active);

	if (active < before)
		log_warning("port %s: %u of %u members of the bond carry traffic, after %u",
			name_of(w), active, n, before);
	else if (active > before)
		log_info("port %s: %u of %u members of the bond carry traffic", name_of(w), active,
			n);
}

/* A device may need a while until it can be reset: tried at each look, said once. */
static void
reset(struct watched *w)
{
	uint64_t began = clock_monotonic(&clock_system);
	struct error error;

	if (port_reset(w->port, &error) != 0) {
		if (!w->said_failure)
			log_error("port %s: the device asked for a reset, and nothing arrives: %s; "
				  "tried again every second",
				name_of(w), error.text);
		w->said_failure = true;
		return;
	}
	atomic_fetch_add(&w->resets, 1);
	w->wants_reset = w->said_failure = false;
	log_warning("port %s: the device asked for a reset, which took %" PRIu64 " ms", name_of(w),
		(clock_monotonic(&clock_system) - began) / NS_PER_MS);
}

static void
look(struct watched *w)
{
	unsigned happened = port_events(w->port, wake);
	struct link link = {LINK_GONE, 0};

	if (atomic_load(&w->link) == LINK_GONE)
		return;
	if ((happened & EVENTS_GONE) == 0)
		link = port_link(w->port);
	if ((happened & EVENTS_RESET) != 0)
		w->wants_reset = true;
	if (w->wants_reset && link.state != LINK_GONE) {
		reset(w);
		link = port_link(w->port);
	}
	note_link(w, link);
	if (w->members != 0)
		note_members(w);
}

void
port_watch_look(void)
{
	uint64_t count;

	port_words_say();
	if (wake >= 0 && read(wake, &count, sizeof(count)) < 0 && errno != EAGAIN)
		return;
	for (size_t i = 0; i < n_watched; i++)
		look(&watched[i]);
}

void
port_watch_read(void)
{
	for (size_t i = 0; i < n_watched; i++)
		port_read_xstats(watched[i].port);
}

void
port_watch_status(size_t index, struct status_link *ret_link)
{
	struct watched *w = &watched[index];

	*ret_link = (struct status_link){
		.device = port_facts(w->port)->device,
		.state = (enum link_state)atomic_load(&w->link),
		.seconds = (clock_monotonic(&clock_system) - atomic_load(&w->since)) / NS_PER_S,
		.speed = atomic_load(&w->speed),
		.changes = atomic_load(&w->link_changes),
		.resets = atomic_load(&w->resets),
		.members = w->members,
		.members_active = atomic_load(&w->members_active),
		.xstats = port_xstats(w->port),
	};
}

void
port_watch_close(void)
{
	for (size_t i = 0; i < n_watched; i++)
		port_events(watched[i].port, -1);
	n_watched = 0;
	if (wake >= 0)
		close(wake);
	wake = -1;
}
