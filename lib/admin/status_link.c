/* SPDX-License-Identifier: BSD-3-Clause */
#include "admin/status_link.h"

static const char *const state_names[] = {
	[LINK_DOWN] = "down",
	[LINK_UP] = "up",
	[LINK_GONE] = "gone",
};

void
status_link_write(const struct status_link *link, struct json *json)
{
	json_key_text(json, "device", link->device);
	json_key_text(json, "link", state_names[link->state]);
	json_key_uint(json, "link_s", link->seconds);
	json_key_uint(json, "speed_mbps", link->speed);
	json_key_uint(json, "link_changes", link->changes);
	json_key_uint(json, "resets", link->resets);
	if (link->members != 0) {
		json_key_uint(json, "members", link->members);
		json_key_uint(json, "members_active", link->members_active);
	}
}
