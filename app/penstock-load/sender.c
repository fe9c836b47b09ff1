/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstock-load/sender.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "penstock-load/sender_table.h"

static const struct sender_driver *const table[] = {
	&sender_udp,
	&sender_unix,
	&sender_unix_stream,
	&sender_pcap,
#ifdef PENSTOCK_LOAD_DPDK
	&sender_dpdk,
#endif
};

const struct sender_driver *
sender_at(unsigned i)
{
	return i < ARRAY_LENGTH(table) ? table[i] : NULL;
}

const struct sender_driver *
sender_find(const char *to, const char **ret_target)
{
	for (unsigned i = 0; i < ARRAY_LENGTH(table); i++) {
		size_t size = strlen(table[i]->scheme);

		if (strncmp(to, table[i]->scheme, size) == 0 && to[size] == ':') {
			*ret_target = to + size + 1;
			return table[i];
		}
	}
	return NULL;
}
