/* SPDX-License-Identifier: BSD-3-Clause */
/* hot: no malloc, no syscall, no log, no lock */
#include "frame/filter.h"

static bool
is_own_address(const struct filter *filter, const struct frame *frame)
{
	for (size_t i = 0; i < filter->n_addresses; i++)
		if (prefix_is(&filter->addresses[i], frame->destination, frame->address_size))
			return true;
	for (size_t i = 0; i < filter->n_groups; i++)
		if (prefix_is(&filter->groups[i], frame->destination, frame->address_size))
			return true;
	return filter->n_addresses == 0;
}

static bool
is_allowed(const struct filter *filter, const struct frame *frame)
{
	for (size_t i = 0; i < filter->n_allow; i++)
		if (prefix_has(&filter->allow[i], frame->source, frame->address_size))
			return true;
	return filter->n_allow == 0;
}

enum counter
filter_judge_addresses(const struct filter *filter, const struct frame *frame)
{
	if (!is_own_address(filter, frame))
		return STAT_frames_dropped_wrong_address;
	if (!is_allowed(filter, frame))
		return STAT_frames_dropped_source_refused;
	return STAT_NONE;
}

enum counter
filter_judge(const struct filter *filter, const struct frame *frame)
{
	if (filter->udp_port != 0 && frame->destination_port != filter->udp_port)
		return STAT_frames_dropped_wrong_port;
	return filter_judge_addresses(filter, frame);
}
