/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract of an input driver: one file in drivers/input/, one entry in its meson list. */
#ifndef INPUT_DRIVER_H
#define INPUT_DRIVER_H

#include "base/compiler.h"
#include "input/input.h"

struct input_ops {
	const char *name;

	/* Each as the function of the same name in input/input.h. NULL: is_filling, quiesce,
	 * is_pending, settle, refresh and fd may be missing (cannot tell, nothing to do; must be
	 * polled). */
	int (*open)(const struct input_spec *spec, struct stats *stats, struct input **ret_input,
		struct error *error);
	void (*poll)(struct input *input, struct burst *burst);
	void (*release)(struct input *input, struct burst *burst);
	bool (*is_filling)(struct input *input);
	int (*fd)(const struct input *input);
	void (*quiesce)(struct input *input);
	bool (*is_pending)(const struct input *input);
	void (*settle)(struct input *input);
	void (*refresh)(struct input *input);
	void (*close)(struct input *input);
};

/* First member of a driver's own struct; open fills it with input_init. */
struct input {
	const struct input_ops *ops;
	struct stats *stats; /* the polling worker's */
	const char *name;
	uint16_t listener;
	bool eol_required;
	bool keeps_unread; /* false unless the driver says so */
	bool has_more; /* each poll says so; not asked of one that keeps_unread */
	struct account *account;
	char address[128];
};

void input_init(struct input *input, const struct input_ops *ops, const struct input_spec *spec,
	struct stats *stats);

/* Appends a datagram to burst, which must have room, and counts it as received. The source is not
 * known and nothing is to be given back until the caller says so. */
static inline struct dgram *
input_add(struct input *input, struct burst *burst, struct span payload)
{
	uint16_t i = burst->n++;

	burst->dgram[i] = (struct dgram){
		.payload = payload,
		.eol_required = input->eol_required,
		.listener = input->listener,
	};
	burst->handle[i] = NULL;
	stats_received(input->stats, input->listener, 1);
	stats_add(input->stats, STAT_worker_bytes_received, payload.size);
	return &burst->dgram[i];
}

/* Generated from the list in drivers/input/meson.build; ends in NULL. */
extern const struct input_ops *const input_table[];

#endif
