/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "admin/http.h"
#include "fake_source.h"

static struct fake fake;
static struct admin_source source;
static struct http *http;

static int
start(void **state)
{
	struct error error;

	signal(SIGPIPE, SIG_IGN);
	fake_init(&fake);
	source = fake_source(&fake);
	return http_open("127.0.0.1:0", &source, &http, &error);
}

static int
stop(void **state)
{
	http_close(http);
	return 0;
}

static int
connected(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		.sin_port = htons(http_port(http))};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static const char *
asked(const char *request)
{
	static char text[1 << 17];
	size_t size = 0;
	int fd = connected();
	ssize_t n;

	assert_int_equal(write(fd, request, strlen(request)), strlen(request));
	while ((n = read(fd, text + size, sizeof(text) - 1 - size)) > 0)
		size += (size_t)n;
	text[size] = '\0';
	close(fd);
	return text;
}

#define REQUEST(method, url) method " " url " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

static bool
starts_with(const char *text, const char *start_text)
{
	return strncmp(text, start_text, strlen(start_text)) == 0;
}

static void
serves_metrics(void **state)
{
	const char *reply = asked(REQUEST("GET", "/metrics"));

	assert_true(starts_with(reply, "HTTP/1.1 200 OK\r\n"));
	assert_non_null(
		strstr(reply, "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
	assert_non_null(strstr(reply, "\npenstock_lines_received_total 300\n"));
	reply = asked(REQUEST("HEAD", "/metrics"));
	assert_true(starts_with(reply, "HTTP/1.1 200 OK\r\n"));
	assert_null(strstr(reply, "penstock_"));
}

static void
is_healthy_only_when_ready(void **state)
{
	assert_true(starts_with(asked(REQUEST("GET", "/healthz")), "HTTP/1.1 200 "));
	for (int i = 0; i < STATE_COUNT; i++) {
		const char *reply;

		fake.status.state = (enum state)i;
		reply = asked(REQUEST("GET", "/healthz"));
		assert_true(
			starts_with(reply, i == STATE_READY ? "HTTP/1.1 200 " : "HTTP/1.1 503 "));
		assert_non_null(strstr(reply, state_name[i]));
	}
	fake.status.state = STATE_READY;
}

static void
refuses_everything_else(void **state)
{
	static char large[100000] = "GET /metrics HTTP/1.1\r\nHost: ";
	int fd = connected();

	assert_true(starts_with(asked(REQUEST("GET", "/")), "HTTP/1.1 404 "));
	assert_true(starts_with(asked(REQUEST("GET", "/metrics/../etc")), "HTTP/1.1 404 "));
	assert_true(starts_with(asked(REQUEST("POST", "/metrics")), "HTTP/1.1 405 "));
	assert_true(starts_with(asked(REQUEST("DELETE", "/healthz")), "HTTP/1.1 405 "));
	asked("\x16\x03\x01 no HTTP\r\n\r\n");
	memset(large + strlen(large), 'x', sizeof(large) - strlen(large));
	if (write(fd, large, sizeof(large)) < 0) /* it may close before it has read all */
		assert_true(errno == EPIPE || errno == ECONNRESET);
	close(fd);
	assert_true(starts_with(asked(REQUEST("GET", "/healthz")), "HTTP/1.1 200 "));
}

static void
parses_addresses(void **state)
{
	static const char *const refused[] = {"", "8128", ":8128", "127.0.0.1",
		"127.0.0.1:", "127.0.0.1:http", "127.0.0.1:65536", "127.0.0.1:-1", "::1:8128",
		"[::1]", "[]:1", "127.0.0.1:8128/"};
	const struct sockaddr_in *v4;
	const struct sockaddr_in6 *v6;
	struct http_address address;
	struct error error;

	assert_int_equal(http_address_parse("127.0.0.1:8128", &address, &error), 0);
	v4 = (const struct sockaddr_in *)&address.socket;
	assert_int_equal(v4->sin_family, AF_INET);
	assert_int_equal(ntohs(v4->sin_port), 8128);
	assert_int_equal(ntohl(v4->sin_addr.s_addr), 0x7f000001);
	assert_int_equal(http_address_parse("[::1]:80", &address, &error), 0);
	v6 = (const struct sockaddr_in6 *)&address.socket;
	assert_int_equal(v6->sin6_family, AF_INET6);
	assert_int_equal(ntohs(v6->sin6_port), 80);
	assert_memory_equal(&v6->sin6_addr, &in6addr_loopback, 16);
	for (size_t i = 0; i < ARRAY_LENGTH(refused); i++) {
		assert_int_equal(http_address_parse(refused[i], &address, &error), -EINVAL);
		assert_non_null(strstr(error.text, "is not HOST:PORT; write 127.0.0.1:8128"));
	}
}

static void
says_why_it_cannot_listen(void **state)
{
	struct http *second = NULL;
	struct error error;
	char address[32], expected[256];

	snprintf(address, sizeof(address), "127.0.0.1:%u", http_port(http));
	assert_int_equal(http_open(address, &source, &second, &error), -EADDRINUSE);
	snprintf(expected, sizeof(expected),
		"admin http: cannot listen on %s: Address already in use; change penstock: admin: "
		"http, or set it to \"\"",
		address);
	assert_string_equal(error.text, expected);
	assert_null(second);
	http_close(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(serves_metrics),
		cmocka_unit_test(is_healthy_only_when_ready),
		cmocka_unit_test(refuses_everything_else),
		cmocka_unit_test(parses_addresses),
		cmocka_unit_test(says_why_it_cannot_listen),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
