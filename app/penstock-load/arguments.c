/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstock-load/arguments.h"

#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "penstock-load/line.h"
#include "penstock-load/replay.h"

#define LINES_DEFAULT 100000

/* Everything as it stands on the command line; arguments_parse makes the plan of it. */
struct raw {
	const char *to, *types, *prefix, *bursts, *sums, *host;
	const char *ip_source, *ip_destination, *mac_source, *mac_destination;
	uint64_t lines, contexts, tags, datagram_size, lines_per_datagram, seed, timeout, port,
		timestamps_from, confirmations;
	const char *ledger;
	double trial_seconds, confirm_seconds, rate_min, rate_max, resolution;
	double seconds, rate, packed, sampled, malformed, events, checks, timestamped, reordered;
	bool gso;
};

enum option_kind {
	OPTION_TEXT,
	OPTION_COUNT, /* a whole number */
	OPTION_SHARE, /* 0 to 1 */
	OPTION_NUMBER, /* a real number of at least 0 */
	OPTION_FLAG,
};

struct option_row {
	const char *name;
	enum option_kind kind;
	size_t offset; /* of its place in struct raw */
	uint64_t max; /* of a count */
	const char *value, *help;
};

#define ROW(name, kind, field, max, value, help) \
	{ \
		name, OPTION_##kind, offsetof(struct raw, field), max, value, help \
	}

/* The order is that of --help. */
static const struct option_row option_table[] = {
	ROW("to", TEXT, to, 0, "SENDER:TARGET", "where to send; see below"),
	ROW("lines", COUNT, lines, UINT64_MAX, "N", "end after N lines (100000)"),
	ROW("seconds", NUMBER, seconds, 0, "S", "end after S seconds"),
	ROW("rate", NUMBER, rate, 0, "N", "lines a second; 0 is as fast as possible (0)"),
	ROW("bursts", TEXT, bursts, 0, "N:MS", "bursts of N lines that start every MS ms"),
	ROW("contexts", COUNT, contexts, PROFILE_CONTEXTS_MAX, "N", "different series (1000)"),
	ROW("tags", COUNT, tags, SERIES_TAGS_MAX, "N", "tags of each series (0)"),
	ROW("types", TEXT, types, 0, "LIST", "types and weights, as c=60,g=20,ms=20 (all alike)"),
	ROW("packed", SHARE, packed, 0, "SHARE", "metric lines with 2 to 8 values (0)"),
	ROW("sampled", SHARE, sampled, 0, "SHARE", "metric lines with a sample rate (0)"),
	ROW("timestamped", SHARE, timestamped, 0, "SHARE",
		"counters and gauges with a timestamp of their own (0)"),
	ROW("timestamps-from", COUNT, timestamps_from, UINT32_MAX, "SECONDS",
		"the first of these timestamps (1700000000)"),
	ROW("reordered", SHARE, reordered, 0, "SHARE",
		"metric lines with tags in another order and one twice (0)"),
	ROW("malformed", SHARE, malformed, 0, "SHARE", "lines to be rejected, of 20 kinds (0)"),
	ROW("events", SHARE, events, 0, "SHARE", "lines that are events (0)"),
	ROW("checks", SHARE, checks, 0, "SHARE", "lines that are service checks (0)"),
	ROW("name-prefix", TEXT, prefix, 0, "TEXT", "put before every name (load.)"),
	ROW("seed", COUNT, seed, UINT64_MAX, "N", "the same seed gives the same lines (1)"),
	ROW("datagram-size", COUNT, datagram_size, UINT32_MAX, "BYTES",
		"of a datagram at most (1432; 8192 for Unix sockets)"),
	ROW("lines-per-datagram", COUNT, lines_per_datagram, UINT32_MAX, "N",
		"of a datagram at most; 0 is as many as fit (0)"),
	ROW("gso", FLAG, gso, 0, NULL,
		"udp: let the kernel cut datagrams; they are filled up with empty lines"),
	ROW("timeout", COUNT, timeout, 86400000, "MS",
		"how long a send may block, or a DPDK link be down (1000)"),
	ROW("sums", TEXT, sums, 0, "FILE", "write what an intake must put out"),
	ROW("host", TEXT, host, 0, "NAME", "the intake's host name in --sums (this machine's)"),
	ROW("udp-port", COUNT, port, UINT16_MAX, "N", "pcap, dpdk: destination port (8125)"),
	ROW("ip-source", TEXT, ip_source, 0, "ADDRESS", "pcap, dpdk: IPv4 (198.18.0.1)"),
	ROW("ip-destination", TEXT, ip_destination, 0, "ADDRESS", "pcap, dpdk: IPv4 (198.18.0.2)"),
	ROW("mac-source", TEXT, mac_source, 0, "ADDRESS", "pcap, dpdk (02:00:00:00:00:01)"),
	ROW("mac-destination", TEXT, mac_destination, 0, "ADDRESS",
		"pcap, dpdk (02:00:00:00:00:02)"),
	ROW("ledger", TEXT, ledger, 0, "SOCKET", "search: admin socket of the penstockd"),
	ROW("trial-seconds", NUMBER, trial_seconds, 0, "S", "search: length of a trial (3)"),
	ROW("confirm-seconds", NUMBER, confirm_seconds, 0, "S",
		"search: length of the last trial (60)"),
	ROW("confirmations", COUNT, confirmations, 10, "N",
		"search: such trials at most, each a little slower (3)"),
	ROW("rate-min", NUMBER, rate_min, 0, "N", "search: lines a second (0)"),
	ROW("rate-max", NUMBER, rate_max, 0, "N",
		"search: lines a second; 0 is a tenth above saturation (0)"),
	ROW("resolution", SHARE, resolution, 0, "SHARE", "search: of the rate (0.005)"),
};

