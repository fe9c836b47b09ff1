/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of the socket inputs share: an open input, and copies of all that it handed over.
 */
#ifndef TEST_TAKEN_H
#define TEST_TAKEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "input/input.h"

#define LISTENER 3
#define PAYLOAD_MAX 8192

struct taken_datagram {
	uint8_t *data;
	size_t size;
	bool truncated;
	bool eol_required;
	uint8_t source[16];
	uint8_t source_size;
};

struct taken {
	struct input_spec spec;
	struct stats stats;
	struct input *input;
	struct error error;
	char folder[64];
	char path[96];
	struct burst burst;
	uint16_t last_n; /* of the last poll */
	size_t n;
	struct taken_datagram datagram[20000];
};

static inline struct taken *
taken_new(const char *driver)
{
	struct taken *t = calloc(1, sizeof(*t));

	snprintf(t->folder, sizeof(t->folder), "/tmp/penstock-test-XXXXXX");
	assert_non_null(mkdtemp(t->folder));
	snprintf(t->path, sizeof(t->path), "%s/dsd.socket", t->folder);
	t->spec = (struct input_spec){
		.driver = driver,
		.name = driver,
		.listener = LISTENER,
		.address = strcmp(driver, "udp") == 0 ? "127.0.0.1" : t->path,
		.udp_port = "__random__",
		.payload_max = PAYLOAD_MAX,
		.socket_mode = 0722,
	};
	return t;
}

static inline struct taken *
taken_open(const char *driver)
{
	struct taken *t = taken_new(driver);

	if (input_open(&t->spec, &t->stats, &t->input, &t->error) != 0)
		fail_msg("%s", t->error.text);
	return t;
}

static inline void
taken_forget(struct taken *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->datagram[i].data);
	t->n = 0;
}

static inline void
taken_close(struct taken *t)
{
	input_close(t->input);
	taken_forget(t);
	unlink(t->path);
	assert_int_equal(rmdir(t->folder), 0);
	free(t);
}

/* One poll; returns how many it gave. */
static inline uint16_t
taken_poll(struct taken *t)
{
	input_poll(t->input, &t->burst);
	t->last_n = t->burst.n;
	assert_true(t->burst.n <= BURST_MAX);
	for (uint16_t i = 0; i < t->burst.n; i++) {
		const struct dgram *from = &t->burst.dgram[i];
		struct taken_datagram *to = &t->datagram[t->n++];

		assert_true(t->n < sizeof(t->datagram) / sizeof(t->datagram[0]));
		assert_int_equal(from->listener, LISTENER);
		assert_int_equal(from->origin, 0);
		to->data = malloc(from->payload.size + 1);
		if (from->payload.size != 0)
			memcpy(to->data, from->payload.data, from->payload.size);
		to->size = from->payload.size;
		to->truncated = from->truncated;
		to->eol_required = from->eol_required;
		to->source_size = from->source_size;
		if (from->source_size != 0)
			memcpy(to->source, from->source, from->source_size);
	}
	if (t->burst.n > 0) {
		assert_true(t->burst.time > 0);
		input_release(t->input, &t->burst);
	}
	return t->last_n;
}

/* Polls to the first empty burst, as before waiting for the descriptor. */
static inline void
taken_all(struct taken *t)
{
	while (taken_poll(t) > 0)
		;
}

/* A stream needs some turns: one accepts, one reads, one sees the end. */
static inline void
taken_settle(struct taken *t)
{
	for (int i = 0; i < 8; i++)
		taken_all(t);
}

static inline uint64_t
taken_count(const struct taken *t, const char *name)
{
	enum counter stat = stat_by_name(name);

	assert_int_not_equal(stat, STAT_NONE);
	return t->stats.counter[stat];
}

/* received = delivered + every drop, and the listener's share is all of it. */
static inline void
taken_balances(const struct taken *t, uint64_t received)
{
	uint64_t ended = t->n + taken_count(t, "datagrams.dropped.frame_too_long") +
		taken_count(t, "datagrams.dropped.unfinished_length") +
		taken_count(t, "datagrams.dropped.unfinished_frame") +
		taken_count(t, "datagrams.dropped.no_memory") +
		taken_count(t, "datagrams.dropped.kernel");

	assert_int_equal(taken_count(t, "datagrams.received"), received);
	assert_int_equal(t->stats.listener[LISTENER], received);
	assert_int_equal(ended, received);
}

static inline void
assert_taken(const struct taken *t, size_t i, const void *data, size_t size)
{
	assert_true(i < t->n);
	assert_int_equal(t->datagram[i].size, size);
	assert_memory_equal(t->datagram[i].data, data, size);
}

static inline int
unix_client(const char *path, int type)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static inline int
open_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(folder) != NULL)
		n++;
	closedir(folder);
	return n;
}

/* Passes a copy of descriptor 0 along with data. */
static inline ssize_t
send_with_descriptor(int fd, const void *data, size_t size)
{
	union {
		char buffer[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {0};
	struct iovec part = {(void *)(uintptr_t)data, size};
	struct msghdr message = {.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control.buffer,
		.msg_controllen = sizeof(control.buffer)};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	int passed = 0;

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(header), &passed, sizeof(passed));
	return sendmsg(fd, &message, 0);
}

#endif
