/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockd/ceiling.h"

#include <errno.h>
#include <string.h>

#include "dsd/burst.h"
#include "worker/backlog.h"

#define CHUNK_SIZE_MIN ((size_t)256 << 10)
#define CHUNKS_EACH 2 /* a worker's backlog writes to one and reads from another */
#define FRAMES_LEAST 2 /* unfinished ones of the longest kind */
#define FRAME_OVERHEAD 128 /* of a payload, rounded up */
#define HUGEPAGES_FROM 16 /* times the least that has to be reserved */
#define IDLE_SIZE ((size_t)4 << 20) /* bytes of the pool that keep their pages */

static const char *const account_name[] = {
	[CEILING_PORTS] = "ports",
	[CEILING_SOCKETS] = "sockets",
	[CEILING_STREAMS] = "streams",
};

/* What each account cannot do without, in bytes. Returns the sum. */
static uint64_t
least_reserves(const struct ceiling_need *need, size_t chunk_size,
	uint64_t ret_least[CEILING_ACCOUNT_COUNT])
{
	uint64_t frame = 2 * (uint64_t)need->payload_max + FRAME_OVERHEAD, sum = 0;

	ret_least[CEILING_PORTS] = (uint64_t)need->n_port_workers * CHUNKS_EACH * chunk_size;
	ret_least[CEILING_SOCKETS] = (uint64_t)need->n_socket_workers * CHUNKS_EACH * chunk_size;
	/* A frame's buffer grows by doubling: for a moment there are the old and the new one. */
	ret_least[CEILING_STREAMS] = need->has_streams ? FRAMES_LEAST * frame : 0;
	for (int i = 0; i < CEILING_ACCOUNT_COUNT; i++)
		sum += ret_least[i];
	return sum;
}

/* Beyond the least, backlogs have a quarter of the rest for themselves each, and streams a
 * sixteenth. A backlog may grow into all that the others have not reserved; streams, whose clients
 * wait when they are not read, into a quarter of the ceiling. */
static void
share(struct ceiling_plan *plan, const uint64_t least[CEILING_ACCOUNT_COUNT], uint64_t rest)
{
	static const unsigned part[] = {
		[CEILING_PORTS] = 4,
		[CEILING_SOCKETS] = 4,
		[CEILING_STREAMS] = 16,
	};
	size_t reserved = 0;

	for (int i = 0; i < CEILING_ACCOUNT_COUNT; i++) {
		plan->account[i] = (struct account_conf){.name = account_name[i]};
		if (least[i] != 0)
			plan->account[i].reserve = least[i] + rest / part[i];
		reserved += plan->account[i].reserve;
	}
	for (int i = 0; i < CEILING_ACCOUNT_COUNT; i++) {
		struct account_conf *account = &plan->account[i];

		if (least[i] == 0)
			continue;
		account->cap = plan->limit - reserved + account->reserve;
		if (i == CEILING_STREAMS && account->cap > plan->limit / 4)
			account->cap = plan->limit / 4;
		if (account->cap < account->reserve)
			account->cap = account->reserve;
	}
}

int
ceiling_plan(const struct ceiling_need *need, struct ceiling_plan *ret_plan, uint64_t *ret_least)
{
	struct ceiling_plan plan = {.limit = need->limit, .chunk_size = CHUNK_SIZE_MIN};
	uint64_t least[CEILING_ACCOUNT_COUNT], sum;

	while (plan.chunk_size < (size_t)need->payload_max + BACKLOG_OVERHEAD)
		plan.chunk_size *= 2;
	/* A hugepage comes and goes as a whole, so then it is the chunk. */
	plan.use_hugepages = need->use_hugepages && plan.chunk_size <= CHUNK_POOL_HUGEPAGE &&
		need->limit / HUGEPAGES_FROM >= least_reserves(need, CHUNK_POOL_HUGEPAGE, least);
	if (plan.use_hugepages)
		plan.chunk_size = CHUNK_POOL_HUGEPAGE;
	sum = least_reserves(need, plan.chunk_size, least);
	if (sum > need->limit) {
		*ret_least = sum;
		return -ENOSPC;
	}
	share(&plan, least, need->limit - sum);
	*ret_plan = plan;
	return 0;
}

int
ceiling_open(struct ceiling *ceiling, const struct ceiling_plan *plan)
{
	size_t shared = plan->limit;

	for (int i = 0; i < CEILING_ACCOUNT_COUNT; i++)
		shared -= plan->account[i].reserve;
	budget_init(&ceiling->shared, shared);
	for (int i = 0; i < CEILING_ACCOUNT_COUNT; i++)
		account_init(&ceiling->account[i], &plan->account[i], &ceiling->shared);
	return chunk_pool_init(&ceiling->pool, plan->limit, plan->chunk_size, IDLE_SIZE,
		plan->use_hugepages);
}

void
ceiling_close(struct ceiling *ceiling)
{
	chunk_pool_done(&ceiling->pool);
}

struct account *
ceiling_account(struct ceiling *ceiling, const char *driver)
{
	if (strcmp(driver, "dpdk") == 0)
		return &ceiling->account[CEILING_PORTS];
	if (strcmp(driver, "uds_stream") == 0)
		return &ceiling->account[CEILING_STREAMS];
	return &ceiling->account[CEILING_SOCKETS];
}