#define N_OPTIONS ARRAY_LENGTH(option_table)

static const struct raw raw_default = {
	.types = "c,g,ms,h,s,d",
	.prefix = "load.",
	.ip_source = "198.18.0.1", /* for benchmarks (RFC 2544) */
	.ip_destination = "198.18.0.2",
	.mac_source = "02:00:00:00:00:01", /* locally administered */
	.mac_destination = "02:00:00:00:00:02",
	.contexts = 1000,
	.seed = 1,
	.timeout = 1000,
	.port = 8125,
	.timestamps_from = 1700000000,
	.trial_seconds = 3,
	.confirm_seconds = 60,
	.confirmations = 3,
	.resolution = 0.005,
};

static int refuse(const char *format, ...) printf_like(1, 2);

static int
refuse(const char *format, ...)
{
	va_list arguments;

	fputs("penstock-load: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	return EX_USAGE;
}

static void
print_help(void)
{
	puts("Usage: penstock-load --to SENDER:TARGET [OPTION]...\n"
	     "       penstock-load search --to SENDER:TARGET --ledger SOCKET [OPTION]...\n"
	     "Sends a load of DogStatsD lines and says as one JSON object what was sent; or "
	     "searches "
	     "the highest\nrate at which a penstockd loses nothing.\n");
	for (unsigned i = 0; i < N_OPTIONS; i++) {
		const struct option_row *row = &option_table[i];
		int width = printf("  --%s%s%s", row->name, row->value != NULL ? " " : "",
			row->value != NULL ? row->value : "");

		printf("%*s%s\n", width < 32 ? 32 - width : 1, "", row->help);
	}
	puts("  --help                        print this\n"
	     "  --version                     print the version\n\n"
	     "Senders:");
	for (unsigned i = 0; sender_at(i) != NULL; i++)
		printf("  %s:%s\n", sender_at(i)->scheme, sender_at(i)->help);
	puts("\nExamples:\n"
	     "  penstock-load --to udp:127.0.0.1:8125 --seconds 10 --rate 100000\n"
	     "  penstock-load --to uds:/run/penstock/dsd.socket --lines 1000000 --sums "
	     "sums.ndjson\n"
	     "  penstock-load --to dpdk:net_memif0,role=client,socket-abstract=no,"
	     "socket=/run/penstock/memif.sock");
}

static int
set_count(const struct option_row *row, const char *text, uint64_t *ret_count)
{
	char *end;
	unsigned long long value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value > row->max)
		return refuse("--%s takes a whole number from 0 to %llu, not \"%s\".", row->name,
			(unsigned long long)row->max, text);
	*ret_count = value;
	return 0;
}

