/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines on stderr: "2026-11-30T20:15:00Z level text". Programs and drivers log; lib/ returns
 * errors and counts instead (scripts/check looks).
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/compiler.h"

void log_error(const char *format, ...) printf_like(1, 2);
void log_warning(const char *format, ...) printf_like(1, 2);
void log_info(const char *format, ...) printf_like(1, 2);

#endif
