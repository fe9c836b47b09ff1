/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Carries out "flush" on a thread of its own: it may wait for outputs, and the ledger has to be
 * there at any moment.
 */
#ifndef ADMIN_CUTTER_H
#define ADMIN_CUTTER_H

#include "admin/source.h"

struct cutter;

/* source is borrowed until cutter_close. 0 or -errno. */
int cutter_open(const struct admin_source *source, struct cutter **ret_cutter);

/* Readable once a flush is done. */
int cutter_fd(const struct cutter *cutter);

/* Starts a flush; not before the one before was fetched. */
void cutter_start(struct cutter *cutter);

/* What the flush came to, as the source said; once, when the descriptor is readable. */
int cutter_fetch(struct cutter *cutter);

/* Waits for a flush that is under way. NULL is fine. */
void cutter_close(struct cutter *cutter);

#endif
