/* SPDX-License-Identifier: BSD-3-Clause */
#include "dpdk/interrupt.h"

#include <semaphore.h>
#include <stddef.h>

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

static void
do_nothing(void *argument)
{
	(void)argument;
}

void
interrupt_settle(void)
{
	/* The first waits for handlers that run now; those then remove themselves, and the second
	 * comes after that. */
	for (int i = 0; i < 2; i++)
		interrupt_run(do_nothing, NULL);
}
