/* SPDX-License-Identifier: BSD-3-Clause */
/* Two configurations, setting by setting. */
#ifndef PENSTOCKD_SETTING_COMPARE_H
#define PENSTOCKD_SETTING_COMPARE_H

#include "conf/setting.h"

/* Called for each setting that differs. path is "penstock: ports[0]: device"; the values are as
 * --print-config prints them, or "2 items" for lists of different length. */
typedef void (*setting_differs)(void *context, const struct setting *row, const char *path,
	const char *before, const char *after);

/* 0, or -ENOMEM: then not all were compared. */
int setting_compare(const struct setting_table *table, const void *before, const void *after,
	setting_differs differs, void *context);

#endif
