/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What DPDK says in its own log. Between words_listen and words_rest the first line of the worst
 * level is kept for an error text; at other times each line goes to the program's log. DPDK has
 * one log for the process, so this is one for the process too.
 */
#ifndef DPDK_WORDS_H
#define DPDK_WORDS_H

#include <stddef.h>

/* Takes DPDK's log over. log may be NULL: then nothing is passed on. 0, or -ENOMEM. */
int words_open(void (*log)(const char *line));

/* Forgets what was kept, and keeps from here on. */
void words_listen(void);

/* Copies what was kept, without the newline; "" when DPDK said nothing. */
void words_rest(char *text, size_t size);

void words_close(void);

#endif
