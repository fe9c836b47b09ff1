/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockctl/view.h"

#include <stdio.h>
#include <string.h>

static long long
number(json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static const char *
text(json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));

	return value != NULL ? value : "";
}

/* Returns how wide it was. */
static int
print_duration(long long seconds)
{
	long long days = seconds / 86400;
	int width = days != 0 ? printf("%lld d ", days) : 0;

	return width +
		printf("%02lld:%02lld:%02lld", seconds / 3600 % 24, seconds / 60 % 60,
			seconds % 60);
}

static void
print_links(json_t *ports)
{
	json_t *port;
	size_t i;

	if (json_array_size(ports) == 0)
		return;
	printf("\n%-18s %-6s %-14s %8s %8s %8s  %s\n", "link", "state", "for", "Mbit/s", "changes",
		"resets", "device");
	json_array_foreach(ports, i, port)
	{
		printf("%-18s %-6s ", text(port, "name"), text(port, "link"));
		printf("%-*s", 14 - print_duration(number(port, "link_s")), "");
		printf(" %8lld %8lld %8lld  %s\n", number(port, "speed_mbps"),
			number(port, "link_changes"), number(port, "resets"), text(port, "device"));
		if (number(port, "members") != 0)
			printf("%-18s %lld of %lld members carry traffic\n", "",
				number(port, "members_active"), number(port, "members"));
	}
}

