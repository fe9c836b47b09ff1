/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Our commands on DPDK's telemetry socket (dpdk-telemetry.py, protocol "v2"):
 *
 *     /penstock/ledger      all counters, as in the ledger
 *     /penstock/worker,N    those of one worker, 0 being the slow path
 *
 * The values come from the program; the calls are in DPDK's threads, one for each client.
 */
#ifndef DPDK_TELEMETRY_H
#define DPDK_TELEMETRY_H

#include <stdint.h>

/* An answer that is being made. */
struct telemetry;

struct telemetry_source {
	void *context;

	/* Add all values; worker returns -EINVAL when there is no such worker. */
	void (*ledger)(void *context, struct telemetry *answer);
	int (*worker)(void *context, unsigned worker, struct telemetry *answer);
};

/* group: an object within the answer, made at first use, eight at most; NULL: the answer itself.
 * Texts are copied. In names '.' becomes '/', and what DPDK does not take either '_'. */
void telemetry_number(struct telemetry *answer, const char *group, const char *name,
	uint64_t value);
void telemetry_text(struct telemetry *answer, const char *group, const char *name,
	const char *value);

/* Answers from source from now on. After eal_start. 0 or -errno. */
int telemetry_open(const struct telemetry_source *source);

/* On return nobody asks the source any more. Fine at any time. */
void telemetry_close(void);

#endif
