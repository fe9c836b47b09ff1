/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One bucket, merged over all workers: immutable, counted, shared by reference between outputs.
 */
#ifndef AGG_FLUSH_H
#define AGG_FLUSH_H

#include "agg/context.h"
#include "sketch/ddsketch.h"

enum point_kind {
	POINT_COUNT, /* value: sum in the bucket, scaled by rate */
	POINT_GAUGE,
	POINT_SET, /* value: number of distinct members */
	POINT_SKETCH,
};

/* One point of one series. */
struct point {
	const struct context *context;
	struct span
		suffix; /* "max", "95percentile", …: name and suffix are joined by '.'; or empty */
	enum point_kind kind;
	bool is_timestamped; /* timestamp is the client's */
	int64_t timestamp; /* seconds */
	union {
		double value; /* finite */
		const struct ddsketch *sketch;
	};
};

/* Texts are valid UTF-8; tags are joined by ','; timestamp is never 0. */
struct flush_event {
	struct event event; /* "\n" replaced */
	struct span host, tags;
};

struct flush_check {
	struct service_check check;
	struct span host, tags;
};

struct flush {
	uint64_t number; /* 1 for the first */
	int64_t start; /* seconds: timestamp of every point without one of its own */
	uint32_t interval; /* seconds that the bucket covers */
	const struct point *points;
	const struct flush_event *events;
	const struct flush_check *checks;
	size_t n_points, n_events, n_checks;
	size_t n_not_finite; /* points left out because a sum overflowed */
	size_t n_no_memory; /* points left out because there was no memory to merge them */
};

void flush_ref(struct flush *flush);

/* The last one frees it. Any thread. */
void flush_unref(struct flush *flush);

/* All that an output has to account for, those left out included. */
static inline uint64_t
flush_size(const struct flush *flush)
{
	return flush->n_points + flush->n_events + flush->n_checks + flush->n_not_finite +
		flush->n_no_memory;
}

#endif
