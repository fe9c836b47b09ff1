/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The DogStatsD grammar, as the Datadog Agent reads it (protocol 1.0 to 1.6), one line at a time.
 * This decoder is the plain one: the reference for every faster path.
 *
 * Where it differs from the Agent: a rate outside (0, 1] rejects the line, a line without a finite
 * value is rejected, "_sc" needs its '|' to be a service check (else the line is a metric), and the
 * separator between an event's title and text must be a '|'.
 *
 * A line is rejected for one reason, the first that the Agent would meet: pipe, colon, name, value,
 * type, numbers, then the fields in their order; last what only the whole line can tell
 * (nan_or_inf, unsupported_timestamp).
 */
#ifndef DSD_DECODE_H
#define DSD_DECODE_H

#include "dsd/burst.h"
#include "dsd/message.h"
#include "stats/stats.h"

struct decoder {
	bool client_origin; /* read c:, e: and card: (dogstatsd_origin_detection_client) */
	bool timestamps; /* read T (dogstatsd_no_aggregation_pipeline) */
	double *values; /* room for the values of the longest line */
	uint32_t n_values_max;
};

/* payload_max: bytes of the longest payload that will be decoded. 0 or -ENOMEM. */
int decoder_init(struct decoder *decoder, size_t payload_max);
void decoder_done(struct decoder *decoder);

/* The next line of a payload: cuts it from *rest, without its LF and one CR before it. False at
 * the end. ret_terminated says whether an LF ended it. Lines may be empty. */
bool line_next(struct span *rest, struct span *ret_line, bool *ret_terminated);

/* Which kind a line claims to be; decided by its first bytes alone. */
enum message_kind line_kind(struct span line);

/* STAT_NONE and *ret_message, or the reason (STAT_lines_rejected_…). line is not empty and not
 * longer than payload_max. */
enum counter decode_line(struct decoder *decoder, struct span line, struct message *ret_message);

/* The values of a metric whose type is set: fills values and n_values (a set's member is the
 * caller's). STAT_NONE, or the reason as decode_line would have it; text is not longer than
 * payload_max. */
enum counter decode_values(struct decoder *decoder, struct span text, struct metric *metric);

#endif
