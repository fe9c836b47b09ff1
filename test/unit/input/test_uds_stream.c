/* SPDX-License-Identifier: BSD-3-Clause */
#include "taken.h"

#include <errno.h>
#include <poll.h>
#include <sys/resource.h>

/* A frame as the protocol writes it; returns its size. */
static size_t
frame(uint8_t *at, const void *payload, uint32_t size)
{
	at[0] = (uint8_t)size;
	at[1] = (uint8_t)(size >> 8);
	at[2] = (uint8_t)(size >> 16);
	at[3] = (uint8_t)(size >> 24);
	memcpy(at + 4, payload, size);
	return 4 + size;
}

static void
send_all(int fd, const void *data, size_t size)
{
	assert_int_equal(send(fd, data, size, MSG_NOSIGNAL), (ssize_t)size);
}

static void
send_frame(int fd, const char *text)
{
	uint8_t data[256];

	send_all(fd, data, frame(data, text, (uint32_t)strlen(text)));
}

static bool
is_readable(const struct taken *t)
{
	struct pollfd fd = {.fd = input_fd(t->input), .events = POLLIN};

	return poll(&fd, 1, 0) == 1;
}

/* True when the peer of fd has closed it. */
static bool
is_closed(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_DONTWAIT) == 0;
}

static void
takes_frames_in_single_bytes(void **state)
{
	static const uint8_t data[] = "\x05\0\0\0a:1|c\0\0\0\0\x05\0\0\0b:2|g";
	struct taken *t = taken_open("uds_stream");
	int fd = unix_client(t->path, SOCK_STREAM);

	(void)state;
	for (size_t i = 0; i < sizeof(data) - 1; i++) {
		send_all(fd, data + i, 1);
		taken_settle(t);
	}
	assert_int_equal(t->n, 3);
	assert_taken(t, 0, "a:1|c", 5);
	assert_int_equal(t->datagram[1].size, 0);
	assert_taken(t, 2, "b:2|g", 5);
	assert_int_equal(taken_count(t, "worker.bytes_received"), 10);
	taken_balances(t, 3);
	close(fd);
	taken_close(t);
}

static void
keeps_the_half_of_a_frame_for_later(void **state)
{
	static const uint8_t data[] = "\x03\0\0\0one\x03\0\0\0two\x05\0\0\0three";
	struct taken *t = taken_open("uds_stream");
	int fd = unix_client(t->path, SOCK_STREAM);

	(void)state;
	send_all(fd, data, 20);
	taken_settle(t);
	assert_int_equal(t->n, 2);
	assert_false(is_readable(t));
	send_all(fd, data + 20, 3);
	assert_true(is_readable(t));
	taken_settle(t);
	assert_int_equal(t->n, 3);
	assert_taken(t, 0, "one", 3);
	assert_taken(t, 1, "two", 3);
	assert_taken(t, 2, "three", 5);
	close(fd);
	taken_close(t);
}

static void
limits_one_connection_and_not_the_others(void **state)
{
	static const char *const absurd[] = {"\x01\x20\0\0", "\xff\xff\xff\x7f", "\0\0\0\x80",
		"\xff\xff\xff\xff", "\0\0\0\x0f"};
	static uint8_t payload[PAYLOAD_MAX], data[4 + PAYLOAD_MAX];
	struct taken *t = taken_open("uds_stream");
	int good = unix_client(t->path, SOCK_STREAM);

	(void)state;
	memset(payload, 'x', sizeof(payload));
	send_all(good, data, frame(data, payload, PAYLOAD_MAX));
	taken_settle(t);
	assert_taken(t, 0, payload, PAYLOAD_MAX);
	for (int i = 0; i < 5; i++) {
		int bad = unix_client(t->path, SOCK_STREAM);

		send_frame(bad, "before");
		send_all(bad, absurd[i], 4);
		send_all(bad, payload, 100);
		taken_settle(t);
		assert_true(is_closed(bad));
		assert_int_equal(taken_count(t, "datagrams.dropped.frame_too_long"), i + 1);
		close(bad);
	}
	assert_false(is_closed(good));
	send_frame(good, "after");
	taken_settle(t);
	assert_int_equal(t->n, 7);
	assert_taken(t, 6, "after", 5);
	taken_balances(t, 12);
	close(good);
	taken_close(t);
}

static void
loses_nothing_of_a_client_that_leaves(void **state)
{
	struct taken *t = taken_open("uds_stream");

	(void)state;
	for (int i = 0; i < 200; i++) {
		int fd = unix_client(t->path, SOCK_STREAM);

		send_frame(fd, "a:1|c");
		close(fd);
	}
	taken_settle(t);
	taken_balances(t, 200);
	assert_int_equal(t->n, 200);
	assert_int_equal(taken_count(t, "worker.stream_connections"), 200);
	assert_int_equal(taken_count(t, "worker.stream_disconnections"), 200);
	assert_false(is_readable(t));
	taken_close(t);
}

