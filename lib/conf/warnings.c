/* SPDX-License-Identifier: BSD-3-Clause */
#include "conf/warnings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void
warnings_add(struct warnings *warnings, const char *file, uint32_t line, uint32_t column,
	const char *format, ...)
{
	struct conf_error *item, warning = {.line = line, .column = column};
	va_list arguments;

	item = warnings->n < WARNINGS_MAX
		? realloc(warnings->item, (warnings->n + 1) * sizeof(*item))
		: NULL;
	if (item == NULL) {
		warnings->n_omitted++;
		return;
	}
	snprintf(warning.file, sizeof(warning.file), "%s", file);
	va_start(arguments, format);
	vsnprintf(warning.text, sizeof(warning.text), format, arguments);
	va_end(arguments);
	warnings->item = item;
	item[warnings->n++] = warning;
}

void
warnings_free(struct warnings *warnings)
{
	if (warnings == NULL)
		return;
	free(warnings->item);
	*warnings = (struct warnings){0};
}
