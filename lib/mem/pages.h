/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays that become large while somebody waits: zeroed memory in whole pages. Growing moves pages
 * (mremap(2)) instead of copying bytes, and a page takes memory when it is first written, so that
 * no growth takes long.
 */
#ifndef MEM_PAGES_H
#define MEM_PAGES_H

#include <stddef.h>

/* Makes room for n items; *array begins as NULL and *n_max as 0. What is new is zero. 0, or -ENOMEM
 * and nothing changes. */
int pages_reserve(void **array, size_t n, size_t *n_max, size_t item_size);

/* Gives back the pages that n items do not need, where those are most of it; n = 0 frees the
 * array. */
void pages_trim(void **array, size_t n, size_t *n_max, size_t item_size);

#endif
