/* SPDX-License-Identifier: BSD-3-Clause */
#include "dpdk/guard.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

struct rte_eth_dev;

/* The names are the linker's. */
void __real_memif_free_regions(struct rte_eth_dev *device);
void __wrap_memif_free_regions(struct rte_eth_dev *device);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static LIST_HEAD(, guard) guards = LIST_HEAD_INITIALIZER(guards); /* under lock */

static bool
membarrier(int command)
{
	return syscall(SYS_membarrier, command, 0, 0) == 0;
}

void
guard_add(struct guard *guard, uint16_t device)
{
	guard->device = device;
	pthread_mutex_lock(&lock);
	LIST_INSERT_HEAD(&guards, guard, next);
	pthread_mutex_unlock(&lock);
}

void
guard_remove(struct guard *guard)
{
	pthread_mutex_lock(&lock);
	LIST_REMOVE(guard, next);
	pthread_mutex_unlock(&lock);
}

/* A thread that has not seen what was stored before has its guard up, and after the barrier this
 * thread sees it. With lock held. */
static void
wait_for_bursts(void)
{
	struct guard *guard;

	if (!membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) ||
		!membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED))
		usleep(1000); /* no such call here: far longer than a store stays in flight */
	LIST_FOREACH(guard, &guards, next)
	while (atomic_load_explicit(&guard->inside, memory_order_acquire) != 0)
		sched_yield();
}

static void
set_shut(uint16_t device, int shut)
{
	struct guard *guard;

	LIST_FOREACH(guard, &guards, next)
	if (guard->device == device)
		atomic_store_explicit(&guard->shut, shut, memory_order_release);
}

void
guard_shut(uint16_t device)
{
	pthread_mutex_lock(&lock);
	set_shut(device, 1);
	wait_for_bursts();
	pthread_mutex_unlock(&lock);
}

void
guard_open(uint16_t device)
{
	pthread_mutex_lock(&lock);
	set_shut(device, 0);
	pthread_mutex_unlock(&lock);
}

/* The device is marked as gone already. */
void
__wrap_memif_free_regions(struct rte_eth_dev *device)
{
	pthread_mutex_lock(&lock);
	wait_for_bursts();
	pthread_mutex_unlock(&lock);
	__real_memif_free_regions(device);
}
