/* SPDX-License-Identifier: BSD-3-Clause */
/* Replies as people read them, on stdout. A member that is missing shows as 0 or nothing. */
#ifndef PENSTOCKCTL_VIEW_H
#define PENSTOCKCTL_VIEW_H

#include <jansson.h>

void view_status(json_t *status);

/* A table for each level; reasons and notes that are 0 are left out. */
void view_ledger(json_t *ledger);

/* One line each, newest first. */
void view_rejects(json_t *reply);

#endif
