/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DPDK's environment (EAL) in the process: memory, one thread for each worker, and its end. It
 * starts in ordinary memory as any user, and uses hugepages where they are free; nothing of it is
 * left behind on the machine. One start in a process, since EAL knows no second one.
 */
#ifndef DPDK_EAL_H
#define DPDK_EAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/error.h"

struct eal_options {
	const char *const *devices; /* of all ports, as in struct port_spec */
	size_t n_devices;
	size_t memory; /* bytes: the sum of port_memory() over all ports */
	bool hugepages; /* true: where enough are free, else ordinary memory; false: never */
	int main_cpu; /* for the lcore of the calling thread; -1: the first that is allowed */
	const unsigned *worker_cpus; /* one a worker; workers may share a CPU */
	size_t n_workers;
	const char *const *extra; /* further EAL arguments, which go last */
	size_t n_extra;
	const char *
		telemetry; /* path of DPDK's telemetry socket, see eal_telemetry_path; NULL: none */
	void (*log)(const char *line); /* what DPDK has to say once it runs; NULL: nobody listens */
};

/*
 * Where the telemetry socket of a program goes that has a socket of its own at path: as EAL has it,
 * "FOLDER/dpdk/NAME/dpdk_telemetry.v2", with the folder of path and its name without ".sock", both
 * made by EAL for this user only. False: there is no path, or the result is too long for a socket.
 */
bool eal_telemetry_path(const char *path, char *telemetry, size_t size);

/* Fails before EAL does where that can be seen: no such CPU, too many workers. To find out about a
 * CPU outside its affinity, the calling thread moves there and back; nothing else is touched.
 * 0, or -errno with error filled. */
int eal_check(const struct eal_options *options, struct error *error);

/* Bytes in hugepages that eal_start with these options takes at most: the ports' and its own. */
size_t eal_hugepage_memory(const struct eal_options *options);

/* True when eal_start with these options would use hugepages now. */
bool eal_would_use_hugepages(const struct eal_options *options);

/*
 * Starts EAL and a sleeping thread for each worker, pinned to its CPU. CPU affinity and name of
 * the calling thread are afterwards as they were. 0, or -errno with error filled; the process goes
 * on then, but cannot try again.
 */
int eal_start(const struct eal_options *options, struct error *error);

/* Runs the function in the worker's thread (0 is the first). 0, -EINVAL: no such worker, -EBUSY:
 * it runs already. Calling thread of eal_start only. */
int eal_launch(size_t worker, int (*run)(void *), void *argument);

/* Whether the calling thread is one of the workers'. */
bool eal_is_worker(void);

/* Returns when no worker runs any more. */
void eal_wait(void);

/* After all ports are closed and all workers have returned; does nothing when EAL never started. */
void eal_stop(void);

#endif
