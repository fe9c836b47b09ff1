/* SPDX-License-Identifier: BSD-3-Clause */
#include "output/driver.h"

#include "output/output_list.h"

#define X(name) extern const struct output_ops output_ops_##name;
OUTPUT_LIST(X)
#undef X

const struct output_ops *const output_table[] = {
#define X(name) &output_ops_##name,
	OUTPUT_LIST(X)
#undef X
		NULL,
};
