/* SPDX-License-Identifier: BSD-3-Clause */
/* What an event or a service check says: made from its line's number. Texts end in NUL. */
#ifndef PENSTOCK_LOAD_NOTICE_H
#define PENSTOCK_LOAD_NOTICE_H

#include <stdbool.h>

#include "penstock-load/profile.h"

#define NOTICE_SOURCE_TYPE "penstock-load"

enum notice_alert {
	NOTICE_INFO,
	NOTICE_ERROR,
	NOTICE_WARNING,
	NOTICE_SUCCESS,
	NOTICE_ALERT_COUNT,
};

extern const char *const notice_alert_text[NOTICE_ALERT_COUNT];

struct notice {
	char title[64]; /* event; may hold newlines, which a line writes as "\n" */
	char text[96]; /* event, same; a service check's message, one line; may be "" */
	char host[32]; /* "" when it names none */
	char key[32]; /* event: aggregation key, or "" */
	bool is_low; /* event */
	enum notice_alert alert; /* event */
	unsigned status; /* service check */
	int64_t timestamp; /* seconds, or 0 */
};

void notice_of_event(const struct profile *profile, const struct line *line, struct notice *ret);
void notice_of_check(const struct profile *profile, const struct line *line, struct notice *ret);

/* The name of a service check. Writes no NUL; returns its end. */
char *notice_write_check_name(const struct profile *profile, const struct line *line, char *at);

#endif
