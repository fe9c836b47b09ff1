/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Address space that is reserved for the worst case: a page takes memory when it is first written,
 * and gives it back on request. Ordinary pages, never huge ones, which would come 2 MiB at a time.
 */
#ifndef MEM_REGION_H
#define MEM_REGION_H

#include <stddef.h>
#include <stdint.h>

#define REGION_PAGE 4096 /* bytes */

/* NULL when there is no address space. Zeroed. */
uint8_t *region_map(size_t size);

/* The pages' memory; they read as zero and can be written again. Whole pages of a region. */
void region_give_back(uint8_t *at, size_t size);

/* NULL is fine. */
void region_unmap(uint8_t *region, size_t size);

#endif
