/* SPDX-License-Identifier: BSD-3-Clause */
#include "dpdk/interrupt.h"

#include <pthread.h>
#include <semaphore.h>

#include <rte_alarm.h>

struct errand {
	void (*run)(void *);
	void *argument;
	sem_t done;
};

/* Alarms expire in the interrupt thread. */
static void
do_errand(void *argument)
{
	struct errand *errand = argument;

	errand->run(errand->argument);
	sem_post(&errand->done);
}

int
interrupt_run(void (*run)(void *), void *argument)
{
	struct errand errand = {.run = run, .argument = argument};
	int result;

	sem_init(&errand.done, 0, 0);
	result = rte_eal_alarm_set(1, do_errand, &errand);
	if (result == 0)
		while (sem_wait(&errand.done) != 0)
			;
	sem_destroy(&errand.done);
	return result;
}

/* Takes effect in the thread's next system call that waits, with none of EAL's locks held: where it
 * waits for events, or first thing in the handler of one. */
static void
cancel(void *ret_thread)
{
	*(pthread_t *)ret_thread = pthread_self();
	pthread_cancel(pthread_self());
}

void
interrupt_end(void)
{
	pthread_t thread;

	if (interrupt_run(cancel, &thread) == 0)
		pthread_join(thread, NULL);
}
