/* SPDX-License-Identifier: BSD-3-Clause */
/* An IP address with a prefix length (RFC 4632, RFC 4291 section 2.3), both families in one type.
 */
#ifndef FRAME_PREFIX_H
#define FRAME_PREFIX_H

#include <stdbool.h>
#include <stdint.h>

struct prefix {
	uint8_t address[16]; /* network order, all of its bits as they were written */
	uint8_t address_size; /* 4 or 16 */
	uint8_t length; /* bits */
};

/* "192.0.2.0/24", "2001:db8::/64", or an address alone, whose length is 32 or 128. 0, or -EINVAL;
 * ret_prefix is untouched then. */
int prefix_parse(const char *text, struct prefix *ret_prefix);

/* Whether the address lies in the prefix. Families never match each other. */
bool prefix_has(const struct prefix *prefix, const uint8_t *address, uint8_t address_size);

/* Whether it is the prefix's own address, all bits. */
bool prefix_is(const struct prefix *prefix, const uint8_t *address, uint8_t address_size);

#endif
