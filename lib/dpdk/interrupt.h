/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * EAL's interrupt thread. Drivers handle peers and links in it, and take little care of other
 * threads meanwhile; what must not meet that is done here. Calling thread: any other.
 */
#ifndef DPDK_INTERRUPT_H
#define DPDK_INTERRUPT_H

/* Runs it in the interrupt thread and returns when it has run. 0 or -errno. */
int interrupt_run(void (*run)(void *), void *argument);

/* Ends the thread, which rte_eal_cleanup leaves running without memory: it would look there when
 * something happens on a descriptor, e.g. on the socket that memif listens on and never closes.
 * Right before rte_eal_cleanup. */
void interrupt_end(void);

#endif
