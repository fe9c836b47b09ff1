/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/thread.h"

#include <signal.h>
#include <stdio.h>

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
