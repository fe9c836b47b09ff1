/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstock-load/search.h"

#include <errno.h>

#define LATE 0.05 /* s */
#define LATE_SHARE 0.01
#define ABOVE_SATURATION 1.1 /* one that is not overrun may carry a little more */

bool
trial_is_valid(const struct trial *trial)
{
	double slack = trial->seconds * LATE_SHARE > LATE ? trial->seconds * LATE_SHARE : LATE;

	return trial->offered > 0 && trial->took <= trial->seconds + slack;
}

bool
trial_is_clean(const struct trial *trial)
{
	return trial_is_valid(trial) && trial->sent == trial->offered &&
		trial->received == trial->sent && trial->dropped == 0;
}

static int
take_trial(struct search *search, double rate, double seconds, search_trial run, void *context)
{
	struct trial *trial = &search->trials[search->n_trials];
	int result;

	if (search->n_trials == SEARCH_TRIALS_MAX)
		return -E2BIG;
	*trial = (struct trial){.rate = rate};
	result = run(context, rate, seconds, trial);
	if (result == 0)
		search->n_trials++;
	return result;
}

static const struct trial *
last_trial(const struct search *search)
{
	return &search->trials[search->n_trials - 1];
}

/* Whether the last trial was clean: then its rate is the result, until a better one comes. */
static bool
keep_clean(struct search *search)
{
	const struct trial *trial = last_trial(search);

	if (!trial_is_clean(trial))
		return false;
	search->rate = trial->rate;
	search->offered = (double)trial->offered / trial->took;
	return true;
}

/* Halves the gap between the fastest clean and the slowest other rate. */
static int
narrow(struct search *search, const struct search_conf *conf, search_trial run, void *context)
{
	double low = conf->rate_min, high = conf->rate_max;
	int result;

	if (high == 0)
		high = search->saturation * ABOVE_SATURATION;
	while (high - low > conf->resolution * high) {
		double rate = low + (high - low) / 2;

		result = take_trial(search, rate, conf->trial_seconds, run, context);
		if (result != 0)
			return result;
		if (keep_clean(search)) {
			low = rate;
		} else {
			search->is_limited = !trial_is_valid(last_trial(search));
			high = rate;
		}
	}
	return 0;
}

/* A rate that fails in the long trial is lowered by twice the resolution. */
static int
confirm(struct search *search, const struct search_conf *conf, search_trial run, void *context)
{
	double rate = search->rate;

	for (unsigned i = 0; i < conf->confirmations && rate > 0; i++) {
		int result = take_trial(search, rate, conf->confirm_seconds, run, context);

		if (result != 0)
			return result;
		search->is_confirmed = keep_clean(search);
		if (search->is_confirmed)
			break;
		rate *= 1 - 2 * conf->resolution;
	}
	return 0;
}

int
search_run(struct search *search, const struct search_conf *conf, search_trial run, void *context)
{
	int result;

	*search = (struct search){0};
	result = take_trial(search, 0, conf->trial_seconds, run, context);
	if (result != 0)
		return result;
	search->saturation = last_trial(search)->carried;
	result = narrow(search, conf, run, context);
	return result == 0 ? confirm(search, conf, run, context) : result;
}
