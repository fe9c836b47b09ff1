/* SPDX-License-Identifier: BSD-3-Clause */
#include "mem/node.h"

#include <errno.h>
#include <numaif.h>
#include <stddef.h>

#define WORD_BITS (8 * sizeof(unsigned long))
/* The system calls take one bit more than there are (set_mempolicy(2), BUGS). */
#define BITS_ARGUMENT (NODE_BITS + 1)

int
node_prefer(int node, struct node_policy *ret_before)
{
	unsigned long nodes[NODE_BITS / WORD_BITS + 1] = {0};

	*ret_before = (struct node_policy){0};
	if (node < 0)
		return 0;
	if (node >= NODE_BITS)
		return -EINVAL;
	if (get_mempolicy(&ret_before->mode, ret_before->nodes, NODE_BITS, NULL, 0) != 0)
		return -errno;
	nodes[(size_t)node / WORD_BITS] = 1UL << ((size_t)node % WORD_BITS);
	if (set_mempolicy(MPOL_PREFERRED, nodes, BITS_ARGUMENT) != 0)
		return -errno;
	ret_before->changed = true;
	return 0;
}

void
node_restore(const struct node_policy *before)
{
	if (before->changed)
		set_mempolicy(before->mode, before->nodes, BITS_ARGUMENT);
}
