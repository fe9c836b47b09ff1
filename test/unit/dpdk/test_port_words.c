/* SPDX-License-Identifier: BSD-3-Clause */
/* stderr is a file here, which is read back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "penstockd/port_words.h"

static FILE *file;
static int real_stderr;
static char said[4096];

static void
capture(void)
{
	file = tmpfile();
	assert_non_null(file);
	real_stderr = dup(STDERR_FILENO);
	dup2(fileno(file), STDERR_FILENO);
}

static const char *
captured(void)
{
	size_t n;

	fflush(stderr);
	dup2(real_stderr, STDERR_FILENO);
	close(real_stderr);
	rewind(file);
	n = fread(said, 1, sizeof(said) - 1, file);
	said[n] = '\0';
	fclose(file);
	return said;
}

static void
others_are_heard_at_once(void **state)
{
	(void)state;
	capture();
	port_words_hear("link failure", false);
	assert_non_null(strstr(captured(), "warning DPDK: link failure\n"));
}

static void
a_worker_is_heard_when_the_control_thread_comes(void **state)
{
	(void)state;
	capture();
	port_words_hear("ring is full", true);
	assert_string_equal(captured(), "");
	capture();
	port_words_say();
	port_words_say();
	captured();
	assert_non_null(strstr(said, "warning DPDK: ring is full\n"));
	assert_null(strstr(strstr(said, "ring is full") + 1, "ring is full"));
}

static void
a_flood_is_counted(void **state)
{
	(void)state;
	for (int i = 0; i < 100; i++)
		port_words_hear("again", true);
	capture();
	port_words_say();
	assert_non_null(strstr(captured(), "warning DPDK: 92 lines more\n"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(others_are_heard_at_once),
		cmocka_unit_test(a_worker_is_heard_when_the_control_thread_comes),
		cmocka_unit_test(a_flood_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
