/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "admin/server.h"
#include "base/clock.h"
#include "fake_source.h"

static char folder[] = "/tmp/penstock-admin-XXXXXX";
static char path[64];
static struct fake fake;
static struct admin_source source;
static struct server *server;

static int
make_folder(void **state)
{
	signal(SIGPIPE, SIG_IGN);
	if (mkdtemp(folder) == NULL)
		return -1;
	snprintf(path, sizeof(path), "%s/admin.sock", folder);
	return 0;
}

static int
remove_folder(void **state)
{
	return rmdir(folder);
}

static int
start(void **state)
{
	struct error error;

	fake_init(&fake);
	source = fake_source(&fake);
	return server_open(path, &source, &server, &error);
}

static int
stop(void **state)
{
	server_close(server);
	return access(path, F_OK) == 0;
}

static int
connected(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

/* What the server says until it ends the connection. */
static const char *
rest(int fd)
{
	static char text[1 << 16];
	size_t size = 0;
	ssize_t n;

	while ((n = read(fd, text + size, sizeof(text) - 1 - size)) > 0)
		size += (size_t)n;
	text[size] = '\0';
	close(fd);
	return text;
}

static const char *
asked(const char *request)
{
	int fd = connected();

	assert_int_equal(write(fd, request, strlen(request)), strlen(request));
	return rest(fd);
}

static bool
starts_with(const char *text, const char *start_text)
{
	return strncmp(text, start_text, strlen(start_text)) == 0;
}

static void
answers_each_command_with_one_object(void **state)
{
	assert_true(starts_with(asked("status\n"), "{\"state\":\"ready\","));
	assert_true(starts_with(asked("ledger\n"), "{\"balanced\":true,\"difference\":0,"));
	assert_string_equal(asked(" rejects \r\n"), "{\"rejects\":[]}\n");
	assert_string_equal(asked("flush\n"), "{\"flushed\":true}\n");
	assert_string_equal(asked("reload\n"), "{\"reloaded\":true}\n");
	assert_int_equal(fake.n_flushes, 1);
}

static void
tells_what_was_refused(void **state)
{
	fake.flush_result = -ETIMEDOUT;
	assert_true(starts_with(asked("flush\n"), "{\"error\":\"the bucket is closed, but"));
	fake.flush_result = -EAGAIN;
	assert_true(starts_with(asked("flush\n"), "{\"error\":\"not ready;"));
	fake.reload_result = -EINVAL;
	assert_string_equal(asked("reload\n"),
		"{\"error\":\"penstock.yaml:3:1: \\\"dogstatsd_port\\\" cannot change\"}\n");
	assert_string_equal(asked("sta\xfftus\n"),
		"{\"error\":\"unknown command\",\"command\":\"sta\\\\xfftus\",\"commands\":["
		"\"status\",\"ledger\",\"rejects\",\"flush\",\"reload\"]}\n");
}

static void
takes_a_request_in_pieces_and_without_newline(void **state)
{
	int fd = connected();

	for (const char *at = "status"; *at != '\0'; at++) {
		assert_int_equal(write(fd, at, 1), 1);
		usleep(1000);
	}
	shutdown(fd, SHUT_WR);
	assert_true(starts_with(rest(fd), "{\"state\":"));
}

static void
refuses_a_request_that_is_too_long(void **state)
{
	char request[5000];
	int fd = connected();

	memset(request, 'x', sizeof(request));
	assert_int_equal(write(fd, request, 4096), 4096);
	assert_string_equal(rest(fd), "{\"error\":\"the request is too long\"}\n");
	/* Not read to its end by the server: the connection is reset, no more. */
	fd = connected();
	assert_int_equal(write(fd, request, sizeof(request)), sizeof(request));
	rest(fd);
	assert_true(starts_with(asked("status\n"), "{\"state\":"));
}

static void
serves_others_while_clients_are_idle(void **state)
{
	uint64_t before = clock_monotonic(&clock_system);
	int idle[40];

	for (size_t i = 0; i < ARRAY_LENGTH(idle); i++)
		idle[i] = i < 15 ? connected() : -1;
	assert_true(starts_with(asked("status\n"), "{\"state\":"));
	assert_true(clock_monotonic(&clock_system) - before < (uint64_t)NS_PER_S);
	/* Beyond the limit they wait until idle ones are cut off. */
	for (size_t i = 15; i < 20; i++)
		idle[i] = connected();
	assert_true(starts_with(asked("status\n"), "{\"state\":"));
	assert_true(clock_monotonic(&clock_system) - before < 6 * (uint64_t)NS_PER_S);
	for (size_t i = 0; i < ARRAY_LENGTH(idle); i++)
		if (idle[i] >= 0)
			close(idle[i]);
}

static void
serves_others_while_a_flush_takes_its_time(void **state)
{
	uint64_t before = clock_monotonic(&clock_system);
	int flushing[5];

	fake.flush_ms = 3000; /* longer than a request may take */
	for (size_t i = 0; i < ARRAY_LENGTH(flushing); i++) {
		flushing[i] = connected();
		assert_int_equal(write(flushing[i], "flush\n", 6), 6);
		if (i == 0)
			usleep(300000);
	}
	close(flushing[4]);
	assert_true(starts_with(asked("ledger\n"), "{\"balanced\":true,"));
	assert_true(clock_monotonic(&clock_system) - before < 2 * (uint64_t)NS_PER_S);
	assert_string_equal(rest(flushing[0]), "{\"flushed\":true}\n");
	/* Those that came while it went on share the next one. */
	for (size_t i = 1; i < 4; i++)
		assert_string_equal(rest(flushing[i]), "{\"flushed\":true}\n");
	assert_int_equal(fake.n_flushes, 2);
}

static void
survives_clients_that_leave_early(void **state)
{
	for (int i = 0; i < 50; i++) {
		int fd = connected();

		assert_int_equal(write(fd, "ledger\n", 7), 7);
		close(fd);
		close(connected());
	}
	assert_true(starts_with(asked("status\n"), "{\"state\":"));
}

static void
does_not_take_the_socket_of_a_living_daemon(void **state)
{
	struct server *second = NULL;
	struct error error;

	assert_int_equal(server_open(path, &source, &second, &error), -EADDRINUSE);
	assert_non_null(strstr(error.text, "belongs to the running process"));
	assert_null(second);
	assert_true(starts_with(asked("status\n"), "{\"state\":"));
}

static void
replaces_the_socket_of_a_dead_daemon(void **state)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	close(fd); /* the file stays */
	assert_int_equal(start(state), 0);
	assert_true(starts_with(asked("status\n"), "{\"state\":"));
	assert_int_equal(stop(state), 0);
}

