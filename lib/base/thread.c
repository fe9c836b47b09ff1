/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/thread.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"

int
thread_start(pthread_t *ret_thread, const char *name, void *(*run)(void *), void *argument)
{
	sigset_t all, before;
	char short_name[16]; /* the kernel's limit, NUL included */
	pthread_t thread;
	int error;

	/* A thread inherits the mask of its parent. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&thread, NULL, run, argument);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error != 0)
		return -error;
	snprintf(short_name, sizeof(short_name), "%s", name);
	pthread_setname_np(thread, short_name);
	*ret_thread = thread;
	return 0;
}

void
thread_condition_init(pthread_cond_t *condition)
{
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(condition, &attributes);
	pthread_condattr_destroy(&attributes);
}

bool
thread_wait_until(pthread_cond_t *condition, pthread_mutex_t *lock, uint64_t time)
{
	const struct timespec until = {.tv_sec = (time_t)(time / NS_PER_S),
		.tv_nsec = (long)(time % NS_PER_S)};

	return pthread_cond_timedwait(condition, lock, &until) != ETIMEDOUT;
}
