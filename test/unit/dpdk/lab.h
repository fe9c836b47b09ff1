/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the tests with a running EAL share. EAL starts once in a process, so each test is a child;
 * in a child, CHECK ends it at once and the parent's test fails.
 */
#ifndef TEST_DPDK_LAB_H
#define TEST_DPDK_LAB_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "dpdk/port.h"
#include "input/input.h"

#define CHECK(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			_exit(1); \
		} \
	} while (0)

#define SKIPPED 77

/* The child's exit code; 128 + its signal when it died of one. */
static inline int
wait_for(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) != child)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* cmocka's own handlers would make an ordinary exit of a crash. */
static const int caught[] = {SIGFPE, SIGILL, SIGSEGV, SIGBUS, SIGSYS};

static inline pid_t
start_child(void (*run)(void))
{
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		for (size_t i = 0; i < ARRAY_LENGTH(caught); i++)
			signal(caught[i], SIG_DFL);
		alarm(25);
		run();
		eal_stop();
		_exit(0);
	}
	return child;
}

static inline void
expect_child(void (*run)(void))
{
	assert_int_equal(wait_for(start_child(run)), 0);
}

/* Starts EAL in ordinary memory for one port on queues queues and opens it. */
static inline struct port *
open_port(const struct port_spec *spec)
{
	struct eal_options options = {.devices = &spec->device,
		.n_devices = 1,
		.main_cpu = -1,
		.memory = port_memory(spec, 0)};
	struct error error = {""};
	struct port *port = NULL;

	if (eal_start(&options, &error) != 0 || port_open(spec, &port, &error) != 0)
		fprintf(stderr, "%s\n", error.text);
	CHECK(port != NULL);
	return port;
}

static inline struct input *
open_input(struct port *port, uint16_t queue, struct stats *stats)
{
	struct input_spec spec = {.driver = "dpdk",
		.name = port_facts(port)->name,
		.port = port,
		.queue = queue,
		.listener = 3};
	struct error error;
	struct input *input = NULL;

	if (input_open(&spec, stats, &input, &error) != 0)
		fprintf(stderr, "%s\n", error.text);
	CHECK(input != NULL);
	return input;
}

/* received = the sum of the rest, at the level of frames and of datagrams. */
static inline bool
frames_balance(const struct stats *stats)
{
	uint64_t sum = 0;

	for (enum counter stat = STAT_NONE + 1; stat < STAT_COUNT; stat++)
		if (stat_info[stat].level_index == STAT_LEVEL_frames &&
			stat_info[stat].role == STAT_ROLE_TERM)
			sum += stats->counter[stat];
	return sum == stats->counter[STAT_frames_received] &&
		stats->counter[STAT_frames_delivered] == stats->counter[STAT_datagrams_received] &&
		stats->listener[3] == stats->counter[STAT_datagrams_received];
}

#define HEADERS_SIZE (14 + 20 + 8)

/*
 * Ethernet, IPv4 and UDP before the payload: from 192.0.2.1 to 192.0.2.10, port 8125. The IP
 * checksum is right and the UDP checksum is sum. Returns the frame, written to buffer.
 */
static inline struct span
lay_out(uint8_t *buffer, struct span payload, uint16_t sum)
{
	uint16_t udp_size = (uint16_t)(8 + payload.size), size = (uint16_t)(20 + udp_size);
	const uint8_t headers[HEADERS_SIZE] = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x08, 0x00, 0x45,
		0, (uint8_t)(size >> 8), (uint8_t)size, 0, 0, 0x40, 0, 64, 17, 0, 0, 192, 0, 2, 1,
		192, 0, 2, 10, 0x9c, 0x40, 0x1f, 0xbd, (uint8_t)(udp_size >> 8), (uint8_t)udp_size,
		(uint8_t)(sum >> 8), (uint8_t)sum};
	uint32_t carry = 0;

	memcpy(buffer, headers, sizeof(headers));
	for (int i = 14; i < 34; i += 2)
		carry += (uint32_t)(buffer[i] << 8 | buffer[i + 1]);
	carry = (carry >> 16) + (carry & 0xffff);
	carry = ~((carry >> 16) + carry) & 0xffff;
	buffer[24] = (uint8_t)(carry >> 8);
	buffer[25] = (uint8_t)carry;
	memcpy(buffer + HEADERS_SIZE, payload.data, payload.size);
	return span_of(buffer, HEADERS_SIZE + payload.size);
}

static inline double
seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

#endif
