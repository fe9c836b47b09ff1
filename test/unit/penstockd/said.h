/* SPDX-License-Identifier: BSD-3-Clause */
/* The log read back from a file that stands in for stderr. */
#ifndef TEST_PENSTOCKD_SAID_H
#define TEST_PENSTOCKD_SAID_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int log_fd, real_stderr;

static int
open_log(void **state)
{
	char path[] = "/tmp/penstock-watch-XXXXXX";

	(void)state;
	log_fd = mkstemp(path);
	assert_true(log_fd >= 0);
	unlink(path);
	real_stderr = dup(STDERR_FILENO);
	dup2(log_fd, STDERR_FILENO);
	return 0;
}

static int
close_log(void **state)
{
	(void)state;
	dup2(real_stderr, STDERR_FILENO);
	close(real_stderr);
	close(log_fd);
	return 0;
}

/* What was logged since the last call, without times. */
static const char *
said(void)
{
	static char raw[4096], text[4096];
	ssize_t size = pread(log_fd, raw, sizeof(raw) - 1, 0);
	size_t used = 0;
	char *rest;

	assert_true(size >= 0);
	raw[size] = '\0';
	text[0] = '\0';
	assert_int_equal(ftruncate(log_fd, 0), 0);
	assert_int_equal(lseek(log_fd, 0, SEEK_SET), 0);
	for (char *line = strtok_r(raw, "\n", &rest); line != NULL;
		line = strtok_r(NULL, "\n", &rest))
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s\n",
			strchr(line, ' ') + 1);
	return text;
}

#endif
