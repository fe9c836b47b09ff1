/* SPDX-License-Identifier: BSD-3-Clause */
#include "mem/region.h"

#include <sys/mman.h>

uint8_t *
region_map(size_t size)
{
	void *region = mmap(NULL, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (region == MAP_FAILED)
		return NULL;
	madvise(region, size, MADV_NOHUGEPAGE); /* fails where the kernel has none */
	return region;
}

void
region_give_back(uint8_t *at, size_t size)
{
	madvise(at, size, MADV_DONTNEED);
}

void
region_unmap(uint8_t *region, size_t size)
{
	if (region != NULL)
		munmap(region, size);
}
