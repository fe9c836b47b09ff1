/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which flow a frame belongs to, as a number to spread frames over workers by. Pure, copies no
 * more than addresses and ports, never reads past the frame, and judges nothing: a frame that is
 * malformed further on is found by whoever parses it.
 *
 * A UDP datagram's number comes from both addresses and both ports; tags, options and extension
 * headers do not change it. A fragment's comes from the addresses alone, since only the first has
 * ports: all of a datagram's fragments get the same one.
 */
#ifndef FRAME_FLOW_H
#define FRAME_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

/* False, and ret_hash untouched, when it is no UDP over IP that can be told by its headers. A
 * fragment over IPv6 counts as UDP: what its fragment header names next may be an extension. */
bool flow_hash(struct span frame, uint64_t seed, uint64_t *ret_hash);

#endif
