/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All counters in the Prometheus text format, version 0.0.4:
 * https://prometheus.io/docs/instrumenting/exposition_formats/
 */
#ifndef ADMIN_METRICS_H
#define ADMIN_METRICS_H

#include "admin/status.h"

#define METRICS_CONTENT_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* The text is the caller's to free. 0 or -ENOMEM. */
int metrics_text(const struct ledger *ledger, const struct status *status, char **ret_text,
	size_t *ret_size);

#endif