static void
refuses_what_is_not_a_socket(void **state)
{
	struct server *refused = NULL;
	struct error error;
	char expected[256];

	fclose(fopen(path, "w"));
	assert_int_equal(server_open(path, &source, &refused, &error), -ENOTSOCK);
	snprintf(expected, sizeof(expected),
		"admin socket: %s is a regular file, not a socket: remove it or choose another "
		"path",
		path);
	assert_string_equal(error.text, expected);
	assert_int_equal(unlink(path), 0);
	assert_null(refused);
	server_close(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(answers_each_command_with_one_object, start, stop),
		cmocka_unit_test_setup_teardown(tells_what_was_refused, start, stop),
		cmocka_unit_test_setup_teardown(takes_a_request_in_pieces_and_without_newline,
			start, stop),
		cmocka_unit_test_setup_teardown(refuses_a_request_that_is_too_long, start, stop),
		cmocka_unit_test_setup_teardown(serves_others_while_clients_are_idle, start, stop),
		cmocka_unit_test_setup_teardown(serves_others_while_a_flush_takes_its_time, start,
			stop),
		cmocka_unit_test_setup_teardown(survives_clients_that_leave_early, start, stop),
		cmocka_unit_test_setup_teardown(does_not_take_the_socket_of_a_living_daemon, start,
			stop),
		cmocka_unit_test(replaces_the_socket_of_a_dead_daemon),
		cmocka_unit_test(refuses_what_is_not_a_socket),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
