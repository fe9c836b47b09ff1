/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockd/balance.h"

#include <string.h>

#include "base/log.h"

#define PERIOD 10 /* seconds */
#define FRAMES_MIN 10000 /* in a period; fewer are no burden for anybody */
#define PERCENT_MAX 80 /* of a port's frames for one worker */

struct load {
	uint64_t frames, most; /* of all shares, and of the largest */
	size_t n_shares;
	const struct status_share *largest;
};

/* In the period that ends now. */
static struct load
measure(const struct balance *balance, const struct status *status, const char *port)
{
	struct load load = {0};

	for (size_t i = 0; i < status->n_shares; i++) {
		uint64_t n = status->share[i].frames - balance->frames[i];

		if (strcmp(status->share[i].port, port) != 0)
			continue;
		load.n_shares++;
		load.frames += n;
		if (n >= load.most) {
			load.most = n;
			load.largest = &status->share[i];
		}
	}
	return load;
}

static void
judge(struct balance *balance, size_t index, const char *port, const struct load *load)
{
	unsigned percent;

	if (load->n_shares < 2 || load->frames <= FRAMES_MIN)
		return;
	percent = (unsigned)(load->most * 100 / load->frames);
	if (load->most * 100 > load->frames * PERCENT_MAX) {
		if (!balance->is_uneven[index])
			log_warning("port %s: %u %% of its frames are for one of %zu workers, %s "
				    "(queue %u%s): they are of one flow, or whoever chooses the "
				    "queue does not go by UDP ports",
				port, percent, load->n_shares, load->largest->worker,
				load->largest->queue, load->largest->is_steered ? ", steered" : "");
		balance->is_uneven[index] = true;
	} else if (balance->is_uneven[index]) {
		log_info("port %s: its frames spread again, %u %% for %s at most", port, percent,
			load->largest->worker);
		balance->is_uneven[index] = false;
	}
}

void
balance_tick(struct balance *balance, const struct status *status)
{
	if (++balance->seconds < PERIOD)
		return;
	for (size_t i = 0; i < status->n_ports; i++) {
		struct load load = measure(balance, status, status->port[i].name);

		judge(balance, i, status->port[i].name, &load);
	}
	for (size_t i = 0; i < status->n_shares; i++)
		balance->frames[i] = status->share[i].frames;
	balance->seconds = 0;
}
