/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The highest rate at which nothing is lost, by trials as in RFC 2544 section 26.1: each offers a
 * constant rate for some seconds; without a loss the next one is faster, else slower. The result is
 * confirmed by a longer trial.
 */
#ifndef PENSTOCK_LOAD_SEARCH_H
#define PENSTOCK_LOAD_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#define SEARCH_TRIALS_MAX 64

struct trial {
	double rate; /* lines a second that were wanted; 0: as fast as possible */
	double seconds; /* in which lines were due */
	double took; /* s until the last of them was offered */
	uint64_t offered; /* lines that were handed to the sender */
	uint64_t sent; /* lines that it took; the rest found no room */
	uint64_t received; /* lines, as the receiver's ledger says */
	uint64_t dropped; /* frames, datagrams and lines that the ledger says were dropped */
	double carried; /* lines a second that were received until none was left */
	double late_mean, late_max; /* s by which datagrams were offered too late */
};

struct search_conf {
	double rate_min, rate_max; /* lines a second; rate_max 0: a tenth above saturation */
	double resolution; /* share of the rate, as 0.005 */
	double trial_seconds, confirm_seconds;
	unsigned confirmations; /* trials of confirm_seconds at most */
};

/* Runs one trial. 0 or -errno: the search ends. */
typedef int (*search_trial)(void *context, double rate, double seconds, struct trial *ret_trial);

struct search {
	struct trial trials[SEARCH_TRIALS_MAX];
	unsigned n_trials;
	double saturation; /* lines a second: what is carried when more is offered than can be */
	double rate; /* of the fastest clean trial; 0: there was none */
	double offered; /* the result: what was offered in that trial, lines a second */
	bool is_confirmed;
	bool is_limited; /* the next faster trial failed because the generator was too slow */
};

/* 0, or the first error of run; the trials until then are kept. */
int search_run(struct search *search, const struct search_conf *conf, search_trial run,
	void *context);

/* Whether the generator kept up. It may be late now and then, but not ever later: 50 ms at the end,
 * or a hundredth of the time. */
bool trial_is_valid(const struct trial *trial);

/* Valid, and all lines that were offered were sent, received and kept. */
bool trial_is_clean(const struct trial *trial);

#endif
