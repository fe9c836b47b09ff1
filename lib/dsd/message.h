/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One decoded line. Spans point into the payload and hold the sender's raw bytes: what is not
 * UTF-8, and the two characters "\n" of an event, are only replaced when a text is kept
 * (base/utf8.h, dsd/text.h).
 */
#ifndef DSD_MESSAGE_H
#define DSD_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

enum metric_type {
	METRIC_COUNT,
	METRIC_GAUGE,
	METRIC_SET,
	METRIC_HISTOGRAM, /* h and ms */
	METRIC_DISTRIBUTION,
	METRIC_TYPE_COUNT,
};

enum message_kind {
	MESSAGE_METRIC,
	MESSAGE_EVENT,
	MESSAGE_SERVICE_CHECK,
};

/* Fields that any kind may carry. Absent is a span of size 0. */
struct message_fields {
	struct span tags; /* raw, after '#': split by ',' */
	struct span local_data; /* c:    these three only where client origin is on */
	struct span external_data; /* e:    */
	struct span cardinality; /* card: */
};

struct metric {
	struct span name;
	struct span member; /* of a set: the whole raw value */
	const double *values; /* of the others; the decoder's, valid until its next line */
	uint32_t n_values; /* a set has 1 and no values; items may be NaN or infinite, not all */
	enum metric_type type;
	bool is_timing; /* ms */
	double rate; /* (0, 1] */
	double weight; /* 1 / rate */
	int64_t timestamp; /* seconds; 0 when there is none */
};

enum event_priority {
	EVENT_NORMAL,
	EVENT_LOW,
};

enum event_alert {
	EVENT_INFO,
	EVENT_ERROR,
	EVENT_WARNING,
	EVENT_SUCCESS,
};

struct event {
	struct span title, text; /* "\n" not yet replaced */
	int64_t timestamp; /* seconds; 0 when absent */
	bool has_host; /* h: was given, maybe empty */
	struct span host, aggregation_key, source_type;
	enum event_priority priority;
	enum event_alert alert;
};

struct service_check {
	struct span name, message;
	int64_t timestamp;
	bool has_host;
	struct span host;
	uint8_t status; /* 0 to 3 */
};

struct message {
	enum message_kind kind;
	struct message_fields fields;
	union {
		struct metric metric;
		struct event event;
		struct service_check check;
	};
};

#endif
