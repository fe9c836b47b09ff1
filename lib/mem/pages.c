/* SPDX-License-Identifier: BSD-3-Clause */
#include "mem/pages.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "mem/region.h"

static size_t
whole_pages(size_t size)
{
	return (size + REGION_PAGE - 1) & ~(size_t)(REGION_PAGE - 1);
}

static void *
new_pages(size_t size)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void *
grow_pages(void *old, size_t old_size, size_t size)
{
#ifdef __SANITIZE_THREAD__ /* does not see mremap: the old addresses would seem to be in use */
	void *pages = new_pages(size);

	if (pages != MAP_FAILED) {
		memcpy(pages, old, old_size);
		munmap(old, old_size);
	}
	return pages;
#else
	return mremap(old, old_size, size, MREMAP_MAYMOVE);
#endif
}

int
pages_reserve(void **array, size_t n, size_t *n_max, size_t item_size)
{
	size_t old_size = whole_pages(*n_max * item_size), size;
	void *memory;

	if (n <= *n_max)
		return 0;
	size = whole_pages(n > 2 * *n_max ? n * item_size : 2 * old_size);
	memory = old_size == 0 ? new_pages(size) : grow_pages(*array, old_size, size);
	if (memory == MAP_FAILED)
		return -ENOMEM;
	*array = memory;
	*n_max = size / item_size;
	return 0;
}

void
pages_trim(void **array, size_t n, size_t *n_max, size_t item_size)
{
	size_t old_size = whole_pages(*n_max * item_size), size = whole_pages(n * item_size);

	if (n > *n_max / 4 || size == old_size)
		return;
	munmap((char *)*array + size, old_size - size);
	if (size == 0)
		*array = NULL;
	*n_max = size / item_size;
}
