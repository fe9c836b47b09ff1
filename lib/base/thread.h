/* SPDX-License-Identifier: BSD-3-Clause */
/* A helper thread: it has a name and takes no signals, which stay with the main thread. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>

/* name: at most 15 bytes are kept. With SIGPIPE blocked too, a write to a closed pipe returns
 * EPIPE. 0 or -errno. */
int thread_start(pthread_t *ret_thread, const char *name, void *(*run)(void *), void *argument);

#endif
