/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A changed configuration in a running daemon, all or nothing: rows with can_reload take their new
 * value, a change of any other refuses the whole file, and the old configuration stays.
 */
#ifndef PENSTOCKD_RELOAD_H
#define PENSTOCKD_RELOAD_H

#include "admin/source.h"
#include "penstockd/options.h"

struct daemon;

struct reload_list {
	size_t n, n_omitted; /* changes in text, and those that it has no room for */
	char text[ADMIN_REASON_SIZE - 64]; /* "a has changed from 1 to 2, b has changed …" */
};

/* How two configurations differ. */
struct reload_changes {
	struct reload_list taken; /* by a reload */
	struct reload_list refused; /* they need a restart */
};

/* 0 or -ENOMEM. */
int reload_compare(const struct options *running, const struct options *wanted,
	struct reload_changes *ret_changes);

/* Takes the settings over that a reload takes; what they replace goes to wanted, to be freed. */
void reload_take(struct options *running, struct options *wanted);

/* Reads the configuration again and takes it or refuses it. 0, or -errno with a sentence in text.
 * Logs which. Any thread. */
int reload_run(struct daemon *daemon, char *text, size_t size);

#endif
