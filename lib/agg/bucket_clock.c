/* SPDX-License-Identifier: BSD-3-Clause */
#include "agg/bucket_clock.h"

/* Bucket time, ns since 1970. */
static int64_t
bucket_now(const struct bucket_clock *bc)
{
	return (int64_t)clock_monotonic(bc->clock) + bc->offset;
}

static int64_t
floor_second(int64_t ns)
{
	return ns / NS_PER_S - (ns % NS_PER_S < 0);
}

void
bucket_clock_init(struct bucket_clock *bc, const struct clock *clock, uint32_t interval)
{
	bc->clock = clock;
	bc->interval = interval;
	bc->offset = clock_wall(clock) - (int64_t)clock_monotonic(clock);
	bc->start = floor_second(bucket_now(bc));
	bc->end = (bc->start / interval + 1) * interval;
	bc->opened = clock_monotonic(clock);
}

int64_t
bucket_clock_remaining(const struct bucket_clock *bc)
{
	return bc->end * NS_PER_S - bucket_now(bc);
}

/* After bucket time was set back, the start of the bucket may be far away. */
int64_t
bucket_clock_cut_remaining(const struct bucket_clock *bc)
{
	int64_t left = (bc->start + 1) * NS_PER_S - bucket_now(bc);
	int64_t most = (int64_t)(bc->opened - clock_monotonic(bc->clock)) + NS_PER_S;

	return left < most ? left : most;
}

int64_t
bucket_clock_skew(const struct bucket_clock *bc)
{
	return clock_wall(bc->clock) - bucket_now(bc);
}

/* Brings bucket time nearer to the wall clock, by a tenth of an interval at most. */
static void
slew(struct bucket_clock *bc)
{
	int64_t skew = bucket_clock_skew(bc);
	int64_t most = bc->interval * NS_PER_S / 10;

	if (skew > most)
		skew = most;
	if (skew < -most)
		skew = -most;
	bc->offset += skew;
}

struct bucket_time
bucket_clock_advance(struct bucket_clock *bc)
{
	struct bucket_time closed = {bc->start, (uint32_t)(bc->end - bc->start)};

	bc->start = bc->end;
	bc->end += bc->interval;
	bc->opened = clock_monotonic(bc->clock);
	slew(bc);
	return closed;
}

struct bucket_time
bucket_clock_cut(struct bucket_clock *bc)
{
	int64_t second = floor_second(bucket_now(bc));
	struct bucket_time closed = {.start = bc->start};

	bc->opened = clock_monotonic(bc->clock);
	if (second <= bc->start)
		second = bc->start + 1;
	if (second >= bc->end) {
		closed.interval = (uint32_t)(bc->end - bc->start);
		bc->start = bc->end;
		bc->end += bc->interval;
		return closed;
	}
	closed.interval = (uint32_t)(second - bc->start);
	bc->start = second;
	return closed;
}
