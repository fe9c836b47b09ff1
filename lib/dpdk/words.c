/* SPDX-License-Identifier: BSD-3-Clause */
#include "dpdk/words.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <rte_log.h>

#define NOTHING (RTE_LOG_MAX + 1)

/* All but stream and log are guarded by the stream's own lock. */
static struct {
	FILE *stream;
	void (*log)(const char *line);
	bool listening;
	unsigned level; /* of kept */
	char kept[256];
} words;

/* One call is one message: DPDK flushes after each. A panic is passed on at once, since nobody
 * will be there to ask for it. */
static ssize_t
hear(void *cookie, const char *text, size_t size)
{
	unsigned level = (unsigned)rte_log_cur_msg_loglevel();
	const char *end = memchr(text, '\n', size);
	char line[sizeof(words.kept)];

	(void)cookie;
	snprintf(line, sizeof(line), "%.*s", end != NULL ? (int)(end - text) : (int)size, text);
	if (words.listening && level < words.level) {
		words.level = level;
		memcpy(words.kept, line, sizeof(line));
	}
	if (words.log != NULL && (!words.listening || level <= RTE_LOG_CRIT))
		words.log(line);
	return (ssize_t)size;
}

int
words_open(void (*log)(const char *line))
{
	FILE *stream = fopencookie(NULL, "w", (cookie_io_functions_t){.write = hear});

	if (stream == NULL)
		return -ENOMEM;
	words.log = log;
	words.stream = stream;
	words_listen();
	rte_openlog_stream(stream);
	return 0;
}

void
words_listen(void)
{
	flockfile(words.stream);
	words.listening = true;
	words.level = NOTHING;
	words.kept[0] = '\0';
	funlockfile(words.stream);
}

void
words_rest(char *text, size_t size)
{
	flockfile(words.stream);
	words.listening = false;
	snprintf(text, size, "%s", words.kept);
	funlockfile(words.stream);
}

void
words_close(void)
{
	if (words.stream == NULL)
		return;
	rte_openlog_stream(NULL);
	fclose(words.stream);
	words.stream = NULL;
}
