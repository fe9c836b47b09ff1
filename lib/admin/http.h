/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Read-only HTTP: GET /metrics (Prometheus text) and GET /healthz (200 when ready, else 503).
 * Connections are limited in number and time.
 */
#ifndef ADMIN_HTTP_H
#define ADMIN_HTTP_H

#include <sys/socket.h>

#include "admin/source.h"

struct http;

struct http_address {
	struct sockaddr_storage socket;
	socklen_t size;
};

/* "127.0.0.1:8128", "[::1]:8128" or "localhost:8128"; port 0 lets the kernel choose. 0, or -EINVAL
 * with error filled. */
int http_address_parse(const char *text, struct http_address *ret_address, struct error *error);

/* source is borrowed until http_close. 0, or -errno with error filled. */
int http_open(const char *address, const struct admin_source *source, struct http **ret_http,
	struct error *error);

uint16_t http_port(const struct http *http);

/* NULL is fine. */
void http_close(struct http *http);

#endif
