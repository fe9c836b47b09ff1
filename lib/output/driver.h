/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract of an output driver: one file in drivers/output/, one entry in its meson list. */
#ifndef OUTPUT_DRIVER_H
#define OUTPUT_DRIVER_H

#include "base/compiler.h"
#include "output/output.h"

/* What one write came to: delivered + dropped = points + events + checks of the flush; those that
 * were left out before are none of the driver's business. */
struct output_result {
	uint64_t delivered;
	uint64_t dropped[OUTPUT_REASON_COUNT];
};

struct output_ops {
	const char *type;

	/* 0 and the driver's own state, or -errno with error filled. */
	int (*open)(const struct output_spec *spec, void **ret_state, struct error *error);

	/* On the output's own thread; may block, but never without waiting for stop_fd, too. Once
	 * that is readable, what is not written yet counts as dropped: OUTPUT_STOPPED. */
	void (*write)(void *state, const struct flush *flush, int stop_fd,
		struct output_result *result);

	void (*close)(void *state);
};

/* Generated from the list in drivers/output/meson.build; ends in NULL. */
extern const struct output_ops *const output_table[];

#endif
