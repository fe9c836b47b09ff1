/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockd/reload.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "penstockd/daemon.h"
#include "penstockd/load.h"
#include "penstockd/setting_compare.h"
#include "penstockd/settings.h"

#define VALUE_BYTES_MAX 100 /* of a value in a sentence */

/* A long value's beginning, cut between two characters. */
static int
shown_bytes(const char *value)
{
	size_t size = strlen(value);

	if (size <= VALUE_BYTES_MAX)
		return (int)size;
	size = VALUE_BYTES_MAX;
	while (size > 0 && ((uint8_t)value[size] & 0xc0) == 0x80)
		size--;
	return (int)size;
}

static void
add_change(void *context, const struct setting *row, const char *path, const char *before,
	const char *after)
{
	struct reload_changes *changes = context;
	struct reload_list *list = row->can_reload ? &changes->taken : &changes->refused;
	int before_bytes = shown_bytes(before), after_bytes = shown_bytes(after);
	size_t used = strlen(list->text), room = sizeof(list->text) - used;
	int size = snprintf(list->text + used, room, "%s%s has changed from %.*s%s to %.*s%s",
		used != 0 ? ", " : "", path, before_bytes, before,
		before[before_bytes] != '\0' ? "…" : "", after_bytes, after,
		after[after_bytes] != '\0' ? "…" : "");

	if ((size_t)size < room) {
		list->n++;
		return;
	}
	list->text[used] = '\0';
	list->n_omitted++;
}

int
reload_compare(const struct options *running, const struct options *wanted,
	struct reload_changes *ret_changes)
{
	memset(ret_changes, 0, sizeof(*ret_changes));
	return setting_compare(&settings_table, running, wanted, add_change, ret_changes);
}

static void
exchange(struct string_list *a, struct string_list *b)
{
	struct string_list before = *a;

	*a = *b;
	*b = before;
}

void
reload_take(struct options *running, struct options *wanted)
{
	exchange(&running->histogram_aggregates, &wanted->histogram_aggregates);
	exchange(&running->histogram_percentiles, &wanted->histogram_percentiles);
	running->histogram = wanted->histogram;
	running->use_dogstatsd = wanted->use_dogstatsd;
	running->max_contexts = wanted->max_contexts;
	running->max_context_bytes = wanted->max_context_bytes;
	running->flush_on_stop = wanted->flush_on_stop;
	running->zero_fill = wanted->zero_fill;
	running->stop_timeout = wanted->stop_timeout;
}

static int printf_like(4, 5) refuse(int error, char *text, size_t size, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, size, format, arguments);
	va_end(arguments);
	return error;
}

static int
check_changes(const struct reload_list *refused, char *text, size_t size)
{
	if (refused->n_omitted != 0)
		return refuse(-EINVAL, text, size, "%s, and %zu more: that needs a restart",
			refused->text, refused->n_omitted);
	if (refused->n != 0)
		return refuse(-EINVAL, text, size, "%s: that needs a restart", refused->text);
	return 0;
}

/* Could the daemon be started with it? */
static int
check_plan(const struct options *wanted, char *text, size_t size)
{
	struct plan_error error;
	struct plan plan;
	int status = plan_make(wanted, &plan, &error);

	if (status != 0)
		return refuse(status, text, size, "%s", error.text);
	plan_free(&plan);
	return 0;
}

static int
take_if_possible(struct daemon *d, struct options *wanted, char *text, size_t size)
{
	struct reload_changes changes;
	int status = reload_compare(d->options, wanted, &changes);

	if (status != 0)
		return refuse(status, text, size, "not enough memory");
	if ((status = check_changes(&changes.refused, text, size)) != 0 ||
		(status = check_plan(wanted, text, size)) != 0)
		return status;
	reload_take(d->options, wanted);
	daemon_apply(d);
	atomic_fetch_add(&d->generation, 1);
	log_info("reloaded %s: %s", d->options->source,
		changes.taken.n != 0 ? changes.taken.text : "nothing has changed");
	return 0;
}

/* With the lock. */
static int
reload(struct daemon *d, char *text, size_t size)
{
	struct conf_error error;
	struct options wanted;
	int status;

	if (atomic_load(&d->state) != STATE_READY)
		return refuse(-EBUSY, text, size, "not ready; penstockctl status shows the state");
	status = load_options(d->arguments, &wanted, &error);
	if (status != 0) {
		conf_error_text(&error, text, size);
		return status;
	}
	status = take_if_possible(d, &wanted, text, size);
	options_free(&wanted);
	return status;
}

int
reload_run(struct daemon *d, char *text, size_t size)
{
	int status;

	pthread_mutex_lock(&d->reloading);
	status = reload(d, text, size);
	pthread_mutex_unlock(&d->reloading);
	if (status != 0)
		log_warning("reload refused, the old configuration stays: %s", text);
	return status;
}
