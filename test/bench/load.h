/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the benchmarks decode: payloads made from the profiles of penstock-load, 10,000 series or
 * more whose order is shuffled anew for every round, so that no predictor learns it.
 */
#ifndef BENCH_LOAD_H
#define BENCH_LOAD_H

#include "base/span.h"
#include "penstock-load/profile.h"

#define LOAD_SERIES 10000 /* of the loads in load_table */
#define LOAD_PAYLOAD_MAX 1472 /* bytes: UDP over IPv4 in an Ethernet frame of 1500 */

struct load_options {
	const char *name;
	const char *prefix; /* of the series' names; NULL: "m" */
	uint32_t n_series;
	uint32_t rounds; /* how often each series comes */
	uint32_t lines_per_payload; /* at most; fewer when they do not fit */
	uint32_t n_tags;
	uint32_t type_weight[SERIES_TYPE_COUNT];
	double packed, sampled, reordered, malformed; /* as in struct profile_options */
	int64_t first_timestamp; /* each round has a second of its own from here; 0: none has */
};

/* Ends with one that has no name. */
extern const struct load_options load_table[];

/* What a payload, or many, hold. */
struct load_part {
	uint64_t n_lines, n_malformed; /* the malformed ones are among the lines */
	uint64_t n_samples;
	double sum; /* of all values that are numbers; exact */
};

struct load {
	const struct load_options *options;
	struct span *payloads;
	struct load_part *parts; /* by payload */
	uint32_t n_payloads;
	struct load_part total;
	uint8_t *text; /* of all payloads, one after the other; BURST_TAILROOM behind them */
};

/* Ends the program when there is no memory. */
void load_init(struct load *load, const struct load_options *options, uint64_t seed);
void load_done(struct load *load);

/* Counters with one value and no rate: what is recorded adds up to the part's sum. */
bool load_is_plain(const struct load *load);

/* Adds part to sum. */
void load_add(struct load_part *sum, const struct load_part *part);

/* Counters with 4 tags, as many lines as fit a datagram, of so many series. */
struct load_options load_many(const char *name, uint32_t n_series, uint32_t rounds);

/* What the first n payloads hold when the load is sent over and over. */
struct load_part load_sent(const struct load *load, uint64_t n);

/* Each payload as an Ethernet frame. Ends the program when it cannot be written. */
void load_write_pcap(const struct load *load, const char *path);

#endif
