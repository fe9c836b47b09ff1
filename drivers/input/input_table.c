/* SPDX-License-Identifier: BSD-3-Clause */
#include "input/driver.h"

#include "input/input_list.h"

#define X(name) extern const struct input_ops input_ops_##name;
INPUT_LIST(X)
#undef X

const struct input_ops *const input_table[] = {
#define X(name) &input_ops_##name,
	INPUT_LIST(X)
#undef X
		NULL,
};
