/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How penstock: memory_ceiling is shared by what is received and not decoded yet: datagrams of
 * ports, datagrams of sockets, unfinished frames of streams.
 */
#ifndef PENSTOCKD_CEILING_H
#define PENSTOCKD_CEILING_H

#include "mem/account.h"
#include "mem/chunk_pool.h"

enum ceiling_account {
	CEILING_PORTS,
	CEILING_SOCKETS,
	CEILING_STREAMS,
	CEILING_ACCOUNT_COUNT,
};

/* What is there to be shared among. */
struct ceiling_need {
	uint64_t limit; /* bytes */
	uint32_t n_port_workers, n_socket_workers; /* workers with a backlog of each kind */
	bool has_streams;
	uint32_t payload_max; /* longest datagram or frame */
	bool use_hugepages;
};

struct ceiling_plan {
	size_t limit, chunk_size;
	bool use_hugepages;
	struct account_conf account[CEILING_ACCOUNT_COUNT]; /* cap 0: not there */
};

struct ceiling {
	struct budget shared;
	struct account account[CEILING_ACCOUNT_COUNT];
	struct chunk_pool pool;
};

/* 0; or -ENOSPC with *ret_least the limit that would do, in bytes. */
int ceiling_plan(const struct ceiling_need *need, struct ceiling_plan *ret_plan,
	uint64_t *ret_least);

/* 0 or -errno. */
int ceiling_open(struct ceiling *ceiling, const struct ceiling_plan *plan);

/* After all inputs and workers are closed. All zero is fine. */
void ceiling_close(struct ceiling *ceiling);

/* The account of an input driver's datagrams. */
struct account *ceiling_account(struct ceiling *ceiling, const char *driver);

#endif
