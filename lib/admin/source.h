/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the admin socket and the HTTP endpoint get what they show. The calls come from their
 * threads, several at the same time.
 */
#ifndef ADMIN_SOURCE_H
#define ADMIN_SOURCE_H

#include "admin/ledger.h"
#include "admin/status.h"
#include "base/error.h"

#define ADMIN_REASON_SIZE 1024

struct admin_source {
	void *context;

	/* Fill all of it. */
	void (*ledger)(void *context, struct ledger *ret_ledger);
	void (*status)(void *context, struct status *ret_status);

	/* Copies up to n_max of the newest rejected lines, in any order; returns how many. */
	size_t (*rejects)(void *context, struct reject *out, size_t n_max);

	/* Closes the open bucket and waits until every output has taken or dropped it. 0,
	 * -ETIMEDOUT, or -errno when the daemon is not ready for it. */
	int (*flush)(void *context, int timeout);

	/* 0, or -errno with a sentence for people in text. */
	int (*reload)(void *context, char *text, size_t size);
};

#endif
