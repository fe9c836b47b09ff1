/* SPDX-License-Identifier: BSD-3-Clause */
/* What the language leaves to the compiler: branch hints, alignment, array length. */
#ifndef BASE_COMPILER_H
#define BASE_COMPILER_H

#include <stddef.h>

#define CACHE_LINE_SIZE 64

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define cache_aligned __attribute__((aligned(CACHE_LINE_SIZE)))
#define printf_like(text, first) __attribute__((format(printf, text, first)))

#define ARRAY_LENGTH(a) (sizeof(a) / sizeof((a)[0]))
#ifndef container_of /* DPDK has the same */
#define container_of(pointer, type, member) \
	((type *)(void *)((char *)(pointer)-offsetof(type, member)))
#endif

#endif