static void
counts_what_a_client_did_not_finish(void **state)
{
	static const uint8_t data[] = "\x05\0\0\0a:1|c";
	struct taken *t = taken_open("uds_stream");

	(void)state;
	for (size_t size = 0; size <= 9; size++) {
		int fd = unix_client(t->path, SOCK_STREAM);

		if (size != 0)
			send_all(fd, data, size);
		close(fd);
		taken_settle(t);
	}
	assert_int_equal(taken_count(t, "datagrams.dropped.unfinished_length"), 3);
	assert_int_equal(taken_count(t, "datagrams.dropped.unfinished_frame"), 5);
	assert_int_equal(t->n, 1);
	taken_balances(t, 9);
	taken_close(t);
}

/* 5000 frames without a newline in them, then as many with one: far more than a burst each read. */
static void
keeps_order_over_many_bursts(void **state)
{
	enum {
		FRAMES = 10000
	};
	static uint8_t data[FRAMES * 16];
	struct taken *t = taken_open("uds_stream");
	int fd = unix_client(t->path, SOCK_STREAM);
	size_t size = 0, sent = 0;
	char text[16];

	(void)state;
	for (int i = 0; i < FRAMES; i++) {
		int n = snprintf(text, sizeof(text), "n:%d|c%s", i, i < FRAMES / 2 ? "" : "\n");

		size += frame(data + size, text, (uint32_t)n);
	}
	while (sent < size) {
		ssize_t n = send(fd, data + sent, size - sent, MSG_DONTWAIT);

		if (n > 0)
			sent += (size_t)n;
		taken_all(t);
	}
	taken_settle(t);
	assert_int_equal(t->n, FRAMES);
	for (int i = 0; i < FRAMES; i++) {
		int n = snprintf(text, sizeof(text), "n:%d|c%s", i, i < FRAMES / 2 ? "" : "\n");

		assert_taken(t, (size_t)i, text, (size_t)n);
	}
	taken_balances(t, FRAMES);
	close(fd);
	taken_close(t);
}

static void
gives_full_bursts_of_one_read(void **state)
{
	static uint8_t data[200 * 5];
	struct taken *t = taken_open("uds_stream");
	int fd = unix_client(t->path, SOCK_STREAM);
	size_t size = 0;

	(void)state;
	for (int i = 0; i < 200; i++)
		size += frame(data + size, "x", 1);
	taken_settle(t);
	send_all(fd, data, size);
	assert_int_equal(taken_poll(t), 64);
	/* The descriptor is silent about what was read already: poll until nothing comes. */
	assert_int_equal(taken_poll(t), 64);
	assert_int_equal(taken_poll(t), 64);
	assert_int_equal(taken_poll(t), 8);
	assert_int_equal(taken_poll(t), 0);
	close(fd);
	taken_close(t);
}

static void
lets_no_connection_starve_another(void **state)
{
	static uint8_t payload[1000], data[100000];
	struct taken *t = taken_open("uds_stream");
	int busy = unix_client(t->path, SOCK_STREAM);
	int quiet = unix_client(t->path, SOCK_STREAM);
	size_t size = 0;
	bool found = false;

	(void)state;
	taken_settle(t);
	while (size + 1004 <= sizeof(data))
		size += frame(data + size, payload, 1000);
	send_all(busy, data, size);
	send_frame(quiet, "quiet");
	/* Two reads of 64 KiB hold less than three bursts of 1004 bytes a frame; the quiet one's
	 * turn comes before the busy one's second read. */
	for (int i = 0; i < 2; i++) {
		taken_poll(t);
		while (t->n > 0 && !found) {
			t->n--;
			found = t->datagram[t->n].size == 5;
			free(t->datagram[t->n].data);
		}
	}
	assert_true(found);
	taken_settle(t);
	assert_int_equal(taken_count(t, "datagrams.received"), size / 1004 + 1);
	close(busy);
	close(quiet);
	taken_close(t);
}

static void
never_takes_in_descriptors(void **state)
{
	struct taken *t = taken_open("uds_stream");
	int fd = unix_client(t->path, SOCK_STREAM);
	int before;

	(void)state;
	taken_settle(t);
	before = open_descriptors();
	for (int i = 0; i < 100; i++) {
		assert_int_equal(send_with_descriptor(fd, "\x05\0\0\0a:1|c", 9), 9);
		taken_settle(t);
	}
	assert_int_equal(t->n, 100);
	assert_int_equal(open_descriptors(), before);
	close(fd);
	taken_close(t);
}

