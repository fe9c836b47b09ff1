/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything that can be configured, after defaults, file and environment. Strings belong to the
 * options and are never NULL unless said.
 */
#ifndef PENSTOCKD_OPTIONS_H
#define PENSTOCKD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum checksum_mode {
	CHECKSUM_AUTO, /* as the device says; else computed, and senders on this host may leave it
			  out */
	CHECKSUM_VERIFY, /* always computed */
	CHECKSUM_IGNORE,
};

enum idle_mode {
	IDLE_AUTO,
	IDLE_POLL,
	IDLE_PAUSE,
	IDLE_SLEEP,
};

enum host_mode {
	HOST_SELF,
	HOST_SOURCE,
	HOST_NONE,
};

struct string_list {
	char **item;
	size_t n;
};

struct port_options {
	char *name;
	char *device;
	struct string_list addresses; /* "192.0.2.10/24" */
	struct string_list gateway;
	struct string_list allow;
	char *queues; /* "auto" or a count */
	enum checksum_mode checksum;
};

struct output_options {
	char *type, *name, *path;
};

struct options {
	/* The Agent's keys. */
	char *hostname; /* "" until resolved */
	struct string_list tags, dogstatsd_tags;
	char *dogstatsd_port; /* number; "0" is off; "__random__" */
	char *bind_host;
	bool dogstatsd_non_local_traffic;
	char *dogstatsd_socket, *dogstatsd_stream_socket; /* "" is off */
	uint32_t dogstatsd_buffer_size;
	uint32_t dogstatsd_so_rcvbuf;
	struct string_list dogstatsd_eol_required; /* udp, uds */
	uint32_t dogstatsd_workers_count;
	bool dogstatsd_origin_detection_client;
	bool dogstatsd_no_aggregation_pipeline;
	uint32_t dogstatsd_expiry_seconds, dogstatsd_context_expiry_seconds;
	struct string_list histogram_aggregates, histogram_percentiles;
	uint32_t aggregate_window_duration_seconds;

	/* penstock: */
	struct port_options *ports;
	size_t n_ports;
	char *workers; /* "auto", a count, or a list of cores "2,3" */
	char *slow_core; /* "auto" or a core */
	enum idle_mode idle;
	char *hugepages; /* auto | off */
	uint64_t memory_ceiling; /* bytes */
	uint64_t max_contexts;
	uint64_t max_context_bytes;
	uint32_t socket_mode; /* of Unix sockets, default 0722 */
	bool flush_on_stop, zero_fill;
	enum host_mode host;
	uint32_t stop_timeout; /* seconds */
	char *admin_socket, *admin_http; /* "" is off */
	struct output_options *outputs;
	size_t n_outputs;
	struct string_list eal; /* extra EAL arguments, from the file and after "--" */
};

#endif
