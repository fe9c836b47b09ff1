/* SPDX-License-Identifier: BSD-3-Clause */
/* An array that doubles when it is full. */
#ifndef MEM_LIST_H
#define MEM_LIST_H

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#define LIST_MIN 64

/* Makes room for one more than the n items in *list, which was malloc'ed or is NULL. 0 or -ENOMEM,
 * the list is unchanged then. */
static inline int
list_reserve(void **list, size_t n, size_t *n_max, size_t item_size)
{
	size_t bigger = *n_max != 0 ? *n_max * 2 : LIST_MIN;
	void *memory;

	if (n < *n_max)
		return 0;
	memory = realloc(*list, bigger * item_size);
	if (memory == NULL)
		return -ENOMEM;
	*list = memory;
	*n_max = bigger;
	return 0;
}

#endif