/* 80 descriptors allow 40 connections: half. */
static void
waits_at_the_limit_without_a_busy_loop(void **state)
{
	enum {
		CLIENTS = 60,
		LIMIT = 40
	};
	struct rlimit old, low;
	struct taken *t = taken_new("uds_stream");
	int fd[CLIENTS];

	(void)state;
	getrlimit(RLIMIT_NOFILE, &old);
	low = (struct rlimit){2 * LIMIT, old.rlim_max};
	setrlimit(RLIMIT_NOFILE, &low);
	assert_int_equal(input_open(&t->spec, &t->stats, &t->input, &t->error), 0);
	setrlimit(RLIMIT_NOFILE, &old);
	for (int i = 0; i < CLIENTS; i++) {
		fd[i] = unix_client(t->path, SOCK_STREAM);
		send_frame(fd[i], "a:1|c");
	}
	taken_settle(t);
	assert_int_equal(t->n, LIMIT);
	assert_int_equal(taken_count(t, "worker.stream_connections"), LIMIT);
	assert_int_equal(taken_count(t, "worker.stream_pauses"), 1);
	assert_false(is_readable(t));
	input_refresh(t->input);
	assert_false(is_readable(t));
	close(fd[0]);
	taken_settle(t);
	assert_int_equal(t->n, LIMIT + 1);
	for (int i = 1; i < CLIENTS; i++)
		close(fd[i]);
	taken_settle(t);
	taken_balances(t, CLIENTS);
	taken_close(t);
}

static void
waits_for_descriptors_without_a_busy_loop(void **state)
{
	struct rlimit old, low;
	struct taken *t = taken_open("uds_stream");
	int fd = unix_client(t->path, SOCK_STREAM);

	(void)state;
	getrlimit(RLIMIT_NOFILE, &old);
	low = (struct rlimit){(rlim_t)fd + 1, old.rlim_max}; /* fd was the lowest that is free */
	setrlimit(RLIMIT_NOFILE, &low);
	send_frame(fd, "a:1|c");
	assert_true(is_readable(t));
	taken_settle(t);
	assert_int_equal(t->n, 0);
	assert_false(is_readable(t));
	assert_int_equal(taken_count(t, "worker.stream_pauses"), 1);
	setrlimit(RLIMIT_NOFILE, &old);
	input_refresh(t->input);
	assert_true(is_readable(t));
	taken_settle(t);
	assert_int_equal(t->n, 1);
	close(fd);
	taken_close(t);
}

static void
drains_to_an_end_when_quiesced(void **state)
{
	enum {
		WAITING = 100
	};
	struct taken *t = taken_open("uds_stream");
	int known = unix_client(t->path, SOCK_STREAM);
	int half = unix_client(t->path, SOCK_STREAM);
	int waiting[WAITING];

	(void)state;
	taken_settle(t);
	send_frame(known, "known");
	send_all(half, "\x05\0\0\0a:", 6);
	for (int i = 0; i < WAITING; i++) {
		waiting[i] = unix_client(t->path, SOCK_STREAM);
		send_frame(waiting[i], "waiting");
	}
	input_quiesce(t->input);
	assert_int_equal(access(t->path, F_OK), -1);
	assert_int_equal(unix_client(t->path, SOCK_STREAM), -1);
	assert_int_equal(send(known, "x", 1, MSG_NOSIGNAL), -1);
	assert_int_equal(errno, EPIPE);
	taken_all(t); /* to the first empty burst, as a worker that ends does */
	assert_int_equal(t->n, 1 + WAITING);
	assert_int_equal(taken_count(t, "datagrams.dropped.unfinished_frame"), 1);
	assert_int_equal(taken_count(t, "worker.stream_connections"), 2 + WAITING);
	assert_int_equal(taken_count(t, "worker.stream_disconnections"), 2 + WAITING);
	taken_balances(t, 2 + WAITING);
	for (int i = 0; i < WAITING; i++)
		close(waiting[i]);
	close(known);
	close(half);
	taken_close(t);
}

static void
closes_with_clients_connected(void **state)
{
	struct taken *t = taken_open("uds_stream");
	int before, fd[3];

	(void)state;
	before = open_descriptors();
	for (int i = 0; i < 3; i++) {
		fd[i] = unix_client(t->path, SOCK_STREAM);
		send_all(fd[i], "\x05\0\0\0a:1|", 8);
	}
	taken_settle(t);
	input_close(t->input);
	t->input = NULL;
	taken_balances(t, 3);
	for (int i = 0; i < 3; i++) {
		assert_true(is_closed(fd[i]));
		close(fd[i]);
	}
	assert_int_equal(open_descriptors(), before - 2);
	taken_close(t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_frames_in_single_bytes),
		cmocka_unit_test(keeps_the_half_of_a_frame_for_later),
		cmocka_unit_test(limits_one_connection_and_not_the_others),
		cmocka_unit_test(loses_nothing_of_a_client_that_leaves),
		cmocka_unit_test(counts_what_a_client_did_not_finish),
		cmocka_unit_test(keeps_order_over_many_bursts),
		cmocka_unit_test(gives_full_bursts_of_one_read),
		cmocka_unit_test(lets_no_connection_starve_another),
		cmocka_unit_test(never_takes_in_descriptors),
		cmocka_unit_test(waits_at_the_limit_without_a_busy_loop),
		cmocka_unit_test(waits_for_descriptors_without_a_busy_loop),
		cmocka_unit_test(drains_to_an_end_when_quiesced),
		cmocka_unit_test(closes_with_clients_connected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