static int
set_number(const struct option_row *row, const char *text, double *ret_number)
{
	double max = row->kind == OPTION_SHARE ? 1 : 1e12, value;
	char *end;

	value = strtod(text, &end);
	if (end == text || *end != '\0' || !(value >= 0 && value <= max))
		return refuse("--%s takes a number from 0 to %g, not \"%s\".", row->name, max,
			text);
	*ret_number = value;
	return 0;
}

static int
set_option(struct raw *raw, const struct option_row *row, const char *text)
{
	void *place = (char *)raw + row->offset;

	switch (row->kind) {
	case OPTION_TEXT:
		*(const char **)place = text;
		return 0;
	case OPTION_COUNT:
		return set_count(row, text, place);
	case OPTION_FLAG:
		*(bool *)place = true;
		return 0;
	default:
		return set_number(row, text, place);
	}
}

static int
read_command_line(struct raw *raw, int argc, char **argv)
{
	struct option options[N_OPTIONS + 3] = {0};
	int index, code, result = 0;

	for (unsigned i = 0; i < N_OPTIONS; i++)
		options[i] = (struct option){option_table[i].name,
			option_table[i].kind == OPTION_FLAG ? no_argument : required_argument, NULL,
			0};
	options[N_OPTIONS] = (struct option){"help", no_argument, NULL, 'h'};
	options[N_OPTIONS + 1] = (struct option){"version", no_argument, NULL, 'v'};
	opterr = 0;
	while (result == 0 && (code = getopt_long(argc, argv, ":", options, &index)) != -1) {
		if (code == 'h') {
			print_help();
			return -1;
		}
		if (code == 'v') {
			puts("penstock-load " PENSTOCK_VERSION);
			return -1;
		}
		if (code == ':')
			result = refuse("%s needs a value.", argv[optind - 1]);
		else if (code != 0)
			result = refuse("There is no option %s; see --help.", argv[optind - 1]);
		else
			result = set_option(raw, &option_table[index], optarg);
	}
	if (result == 0 && optind < argc)
		result = refuse("\"%s\" is not an option; see --help.", argv[optind]);
	return result;
}

/* One of "c=60,g=20": sets the weight of its type. */
static int
parse_type(const char *item, size_t size, uint32_t *weight)
{
	for (unsigned i = 0; i < SERIES_TYPE_COUNT; i++) {
		const char *name = series_type_text[i];
		size_t name_size = strlen(name);
		unsigned long value = 1;
		char *end = (char *)item + name_size;

		if (size < name_size || strncmp(item, name, name_size) != 0 ||
			(size > name_size && item[name_size] != '='))
			continue;
		if (size > name_size)
			value = strtoul(item + name_size + 1, &end, 10);
		if (end != item + size || value > 1000000)
			break;
		weight[i] = (uint32_t)value;
		return 0;
	}
	return refuse("--types: \"%.*s\" is not a type (c g ms h s d) with a weight, as c=60.",
		(int)size, item);
}

static int
parse_types(const char *list, uint32_t *weight)
{
	uint64_t total = 0;

	while (*list != '\0') {
		size_t size = strcspn(list, ",");
		int result = parse_type(list, size, weight);

		if (result != 0)
			return result;
		list += size + (list[size] == ',');
	}
	for (unsigned i = 0; i < SERIES_TYPE_COUNT; i++)
		total += weight[i];
	return total != 0 ? 0 : refuse("--types needs a type with a weight above 0.");
}

