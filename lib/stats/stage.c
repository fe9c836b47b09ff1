/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/stage.h"

const char *const stage_name[STAGE_COUNT] = {
	[STAGE_POLL] = "poll",
	[STAGE_DECODE] = "decode",
	[STAGE_HOUSEKEEP] = "housekeep",
	[STAGE_IDLE] = "idle",
};
