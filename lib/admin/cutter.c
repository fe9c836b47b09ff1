/* SPDX-License-Identifier: BSD-3-Clause */
#include "admin/cutter.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "admin/request.h"
#include "base/thread.h"

struct cutter {
	const struct admin_source *source;
	pthread_t thread;
	bool has_thread;
	int order_fd, done_fd;
	_Atomic bool is_closing;
	_Atomic int result;
};

static void *
run(void *argument)
{
	struct cutter *cutter = argument;
	eventfd_t count;

	while (eventfd_read(cutter->order_fd, &count) == 0 && !atomic_load(&cutter->is_closing)) {
		const struct admin_source *source = cutter->source;

		atomic_store(&cutter->result,
			source->flush(source->context, REQUEST_FLUSH_TIMEOUT));
		eventfd_write(cutter->done_fd, 1);
	}
	return NULL;
}

int
cutter_open(const struct admin_source *source, struct cutter **ret_cutter)
{
	struct cutter *cutter = calloc(1, sizeof(*cutter));
	int result;

	if (cutter == NULL)
		return -ENOMEM;
	cutter->source = source;
	cutter->order_fd = eventfd(0, EFD_CLOEXEC);
	cutter->done_fd = eventfd(0, EFD_CLOEXEC);
	if (cutter->order_fd < 0 || cutter->done_fd < 0)
		result = -errno;
	else
		result = thread_start(&cutter->thread, "admin-flush", run, cutter);
	if (result != 0) {
		cutter_close(cutter);
		return result;
	}
	cutter->has_thread = true;
	*ret_cutter = cutter;
	return 0;
}

int
cutter_fd(const struct cutter *cutter)
{
	return cutter->done_fd;
}

void
cutter_start(struct cutter *cutter)
{
	eventfd_write(cutter->order_fd, 1);
}

int
cutter_fetch(struct cutter *cutter)
{
	eventfd_t count;

	eventfd_read(cutter->done_fd, &count);
	return atomic_load(&cutter->result);
}

void
cutter_close(struct cutter *cutter)
{
	if (cutter == NULL)
		return;
	if (cutter->has_thread) {
		atomic_store(&cutter->is_closing, true);
		eventfd_write(cutter->order_fd, 1);
		pthread_join(cutter->thread, NULL);
	}
	if (cutter->order_fd >= 0)
		close(cutter->order_fd);
	if (cutter->done_fd >= 0)
		close(cutter->done_fd);
	free(cutter);
}
