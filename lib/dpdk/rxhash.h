/* SPDX-License-Identifier: BSD-3-Clause */
/* How a device spreads what it receives over its queues: hash functions by name, and its table. */
#ifndef DPDK_RXHASH_H
#define DPDK_RXHASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RXHASH_NAMES_SIZE 64

/* A hash is a set of DPDK's RTE_ETH_RSS_… bits; 0: none. */

/* What we want: UDP by addresses and ports, the rest and fragments by addresses. So one flow stays
 * on one queue and in order, and a datagram's fragments stay together. */
uint64_t rxhash_wanted(void);

/* True when UDP of both families is spread by ports. */
bool rxhash_has_ports(uint64_t hash);

/* "ipv4 ipv4-frag ipv4-udp …", or "none". */
void rxhash_names(uint64_t hash, char names[RXHASH_NAMES_SIZE]);

/* What the started device does of what it was asked for; all of it where it cannot tell. */
uint64_t rxhash_granted(uint16_t port_number, uint64_t asked);

/* Fills the started device's table so that each of n_shares gets the same part, share i through
 * queue i modulo n_queues. Returns the table's entries, 0 where the device keeps its own. */
uint16_t rxhash_spread(uint16_t port_number, uint16_t n_queues, uint16_t n_shares);

#endif
