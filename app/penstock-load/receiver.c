/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstock-load/receiver.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "penstockctl/client.h"

static uint64_t
sum_dropped(json_t *level)
{
	json_t *reason;
	const char *name;
	uint64_t sum = 0;

	json_object_foreach(json_object_get(level, "dropped"), name, reason) sum +=
		(uint64_t)json_integer_value(reason);
	return sum;
}

static int
read_ledger(json_t *ledger, const char *path, struct receiver_counts *ret_counts,
	struct error *error)
{
	json_t *lines = json_object_get(ledger, "lines");
	json_t *received = json_object_get(lines, "received");

	if (!json_is_integer(received))
		return error_fill(error, EPROTO, "%s: this is no ledger; is it penstockd's socket?",
			path);
	if (!json_is_true(json_object_get(ledger, "balanced")))
		return error_fill(error, EPROTO, "%s: the ledger does not balance", path);
	*ret_counts = (struct receiver_counts){
		.lines = (uint64_t)json_integer_value(received),
		.dropped = sum_dropped(json_object_get(ledger, "frames")) +
			sum_dropped(json_object_get(ledger, "datagrams")) + sum_dropped(lines),
	};
	return 0;
}

int
receiver_ask(const char *path, struct receiver_counts *ret_counts, struct error *error)
{
	char *reply;
	size_t size;
	json_t *ledger;
	int result = client_ask(path, "ledger", &reply, &size);

	if (result != 0)
		return error_fill(error, -result, "no penstockd answers at %s: %s", path,
			strerror(-result));
	ledger = json_loadb(reply, size, 0, NULL);
	result = read_ledger(ledger, path, ret_counts, error);
	json_decref(ledger);
	free(reply);
	return result;
}
