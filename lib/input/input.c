/* SPDX-License-Identifier: BSD-3-Clause */
#include "input/input.h"

#include <errno.h>
#include <stdio.h>

#include "input/driver.h"

static const struct input_ops *
find_driver(const char *name)
{
	for (size_t i = 0; input_table[i] != NULL; i++)
		if (strcmp(input_table[i]->name, name) == 0)
			return input_table[i];
	return NULL;
}

int
input_open(const struct input_spec *spec, struct stats *stats, struct input **ret_input,
	struct error *error)
{
	const struct input_ops *ops = find_driver(spec->driver);

	if (ops == NULL)
		return error_fill(error, ENODEV, "%s: this build has no input driver '%s'",
			spec->name, spec->driver);
	return ops->open(spec, stats, ret_input, error);
}

void
input_poll(struct input *input, struct burst *burst)
{
	input->ops->poll(input, burst);
}

void
input_release(struct input *input, struct burst *burst)
{
	input->ops->release(input, burst);
}

bool
input_has_more(const struct input *input)
{
	return input->has_more;
}

bool
input_is_filling(struct input *input)
{
	return input->ops->is_filling != NULL && input->ops->is_filling(input);
}

bool
input_keeps_unread(const struct input *input)
{
	return input->keeps_unread;
}

struct account *
input_account(const struct input *input)
{
	return input->account;
}

int
input_fd(const struct input *input)
{
	return input->ops->fd != NULL ? input->ops->fd(input) : -1;
}

void
input_quiesce(struct input *input)
{
	if (input->ops->quiesce != NULL)
		input->ops->quiesce(input);
}

bool
input_is_pending(const struct input *input)
{
	return input->ops->is_pending != NULL && input->ops->is_pending(input);
}

void
input_settle(struct input *input)
{
	if (input->ops->settle != NULL)
		input->ops->settle(input);
}

void
input_refresh(struct input *input)
{
	if (input->ops->refresh != NULL)
		input->ops->refresh(input);
}

const char *
input_name(const struct input *input)
{
	return input->name;
}

const char *
input_address(const struct input *input)
{
	return input->address;
}

void
input_close(struct input *input)
{
	if (input != NULL)
		input->ops->close(input);
}

void
input_init(struct input *input, const struct input_ops *ops, const struct input_spec *spec,
	struct stats *stats)
{
	input->ops = ops;
	input->stats = stats;
	input->name = spec->name;
	input->listener = spec->listener;
	input->eol_required = spec->eol_required;
	input->keeps_unread = false;
	input->has_more = false;
	input->account = spec->account;
	snprintf(input->address, sizeof(input->address), "%s",
		spec->address != NULL ? spec->address : "");
}
