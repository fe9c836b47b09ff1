/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstock-load/search_report.h"

#include "wire/json.h"

static void
write_trial(struct json *json, const struct trial *trial)
{
	json_object_begin(json);
	json_key_double(json, "rate", trial->rate);
	json_key_double(json, "seconds", trial->seconds);
	json_key_double(json, "took", trial->took);
	json_key_uint(json, "offered", trial->offered);
	json_key_uint(json, "sent", trial->sent);
	json_key_uint(json, "lost_tx", trial->offered - trial->sent);
	json_key_int(json, "lost_sequence", (int64_t)(trial->sent - trial->received));
	json_key_uint(json, "lost_ledger", trial->dropped);
	json_key_double(json, "carried", trial->carried);
	json_key(json, "lateness");
	json_object_begin(json);
	json_key_double(json, "mean_us", trial->late_mean * 1e6);
	json_key_double(json, "max_us", trial->late_max * 1e6);
	json_object_end(json);
	json_key_bool(json, "valid", trial_is_valid(trial));
	json_key_bool(json, "clean", trial_is_clean(trial));
	json_object_end(json);
}

static void
write_result(struct json *json, const struct search *search, double lines_per_datagram)
{
	json_key_double(json, "saturation", search->saturation);
	json_key(json, "ndr");
	json_object_begin(json);
	json_key_double(json, "lines_per_second", search->offered);
	json_key_double(json, "datagrams_per_second", search->offered / lines_per_datagram);
	json_key_double(json, "share_of_saturation",
		search->saturation > 0 ? search->offered / search->saturation : 0);
	json_key_bool(json, "limited_by_generator", search->is_limited);
	json_object_end(json);
	json_key_bool(json, "confirmed", search->is_confirmed);
}

int
search_report_write(const struct search *search, double lines_per_datagram, FILE *file)
{
	struct json json = {0};
	int result;

	json_object_begin(&json);
	json_key(&json, "trials");
	json_array_begin(&json);
	for (unsigned i = 0; i < search->n_trials; i++)
		write_trial(&json, &search->trials[i]);
	json_array_end(&json);
	write_result(&json, search, lines_per_datagram);
	json_object_end(&json);
	json_newline(&json);
	result = json_write(&json, file);
	json_done(&json);
	return result;
}
