/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything that can be configured, after defaults, file and environment. Strings belong to the
 * options and are never NULL unless said. The rows that fill this are in settings.c.
 */
#ifndef PENSTOCKD_OPTIONS_H
#define PENSTOCKD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "agg/merge.h"
#include "conf/conf.h"
#include "conf/setting.h"
#include "conf/warnings.h"

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

enum hugepages_mode {
	HUGEPAGES_AUTO,
	HUGEPAGES_OFF,
};

enum promiscuous_mode {
	PROMISCUOUS_AUTO,
	PROMISCUOUS_ON,
	PROMISCUOUS_OFF,
};

enum flow_mode {
	FLOW_OFF,
	FLOW_ON,
};

struct port_options {
	struct conf_place place;
	char *name;
	char *device;
	struct string_list members; /* devices of a bond */
	struct string_list addresses; /* "192.0.2.10/24" */
	struct string_list gateway;
	char *exception; /* device; "" is none */
	struct string_list allow;
	char *queues; /* "auto" or a count */
	enum checksum_mode checksum;
	uint32_t mtu; /* bytes; 0: the device's */
	enum promiscuous_mode promiscuous;
	enum flow_mode flow;
	struct string_list multicast; /* "239.1.2.3" */
};

struct output_options {
	struct conf_place place;
	char *type, *name;
	char *path; /* of a file, else "" */
};

struct options {
	char *source; /* for people: the file's name, or "the embedded default" */
	char *private_folder; /* of the embedded default, to be made with mode 0700; else "" */
	struct string_list notes; /* what was decided for the user, one sentence each */

	/* The Agent's keys. */
	bool use_dogstatsd; /* no effect */
	char *hostname; /* this host's name unless given; "" if that cannot be used */
	struct string_list tags, dogstatsd_tags;
	char *dogstatsd_port; /* number; "0" is off; "__random__" */
	char *bind_host;
	bool dogstatsd_non_local_traffic;
	char *dogstatsd_socket, *dogstatsd_stream_socket; /* "" is off */
	uint32_t dogstatsd_buffer_size;
	uint32_t dogstatsd_so_rcvbuf;
	struct string_list dogstatsd_eol_required; /* udp, uds, named_pipe */
	uint32_t dogstatsd_workers_count;
	bool dogstatsd_origin_detection_client;
	bool dogstatsd_no_aggregation_pipeline;
	uint32_t dogstatsd_expiry_seconds, dogstatsd_context_expiry_seconds;
	struct string_list histogram_aggregates, histogram_percentiles;
	struct histogram_conf histogram; /* what the two say */
	uint32_t aggregate_window_duration_seconds;

	/* penstock: */
	struct object_list ports; /* of struct port_options */
	char *workers; /* "auto", a count, or a list of cores "[2,3]" */
	char *slow_core; /* "auto" or a core */
	enum idle_mode idle;
	enum hugepages_mode hugepages;
	uint64_t memory_ceiling; /* bytes */
	uint64_t max_contexts;
	uint64_t max_context_bytes;
	uint32_t socket_mode; /* of Unix sockets, default 0722 */
	bool flush_on_stop, zero_fill;
	enum host_mode host;
	uint32_t stop_timeout; /* seconds */
	char *admin_socket, *admin_http; /* "" is off */
	struct object_list outputs; /* of struct output_options; at least one */
	struct string_list eal; /* extra EAL arguments, from the file and after "--" */
};

/* Reads path (NULL: the embedded default), then the DD_ variables of environment (ends in NULL).
 * 0; or with error filled: -EINVAL, -ENOMEM, or what opening the file gave. What has no effect
 * becomes a warning. ret_options is untouched on failure. Nothing is created or opened but path. */
int options_load(const char *path, const char *const *environment, struct options *ret_options,
	struct warnings *warnings, struct conf_error *error);

/* The same from a text; source is its name in errors. */
int options_parse(struct span text, const char *source, const char *const *environment,
	struct options *ret_options, struct warnings *warnings, struct conf_error *error);

/* Adds an argument for EAL from the command line. 0, or -EINVAL with error filled, or -ENOMEM. */
int options_add_eal(struct options *options, const char *text, struct conf_error *error);

/* The effective configuration as YAML; read back, it gives the same options. */
void options_print(const struct options *options, FILE *out);

/* Nothing happens to options that are all zero. */
void options_free(struct options *options);

#endif
