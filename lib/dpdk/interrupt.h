/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * EAL's interrupt thread. Drivers handle peers and links in it, and take little care of other
 * threads meanwhile; what must not meet that is done here. Calling thread: any other.
 */
#ifndef DPDK_INTERRUPT_H
#define DPDK_INTERRUPT_H

/* Runs it in the interrupt thread and returns when it has run. 0 or -errno. */
int interrupt_run(void (*run)(void *), void *argument);

/* Returns when the interrupt thread has done what was pending, with handlers to be removed gone. */
void interrupt_settle(void);

#endif