static double
real(json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

/* busy: of the last second. The rest is where the time went since the start. */
static void
print_workers(json_t *workers)
{
	json_t *worker;
	size_t i;

	printf("\n%-18s %4s %4s %6s %6s %8s %8s %10s %8s %14s\n", "worker", "core", "node", "idle",
		"busy", "poll", "decode", "housekeep", "idle", "longest gap");
	json_array_foreach(workers, i, worker)
	{
		json_t *seconds = json_object_get(worker, "seconds");
		double poll = real(seconds, "poll"), decode = real(seconds, "decode"),
		       housekeep = real(seconds, "housekeep"), idle = real(seconds, "idle"),
		       all = poll + decode + housekeep + idle, share = all > 0 ? 100 / all : 0;

		printf("%-18s %4lld ", text(worker, "name"), number(worker, "core"));
		if (json_object_get(worker, "node") != NULL)
			printf("%4lld ", number(worker, "node"));
		else
			printf("%4s ", "-");
		printf("%6s %5.1f%% %7.1f%% %7.1f%% %9.1f%% %7.1f%% %11.3f ms\n",
			text(worker, "idle"), 100 * real(worker, "busy"), poll * share,
			decode * share, housekeep * share, idle * share,
			1000 * real(worker, "poll_gap_max_s"));
	}
}

static void
print_ports(json_t *ports)
{
	json_t *port, *share;
	size_t i, j;

	if (json_array_size(ports) != 0)
		printf("\n%-18s %-14s %-16s %s\n", "port", "driver", "queues", "hash");
	json_array_foreach(ports, i, port)
	{
		char queues[48];

		snprintf(queues, sizeof(queues), "%lld of %lld", number(port, "queues_granted"),
			number(port, "queues_wanted"));
		printf("%-18s %-14s %-16s %s (wanted: %s)\n", text(port, "name"),
			text(port, "driver"), queues, text(port, "hash_granted"),
			text(port, "hash_wanted"));
		json_array_foreach(json_object_get(port, "shares"), j,
			share) printf("  %-16s queue %-8lld %-16s %14lld frames\n",
			text(share, "worker"), number(share, "queue"),
			json_is_true(json_object_get(share, "steered")) ? "steered" : "polled",
			number(share, "frames"));
	}
}

static double
mebibytes(json_t *object, const char *key)
{
	return (double)number(object, key) / (1 << 20);
}

static void
print_memory(json_t *memory)
{
	json_t *account;
	size_t i;

	printf("%-18s %.1f MiB, ceiling %.1f MiB\n", "intake memory", mebibytes(memory, "resident"),
		mebibytes(memory, "ceiling"));
	printf("\n%-18s %14s %14s %14s %14s\n", "intake, MiB", "used", "peak", "reserve", "cap");
	json_array_foreach(json_object_get(memory, "accounts"), i, account)
		printf("%-18s %14.1f %14.1f %14.1f %14.1f\n", text(account, "name"),
			mebibytes(account, "used"), mebibytes(account, "peak"),
			mebibytes(account, "reserve"), mebibytes(account, "cap"));
}

void
view_status(json_t *status)
{
	json_t *item;
	size_t i;

	printf("%-18s %s\n", "state", text(status, "state"));
	printf("%-18s %s\n", "version", text(status, "version"));
	printf("%-18s ", "uptime");
	print_duration(number(status, "uptime_s"));
	printf("\n%-18s %lld\n", "config generation", number(status, "config_generation"));
	printf("%-18s %lld\n", "workers", number(status, "workers"));
	printf("%-18s %lld\n", "contexts", number(status, "contexts"));
	printf("%-18s %.1f of %.1f MiB\n", "context memory",
		(double)number(status, "context_bytes") / (1 << 20),
		(double)number(status, "context_bytes_max") / (1 << 20));
	print_memory(json_object_get(status, "intake_memory"));
	print_workers(json_object_get(status, "by_worker"));
	printf("\n%-18s %s\n", "listener", "address");
	json_array_foreach(json_object_get(status, "listeners"), i, item)
		printf("%-18s %s\n", text(item, "name"), text(item, "address"));
	print_ports(json_object_get(status, "ports"));
	print_links(json_object_get(status, "ports"));
	printf("\n%-18s %14s %14s %14s %14s\n", "output", "points", "delivered", "queued",
		"dropped");
	json_array_foreach(json_object_get(status, "outputs"), i, item) printf(
		"%-18s %14lld %14lld %14lld %14lld\n", text(item, "name"), number(item, "points"),
		number(item, "delivered"), number(item, "queued"), number(item, "dropped"));
}

/* "dropped.no_mbuf": groups are objects of counts. */
static void
print_group(const char *group, json_t *counts)
{
	const char *key;
	json_t *count;

	json_object_foreach(counts, key, count)
	{
		char name[96];

		if (json_integer_value(count) == 0)
			continue;
		snprintf(name, sizeof(name), "%s.%s", group, key);
		printf("  %-36s %20lld\n", name, (long long)json_integer_value(count));
	}
}

static void
print_level(const char *name, json_t *level)
{
	const char *key;
	json_t *member;

	printf("\n%s\n", name);
	json_object_foreach(level, key, member)
	{
		if (json_is_object(member))
			print_group(key, member);
		else if (json_integer_value(member) != 0 || strcmp(key, "received") == 0 ||
			strcmp(key, "points") == 0)
			printf("  %-36s %20lld\n", key, (long long)json_integer_value(member));
	}
}

void
view_ledger(json_t *ledger)
{
	const char *key;
	json_t *member;

	json_object_foreach(ledger, key, member)
	{
		const char *output;
		json_t *counts;

		if (!json_is_object(member))
			continue;
		if (strcmp(key, "outputs") != 0) {
			print_level(key, member);
			continue;
		}
		json_object_foreach(member, output, counts)
		{
			char name[96];

			snprintf(name, sizeof(name), "output %s", output);
			print_level(name, counts);
		}
	}
	if (json_is_true(json_object_get(ledger, "balanced")))
		printf("\nbalanced: all that was received is accounted for\n");
	else
		printf("\nNOT BALANCED: the difference is %lld\n", number(ledger, "difference"));
}

void
view_rejects(json_t *reply)
{
	json_t *reject;
	size_t i;

	json_array_foreach(json_object_get(reply, "rejects"), i, reject)
		printf("%s  %-22s %-12s %6lld  %s\n", text(reject, "time"), text(reject, "reason"),
			text(reject, "listener"), number(reject, "size"), text(reject, "line"));
}
