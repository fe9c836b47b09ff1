/* SPDX-License-Identifier: BSD-3-Clause */
#include "admin/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "admin/metrics.h"

#define CONNECTIONS_MAX 32
#define IDLE_SECONDS 5
#define CONNECTION_MEMORY ((size_t)16 << 10) /* a request whose head is larger is refused */

struct http {
	const struct admin_source *source;
	struct MHD_Daemon *daemon;
	int fd; /* -1 once the daemon owns it */
	uint16_t port;
};

static bool
is_port(const char *text)
{
	char *end;
	unsigned long port = strtoul(text, &end, 10);

	return text[0] >= '0' && text[0] <= '9' && *end == '\0' && port <= UINT16_MAX;
}

int
http_address_parse(const char *text, struct http_address *ret_address, struct error *error)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	const char *colon = strrchr(text, ':'), *host = text;
	struct addrinfo *found;
	char name[256];
	size_t size;

	size = colon != NULL ? (size_t)(colon - text) : 0;
	if (size >= 2 && text[0] == '[' && text[size - 1] == ']') {
		host++;
		size -= 2;
	} else if (memchr(text, ':', size) != NULL) {
		size = 0; /* an IPv6 address without brackets: where does the port begin? */
	}
	if (size == 0 || size >= sizeof(name) || !is_port(colon + 1))
		return error_fill(error, EINVAL,
			"admin http: '%s' is not HOST:PORT; write 127.0.0.1:8128, [::1]:8128, or "
			"\"\" "
			"for none",
			text);
	memcpy(name, host, size);
	name[size] = '\0';
	if (getaddrinfo(name, colon + 1, &hints, &found) != 0)
		return error_fill(error, EINVAL,
			"admin http: '%s' in '%s' is neither an address nor the name of a host",
			name, text);
	memcpy(&ret_address->socket, found->ai_addr, found->ai_addrlen);
	ret_address->size = found->ai_addrlen;
	freeaddrinfo(found);
	return 0;
}

static enum MHD_Result
respond(struct MHD_Connection *connection, unsigned status, struct MHD_Response *response,
	const char *type)
{
	enum MHD_Result result;

	if (response == NULL)
		return MHD_NO;
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

/* text is static. */
static enum MHD_Result
respond_text(struct MHD_Connection *connection, unsigned status, const char *text)
{
	struct MHD_Response *response =
		MHD_create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_PERSISTENT);

	return respond(connection, status, response, "text/plain; charset=utf-8");
}

static enum MHD_Result
respond_metrics(const struct admin_source *source, struct MHD_Connection *connection)
{
	struct ledger ledger = {0};
	struct status status = {0};
	struct MHD_Response *response;
	size_t size;
	char *text;

	source->status(source->context, &status);
	source->ledger(source->context, &ledger);
	if (metrics_text(&ledger, &status, &text, &size) != 0)
		return respond_text(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "no memory\n");
	response = MHD_create_response_from_buffer(size, text, MHD_RESPMEM_MUST_FREE);
	if (response == NULL)
		free(text);
	return respond(connection, MHD_HTTP_OK, response, METRICS_CONTENT_TYPE);
}

static enum MHD_Result
respond_health(const struct admin_source *source, struct MHD_Connection *connection)
{
	struct status status = {0};
	char text[32];
	struct MHD_Response *response;

	source->status(source->context, &status);
	snprintf(text, sizeof(text), "%s\n", state_name[status.state]);
	response = MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_COPY);
	return respond(connection,
		status.state == STATE_READY ? MHD_HTTP_OK : MHD_HTTP_SERVICE_UNAVAILABLE, response,
		"text/plain; charset=utf-8");
}

static enum MHD_Result
handle(void *argument, struct MHD_Connection *connection, const char *url, const char *method,
	const char *version, const char *upload, size_t *upload_size, void **request)
{
	const struct http *http = argument;
	bool is_metrics = strcmp(url, "/metrics") == 0, is_health = strcmp(url, "/healthz") == 0;

	if (!is_metrics && !is_health)
		return respond_text(connection, MHD_HTTP_NOT_FOUND,
			"there are /metrics and /healthz\n");
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return respond_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "read-only\n");
	return is_metrics ? respond_metrics(http->source, connection)
			  : respond_health(http->source, connection);
}

static uint16_t
bound_port(int fd)
{
	struct sockaddr_storage address = {0};
	socklen_t size = sizeof(address);

	getsockname(fd, (struct sockaddr *)&address, &size);
	return ntohs(address.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&address)->sin6_port
						   : ((struct sockaddr_in *)&address)->sin_port);
}

static int
listen_at(struct http *http, const char *text, struct error *error)
{
	struct http_address address;
	int on = 1, result = http_address_parse(text, &address, error);

	if (result != 0)
		return result;
	http->fd = socket(address.socket.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (http->fd < 0)
		return error_fill(error, errno, "admin http: %s: %s", text, strerror(errno));
	setsockopt(http->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(http->fd, (struct sockaddr *)&address.socket, address.size) != 0 ||
		listen(http->fd, CONNECTIONS_MAX) != 0)
		return error_fill(error, errno,
			"admin http: cannot listen on %s: %s; change penstock: admin: http, or set "
			"it to \"\"",
			text, strerror(errno));
	http->port = bound_port(http->fd);
	return 0;
}

/* Its thread takes no signals, as all helper threads. */
static int
start_daemon(struct http *http, struct error *error)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	http->daemon = MHD_start_daemon(
		MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_ITC, 0, NULL, NULL, handle,
		http, MHD_OPTION_LISTEN_SOCKET, http->fd, MHD_OPTION_CONNECTION_LIMIT,
		CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT, IDLE_SECONDS,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_MEMORY, MHD_OPTION_END);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (http->daemon == NULL)
		return error_fill(error, EAGAIN, "admin http: cannot start the server");
	http->fd = -1;
	return 0;
}

int
http_open(const char *address, const struct admin_source *source, struct http **ret_http,
	struct error *error)
{
	struct http *http = calloc(1, sizeof(*http));
	int result;

	if (http == NULL)
		return error_fill(error, ENOMEM, "admin http: no memory");
	http->source = source;
	http->fd = -1;
	result = listen_at(http, address, error);
	if (result == 0)
		result = start_daemon(http, error);
	if (result != 0) {
		http_close(http);
		return result;
	}
	*ret_http = http;
	return 0;
}

uint16_t
http_port(const struct http *http)
{
	return http->port;
}

void
http_close(struct http *http)
{
	if (http == NULL)
		return;
	if (http->daemon != NULL)
		MHD_stop_daemon(http->daemon);
	if (http->fd >= 0)
		close(http->fd);
	free(http);
}
