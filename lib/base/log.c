/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* One write a line, so that lines of two threads never mix. */
static void
log_line(const char *level, const char *format, va_list arguments)
{
	char line[1024];
	time_t now = time(NULL);
	struct tm utc;
	size_t used;
	int n;

	gmtime_r(&now, &utc);
	used = strftime(line, sizeof(line), "%Y-%m-%dT%H:%M:%SZ ", &utc);
	used += (size_t)snprintf(line + used, sizeof(line) - used, "%s ", level);
	n = vsnprintf(line + used, sizeof(line) - used - 1, format, arguments);
	if (n > 0)
		used += (size_t)n < sizeof(line) - used - 1 ? (size_t)n : sizeof(line) - used - 2;
	line[used++] = '\n';
	if (write(STDERR_FILENO, line, used) < 0)
		return; /* nowhere left to say it */
}

void
log_error(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	log_line("error", format, arguments);
	va_end(arguments);
}

void
log_warning(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	log_line("warning", format, arguments);
	va_end(arguments);
}

void
log_info(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	log_line("info", format, arguments);
	va_end(arguments);
}
