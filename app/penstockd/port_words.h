/* SPDX-License-Identifier: BSD-3-Clause */
/* What DPDK has to say while the daemon runs. A worker must not wait for stderr: its lines are kept
 * until the control thread says them, and what is too much is counted. */
#ifndef PENSTOCKD_PORT_WORDS_H
#define PENSTOCKD_PORT_WORDS_H

#include <stdbool.h>

/* Says the line, or keeps it. Any thread. */
void port_words_hear(const char *line, bool is_worker);

/* Says what was kept. Control thread, once a second and at the end. */
void port_words_say(void);

#endif
