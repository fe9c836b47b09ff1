/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstock-load/notice.h"

#include <stdio.h>

#include "penstock-load/digits.h"

#define CHECK_NAMES 50
#define HOSTS 20

const char *const notice_alert_text[NOTICE_ALERT_COUNT] = {"info", "error", "warning", "success"};

/* Every other notice has its own time and every third its own host. */
static void
place(const struct profile *profile, const struct line *line, struct notice *notice)
{
	notice->timestamp =
		line->index % 2 != 0 ? profile->options.timestamps_from + (int64_t)line->index : 0;
	if (line->index % 3 == 0)
		snprintf(notice->host, sizeof(notice->host), "edge-%02u",
			(unsigned)(line->variant % HOSTS));
}

void
notice_of_event(const struct profile *profile, const struct line *line, struct notice *ret)
{
	/* A '|' in the title and letters of two bytes: lengths are bytes and rule over '|'. */
	static const char *const title[] = {"deploy %llu done", "deploy %llu | retried",
		"d\303\251ploiement %llu"};
	static const char *const text[] = {"all instances are up", "first line\nsecond line\n",
		"gr\303\266\303\237er|kleiner", "C:\\temp\\x", ""};
	unsigned long long number = line->index;

	*ret = (struct notice){0};
	place(profile, line, ret);
	snprintf(ret->title, sizeof(ret->title), title[line->variant % 3], number);
	snprintf(ret->text, sizeof(ret->text), "%s", text[line->variant / 3 % 5]);
	if (line->variant / 15 % 2 != 0)
		snprintf(ret->key, sizeof(ret->key), "deploy/%llu", number % 100);
	ret->is_low = line->variant / 30 % 2 != 0;
	ret->alert = line->variant / 60 % NOTICE_ALERT_COUNT;
}

void
notice_of_check(const struct profile *profile, const struct line *line, struct notice *ret)
{
	*ret = (struct notice){0};
	place(profile, line, ret);
	ret->status = line->variant % 4;
	if (line->variant / 4 % 2 != 0)
		snprintf(ret->text, sizeof(ret->text), "took %u ms: n\303\244chster Versuch",
			(unsigned)(line->index % 1000));
}

char *
notice_write_check_name(const struct profile *profile, const struct line *line, char *at)
{
	const char *prefix = profile->options.naming.prefix;

	at = digits_append(at, prefix, strlen(prefix));
	at = digits_literal(at, "can_connect.");
	return digits_write(at, line->context % CHECK_NAMES, 2);
}