static int
parse_bursts(const char *text, struct pace *pace)
{
	unsigned long long count, gap;
	char rest;

	if (text == NULL)
		return 0;
	if (sscanf(text, "%llu:%llu%c", &count, &gap, &rest) != 2 || strchr(text, '-') != NULL ||
		count == 0 || gap > 86400000)
		return refuse("--bursts takes lines and ms, as 10000:500, not \"%s\".", text);
	pace->burst = count;
	pace->gap = gap * NS_PER_MS;
	return 0;
}

static int
parse_mac(const char *name, const char *text, uint8_t mac[6])
{
	char rest;

	if (sscanf(text, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx%c", &mac[0], &mac[1], &mac[2],
		    &mac[3], &mac[4], &mac[5], &rest) != 6)
		return refuse("--%s: \"%s\" is not a MAC address.", name, text);
	return 0;
}

static int
parse_ip(const char *name, const char *text, uint8_t ip[4])
{
	if (inet_pton(AF_INET, text, ip) != 1)
		return refuse("--%s: \"%s\" is not an IPv4 address.", name, text);
	return 0;
}

static int
plan_envelope(const struct raw *raw, struct envelope_options *envelope)
{
	int result = parse_mac("mac-source", raw->mac_source, envelope->mac_source);

	if (result == 0)
		result = parse_mac("mac-destination", raw->mac_destination,
			envelope->mac_destination);
	if (result == 0)
		result = parse_ip("ip-source", raw->ip_source, envelope->ip_source);
	if (result == 0)
		result = parse_ip("ip-destination", raw->ip_destination, envelope->ip_destination);
	envelope->port = (uint16_t)raw->port;
	return result;
}

