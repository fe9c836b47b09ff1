/* SPDX-License-Identifier: BSD-3-Clause */
#include "taken.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

static void
takes_what_was_sent(void **state)
{
	struct taken *t = taken_open("uds_dgram");
	int fd = unix_client(t->path, SOCK_DGRAM);

	(void)state;
	assert_string_equal(input_address(t->input), t->path);
	assert_int_equal(taken_poll(t), 0);
	assert_int_equal(send(fd, "a:1|c", 5, 0), 5);
	assert_int_equal(send(fd, "", 0, 0), 0);
	assert_int_equal(send(fd, "b:2|g", 5, 0), 5);
	assert_int_equal(taken_poll(t), 3);
	assert_taken(t, 0, "a:1|c", 5);
	assert_int_equal(t->datagram[1].size, 0);
	assert_taken(t, 2, "b:2|g", 5);
	assert_int_equal(t->datagram[0].source_size, 0);
	assert_int_equal(taken_poll(t), 0);
	assert_int_equal(taken_count(t, "worker.bytes_received"), 10);
	taken_balances(t, 3);
	close(fd);
	taken_close(t);
}

static void
marks_what_it_had_to_cut(void **state)
{
	static uint8_t data[70000];
	struct taken *t = taken_open("uds_dgram");
	int fd = unix_client(t->path, SOCK_DGRAM);

	(void)state;
	memset(data, 'x', sizeof(data));
	assert_int_equal(send(fd, data, 8192, 0), 8192);
	assert_int_equal(send(fd, data, 8193, 0), 8193);
	assert_int_equal(send(fd, data, sizeof(data), 0), sizeof(data));
	assert_int_equal(taken_poll(t), 3);
	for (size_t i = 0; i < 3; i++) {
		assert_taken(t, i, data, 8192);
		assert_int_equal(t->datagram[i].truncated, i >= 1);
	}
	assert_int_equal(taken_count(t, "datagrams.truncated"), 2);
	taken_balances(t, 3);
	close(fd);
	taken_close(t);
}

/* Exactly what the sender was told was accepted arrives: the queue refuses and never drops. */
static void
takes_all_that_a_full_queue_accepted(void **state)
{
	struct taken *t = taken_open("uds_dgram");
	int fd = unix_client(t->path, SOCK_DGRAM);
	size_t n = 0;

	(void)state;
	for (int round = 0; round < 3; round++) {
		while (n < 10000 && send(fd, &n, sizeof(n), MSG_DONTWAIT) == sizeof(n))
			n++;
		assert_int_equal(errno, EAGAIN);
		taken_all(t);
		assert_int_equal(t->n, n);
	}
	for (size_t i = 0; i < n; i++)
		assert_taken(t, i, &i, sizeof(i));
	taken_balances(t, n);
	close(fd);
	taken_close(t);
}

static void
never_takes_in_descriptors(void **state)
{
	struct taken *t = taken_open("uds_dgram");
	int fd = unix_client(t->path, SOCK_DGRAM);
	int before = open_descriptors();

	(void)state;
	for (int i = 0; i < 100; i++) {
		assert_int_equal(send_with_descriptor(fd, "a:1|c", 5), 5);
		assert_int_equal(taken_poll(t), 1);
		assert_false(t->datagram[i].truncated);
	}
	assert_int_equal(open_descriptors(), before);
	taken_balances(t, 100);
	close(fd);
	taken_close(t);
}

static void
drains_to_an_end_when_quiesced(void **state)
{
	struct taken *t = taken_open("uds_dgram");
	int fd = unix_client(t->path, SOCK_DGRAM);

	(void)state;
	assert_int_equal(send(fd, "a", 1, 0), 1);
	assert_int_equal(send(fd, "", 0, 0), 0);
	assert_int_equal(send(fd, "b", 1, 0), 1);
	input_quiesce(t->input);
	assert_int_equal(access(t->path, F_OK), -1);
	assert_int_equal(send(fd, "late", 4, MSG_NOSIGNAL), -1);
	assert_int_equal(errno, EPIPE);
	assert_int_equal(taken_poll(t), 3);
	assert_taken(t, 0, "a", 1);
	assert_int_equal(t->datagram[1].size, 0);
	assert_taken(t, 2, "b", 1);
	/* A socket that is shut down and empty is no source of empty datagrams. */
	for (int i = 0; i < 10; i++)
		assert_int_equal(taken_poll(t), 0);
	assert_int_equal(taken_count(t, "datagrams.receive_errors"), 0);
	taken_balances(t, 3);
	close(fd);
	taken_close(t);
}

/* Closing one must not take the file of the next away. */
static void
hands_its_path_over_after_quiesce(void **state)
{
	struct taken *t = taken_open("uds_dgram");
	struct input *next;
	int fd;

	(void)state;
	input_quiesce(t->input);
	assert_int_equal(input_open(&t->spec, &t->stats, &next, &t->error), 0);
	input_close(t->input);
	t->input = next;
	fd = unix_client(t->path, SOCK_DGRAM);
	assert_true(fd >= 0);
	assert_int_equal(send(fd, "a", 1, 0), 1);
	assert_int_equal(taken_poll(t), 1);
	close(fd);
	taken_close(t);
}

static void
refuses_the_path_of_a_living_one(void **state)
{
	struct taken *t = taken_open("uds_dgram");
	struct input *second = NULL;
	int fd;

	(void)state;
	assert_int_equal(input_open(&t->spec, &t->stats, &second, &t->error), -EADDRINUSE);
	assert_null(second);
	fd = unix_client(t->path, SOCK_DGRAM);
	assert_int_equal(send(fd, "a", 1, 0), 1);
	assert_int_equal(taken_poll(t), 1);
	close(fd);
	taken_close(t);
}

static void
starts_after_a_kill(void **state)
{
	struct taken *t = taken_new("uds_dgram");
	pid_t child = fork();
	int fd;

	(void)state;
	if (child == 0) {
		if (input_open(&t->spec, &t->stats, &t->input, &t->error) != 0)
			_exit(1);
		kill(getpid(), SIGKILL);
	}
	waitpid(child, NULL, 0);
	assert_int_equal(access(t->path, F_OK), 0);
	assert_int_equal(input_open(&t->spec, &t->stats, &t->input, &t->error), 0);
	fd = unix_client(t->path, SOCK_DGRAM);
	assert_int_equal(send(fd, "a", 1, 0), 1);
	assert_int_equal(taken_poll(t), 1);
	close(fd);
	taken_close(t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_what_was_sent),
		cmocka_unit_test(marks_what_it_had_to_cut),
		cmocka_unit_test(takes_all_that_a_full_queue_accepted),
		cmocka_unit_test(never_takes_in_descriptors),
		cmocka_unit_test(drains_to_an_end_when_quiesced),
		cmocka_unit_test(hands_its_path_over_after_quiesce),
		cmocka_unit_test(refuses_the_path_of_a_living_one),
		cmocka_unit_test(starts_after_a_kill),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
