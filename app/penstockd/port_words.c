/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockd/port_words.h"

#include <pthread.h>
#include <stdio.h>

#include "base/log.h"

#define KEPT_MAX 8
#define LINE_SIZE 256

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all of: */
static char kept[KEPT_MAX][LINE_SIZE];
static unsigned n_kept, n_more;

void
port_words_hear(const char *line, bool is_worker)
{
	if (!is_worker) {
		log_warning("DPDK: %s", line);
		return;
	}
	pthread_mutex_lock(&lock);
	if (n_kept < KEPT_MAX)
		snprintf(kept[n_kept++], LINE_SIZE, "%s", line);
	else
		n_more++;
	pthread_mutex_unlock(&lock);
}

/* Copies first, so that a worker never waits for what is being written. */
void
port_words_say(void)
{
	char lines[KEPT_MAX][LINE_SIZE];
	unsigned n, more;

	pthread_mutex_lock(&lock);
	n = n_kept;
	more = n_more;
	for (unsigned i = 0; i < n; i++)
		snprintf(lines[i], LINE_SIZE, "%s", kept[i]);
	n_kept = n_more = 0;
	pthread_mutex_unlock(&lock);
	for (unsigned i = 0; i < n; i++)
		log_warning("DPDK: %s", lines[i]);
	if (more != 0)
		log_warning("DPDK: %u lines more", more);
}
