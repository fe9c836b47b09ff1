/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When buckets begin and end. Time runs on the monotonic clock from where the wall clock stood at
 * the start, so a step of the wall clock neither repeats nor skips a bucket; a difference between
 * the two is made up slowly, by at most a tenth of an interval in each bucket.
 *
 * Regular buckets begin at multiples of the interval. The first begins in the second of the start,
 * and a cut begins a new one in the second of the cut. A cut waits for the end of the second in
 * which its bucket began: so what a stopped process sent of this interval and what the next one
 * sends never share a timestamp, and many cuts do not drive bucket time into the future.
 */
#ifndef AGG_BUCKET_CLOCK_H
#define AGG_BUCKET_CLOCK_H

#include <stdint.h>

#include "base/clock.h"

struct bucket_clock {
	const struct clock *clock;
	uint32_t interval; /* seconds */
	int64_t start; /* of the open bucket, seconds since 1970 */
	int64_t end; /* exclusive */
	int64_t offset; /* ns from monotonic to bucket time */
	uint64_t opened; /* monotonic ns: when the open bucket was opened */
};

/* A closed bucket. */
struct bucket_time {
	int64_t start; /* seconds */
	uint32_t interval; /* seconds that it covers */
};

void bucket_clock_init(struct bucket_clock *bc, const struct clock *clock, uint32_t interval);

/* ns until the open bucket's end; 0 or less when it is over. */
int64_t bucket_clock_remaining(const struct bucket_clock *bc);

/* ns until the open bucket may be cut, a second after it was opened at the latest; 0 or less when
 * it may be. */
int64_t bucket_clock_cut_remaining(const struct bucket_clock *bc);

/* Closes the open bucket at its end and opens the next. */
struct bucket_time bucket_clock_advance(struct bucket_clock *bc);

/* Closes the open bucket now and opens the rest of it; when no whole second is left for that, the
 * next regular bucket. */
struct bucket_time bucket_clock_cut(struct bucket_clock *bc);

/* ns by which the wall clock is ahead of bucket time. */
int64_t bucket_clock_skew(const struct bucket_clock *bc);

#endif
