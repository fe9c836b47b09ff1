/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An output as the flush thread sees it. Each has its own thread and its own bounded queue of
 * flushes, so one that is slow or dead fills only its own queue.
 */
#ifndef OUTPUT_OUTPUT_H
#define OUTPUT_OUTPUT_H

#include "agg/flush.h"
#include "base/error.h"

/* Flushes that wait; the one that is being written is not among them. */
#define OUTPUT_QUEUE_MAX 16

struct output;

struct output_spec {
	const char *type; /* "file", "null" */
	const char *name; /* in the ledger */
	const char *path; /* file */
};

enum output_reason {
#define OUTPUT_REASON(enumerator, name, help) OUTPUT_##enumerator,
#include "output/reasons.def"
#undef OUTPUT_REASON
	OUTPUT_REASON_COUNT,
};

extern const char *const output_reason_name[OUTPUT_REASON_COUNT];
extern const char *const output_reason_help[OUTPUT_REASON_COUNT];

/* points = delivered + queued + sum of dropped, in every copy. */
struct output_counts {
	uint64_t points, delivered, queued;
	uint64_t dropped[OUTPUT_REASON_COUNT];
};

/* 0, or -errno with error filled. The output keeps copies of what it needs of spec. */
int output_open(const struct output_spec *spec, struct output **ret_output, struct error *error);

/* Queues the flush (the output takes its own reference) or drops it with a reason. Never blocks on
 * the output; not after output_stop. */
void output_send(struct output *output, struct flush *flush);

/* Waits until every flush sent so far is delivered or dropped. False when the time (ms) ran out. */
bool output_drain(struct output *output, int timeout);

void output_counts(struct output *output, struct output_counts *ret_counts);
const char *output_name(const struct output *output);

/* Lets the thread take no further flush and cuts short the write that it is in. Where there are
 * several outputs, halt all before the first is stopped: they end at the same time then. */
void output_halt(struct output *output);

/* Halts, and ends the thread; what is not written by then is dropped and counted (OUTPUT_STOPPED).
 * The counts can still be read. */
void output_stop(struct output *output);

/* Stops, too. NULL is fine. */
void output_close(struct output *output);

#endif
