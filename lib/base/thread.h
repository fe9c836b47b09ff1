/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Helper threads: each has a name and takes no signals, which stay with the main thread. Waiting
 * between them goes by the monotonic clock.
 */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* name: at most 15 bytes are kept. With SIGPIPE blocked too, a write to a closed pipe returns
 * EPIPE. 0 or -errno. */
int thread_start(pthread_t *ret_thread, const char *name, void *(*run)(void *), void *argument);

/* A condition for thread_wait_until; pthread_cond_destroy ends it. */
void thread_condition_init(pthread_cond_t *condition);

/* Waits for the condition, at most until a time of the monotonic clock (ns). False when that has
 * come. As with pthread_cond_wait, the caller holds the lock and looks again for itself. */
bool thread_wait_until(pthread_cond_t *condition, pthread_mutex_t *lock, uint64_t time);

#endif
