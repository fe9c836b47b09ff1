/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstock-load/report.h"

#include <string.h>

#include "base/clock.h"
#include "wire/json.h"

void
report_datagram(struct report *report, const struct datagram *datagram)
{
	if (datagram->error != 0) {
		int error =
			datagram->error <= REPORT_ERRNO_MAX ? datagram->error : REPORT_ERRNO_MAX;

		report->errors[error]++;
		report->unsent_datagrams++;
		report->unsent_lines += datagram->n_lines;
		return;
	}
	report->datagrams++;
	report->lines += datagram->n_lines;
	report->samples += datagram->n_samples;
	report->bytes += datagram->size;
	report->events += datagram->n_events;
	report->checks += datagram->n_checks;
	report->stamped_lines += datagram->n_stamped_lines;
	report->stamped_samples += datagram->n_stamped_samples;
	for (unsigned i = 0; i < MALFORMED_KINDS; i++)
		report->malformed[i] += datagram->n_malformed[i];
}

static void
write_sent(struct json *json, const struct report *report)
{
	json_key(json, "sent");
	json_object_begin(json);
	json_key_uint(json, "datagrams", report->datagrams);
	json_key_uint(json, "lines", report->lines);
	json_key_uint(json, "samples", report->samples);
	json_key_uint(json, "bytes", report->bytes);
	json_key_uint(json, "events", report->events);
	json_key_uint(json, "service_checks", report->checks);
	json_key_uint(json, "timestamped_lines", report->stamped_lines);
	json_key_uint(json, "timestamped_samples", report->stamped_samples);
	json_object_end(json);
}

/* Several kinds share a reason. */
static void
write_rejected(struct json *json, const struct report *report)
{
	uint64_t by_reason[STAT_COUNT] = {0};

	for (unsigned i = 0; i < MALFORMED_KINDS; i++)
		by_reason[malformed_table[i].reason] += report->malformed[i];
	json_key(json, "rejected_injected");
	json_object_begin(json);
	for (unsigned i = 0; i < STAT_COUNT; i++)
		if (by_reason[i] != 0)
			json_key_uint(json, stat_info[i].name, by_reason[i]);
	json_object_end(json);
}

static void
write_errors(struct json *json, const struct report *report)
{
	json_key(json, "errors");
	json_object_begin(json);
	for (int i = 0; i <= REPORT_ERRNO_MAX; i++) {
		const char *name = strerrorname_np(i);

		if (report->errors[i] != 0)
			json_key_uint(json, name != NULL ? name : "other", report->errors[i]);
	}
	json_object_end(json);
}

int
report_write(const struct report *report, uint64_t duration_ns, FILE *file)
{
	double seconds = (double)duration_ns / (double)NS_PER_S;
	struct json json = {0};
	int result;

	json_object_begin(&json);
	write_sent(&json, report);
	write_rejected(&json, report);
	write_errors(&json, report);
	json_key(&json, "unsent");
	json_object_begin(&json);
	json_key_uint(&json, "datagrams", report->unsent_datagrams);
	json_key_uint(&json, "lines", report->unsent_lines);
	json_object_end(&json);
	json_key_double(&json, "seconds", seconds);
	json_key_double(&json, "lines_per_second",
		duration_ns != 0 ? (double)report->lines / seconds : 0);
	json_object_end(&json);
	json_newline(&json);
	result = json_write(&json, file);
	json_done(&json);
	return result;
}