static int
plan_profile(const struct raw *raw, struct profile_options *profile)
{
	size_t prefix_size = strlen(raw->prefix);

	*profile = (struct profile_options){
		.seed = raw->seed,
		.n_contexts = (uint32_t)raw->contexts,
		.naming = {raw->prefix, (uint32_t)raw->tags},
		.malformed = raw->malformed,
		.events = raw->events,
		.checks = raw->checks,
		.packed = raw->packed,
		.sampled = raw->sampled,
		.timestamped = raw->timestamped,
		.reordered = raw->tags != 0 ? raw->reordered : 0,
		.timestamps_from = (int64_t)raw->timestamps_from,
	};
	if (raw->contexts == 0)
		return refuse("--contexts must be at least 1.");
	if (raw->timestamps_from == 0)
		return refuse("--timestamps-from must be at least 1.");
	if (prefix_size == 0 || prefix_size > SERIES_PREFIX_MAX ||
		strspn(raw->prefix,
			"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			"0123456789._-") != prefix_size)
		return refuse("--name-prefix takes 1 to %d letters, digits, '.', '_' and '-'.",
			SERIES_PREFIX_MAX);
	if (raw->malformed + raw->events + raw->checks > 1)
		return refuse("--malformed, --events and --checks together are more than 1.");
	return parse_types(raw->types, profile->type_weight);
}

static int
plan_packing(struct arguments *arguments, const struct raw *raw)
{
	const struct sender_driver *driver = arguments->driver;
	size_t line_max = line_size_max(&arguments->profile);
	uint64_t size = raw->datagram_size != 0 ? raw->datagram_size : driver->datagram_size;

	if (size > driver->datagram_size_max)
		return refuse("--datagram-size: %s takes at most %u bytes.", driver->scheme,
			driver->datagram_size_max);
	if (size < line_max)
		return refuse("--datagram-size: one line of this load may need %zu bytes.",
			line_max);
	if (raw->gso && strcmp(driver->scheme, "udp") != 0)
		return refuse("--gso is for udp only.");
	arguments->packing = (struct packing){.size = (uint32_t)size,
		.n_lines = (uint32_t)raw->lines_per_datagram,
		.is_padded = raw->gso};
	arguments->sender.datagram_size = (uint32_t)size;
	arguments->sender.has_segments = raw->gso;
	arguments->sender.timeout = (int)raw->timeout;
	arguments->sender.epoch = (int64_t)raw->timestamps_from;
	return 0;
}

static int
plan_work(struct arguments *arguments, const struct raw *raw)
{
	arguments->duration = (uint64_t)llround(raw->seconds * (double)NS_PER_S);
	arguments->n_lines = raw->lines;
	if (raw->lines == 0)
		arguments->n_lines = raw->seconds > 0 ? UINT64_MAX : LINES_DEFAULT;
	arguments->pace.rate = raw->rate;
	if (arguments->driver->is_timeless && raw->lines == 0 && raw->seconds > 0 &&
		raw->rate == 0 && raw->bursts == NULL)
		return refuse("--seconds with %s needs --rate or --bursts: nothing waits there.",
			arguments->driver->scheme);
	if (raw->timeout == 0)
		return refuse("--timeout must be at least 1.");
	return parse_bursts(raw->bursts, &arguments->pace);
}

static int
plan_search(struct arguments *arguments, const struct raw *raw)
{
	const char *scheme = arguments->driver->scheme;

	if (!arguments->is_search)
		return raw->ledger == NULL
			? 0
			: refuse("--ledger is for \"penstock-load search\" only.");
	if (raw->ledger == NULL)
		return refuse("search needs --ledger, the admin socket of the penstockd.");
	if (arguments->driver->is_timeless || strcmp(scheme, "uds-stream") == 0)
		return refuse("search works with udp, uds and dpdk, not with %s.", scheme);
	if (raw->rate > 0 || raw->bursts != NULL || raw->lines > 0 || raw->seconds > 0 ||
		raw->sums != NULL)
		return refuse("search sets the rate and the time: leave out --rate, --bursts, "
			      "--lines, --seconds and --sums.");
	if (raw->contexts > REPLAY_CONTEXTS_MAX)
		return refuse("search takes at most %d --contexts.", REPLAY_CONTEXTS_MAX);
	if (raw->trial_seconds == 0 || raw->confirm_seconds == 0 || raw->resolution < 0.0001 ||
		(raw->rate_max != 0 && raw->rate_max <= raw->rate_min))
		return refuse("search needs trials longer than 0 s, a --resolution of at least "
			      "0.0001 and --rate-max above --rate-min.");
	arguments->ledger = raw->ledger;
	arguments->sender.keeps_pace = true;
	arguments->search = (struct search_conf){
		.rate_min = raw->rate_min,
		.rate_max = raw->rate_max,
		.resolution = raw->resolution,
		.trial_seconds = raw->trial_seconds,
		.confirm_seconds = raw->confirm_seconds,
		.confirmations = (unsigned)raw->confirmations,
	};
	return 0;
}

int
arguments_parse(struct arguments *arguments, int argc, char **argv)
{
	struct raw raw = raw_default;
	int is_search = argc > 1 && strcmp(argv[1], "search") == 0;
	int result = read_command_line(&raw, argc - is_search, argv + is_search);

	if (result != 0)
		return result;
	*arguments = (struct arguments){.sums = raw.sums, .is_search = is_search};
	if (raw.to == NULL)
		return refuse("--to is missing; see --help.");
	arguments->driver = sender_find(raw.to, &arguments->target);
	if (arguments->driver == NULL)
		return refuse("--to: there is no sender for \"%s\"; see --help.", raw.to);
	if (raw.host != NULL)
		snprintf(arguments->host, sizeof(arguments->host), "%s", raw.host);
	else
		gethostname(arguments->host, sizeof(arguments->host) - 1);
	result = plan_profile(&raw, &arguments->profile);
	if (result == 0)
		result = plan_packing(arguments, &raw);
	if (result == 0)
		result = plan_work(arguments, &raw);
	if (result == 0)
		result = plan_envelope(&raw, &arguments->sender.envelope);
	if (result == 0)
		result = plan_search(arguments, &raw);
	return result;
}
