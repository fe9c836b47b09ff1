/* SPDX-License-Identifier: BSD-3-Clause */
#include "load.h"

#include <stdlib.h>

#include "dsd/burst.h"
#include "measure.h"
#include "penstock-load/line.h"
#include "penstock-load/sender.h"
#include "random.h"

#define COUNTERS(label, series, n_rounds, n_lines, tags) \
	{ \
		.name = label, .n_series = series, .rounds = n_rounds, \
		.lines_per_payload = n_lines, .n_tags = tags, .type_weight[SERIES_COUNTER] = 1 \
	}

const struct load_options load_table[] = {
	COUNTERS("4 tags", LOAD_SERIES, 4, 18, 4),
	COUNTERS("1 line", LOAD_SERIES, 1, 1, 4),
	COUNTERS("2 tags", LOAD_SERIES, 4, 26, 2),
	COUNTERS("5 tags", LOAD_SERIES, 4, 15, 5),
	COUNTERS("20 tags", LOAD_SERIES, 4, 4, 20),
	{
		.name = "mix",
		.n_series = LOAD_SERIES,
		.rounds = 4,
		.lines_per_payload = 18,
		.n_tags = 4,
		.type_weight = {60, 20, 20, 0, 0, 0},
		.packed = 0.2,
	},
	{
		.name = "hard mix",
		.n_series = LOAD_SERIES,
		.rounds = 4,
		.lines_per_payload = 18,
		.n_tags = 4,
		.type_weight = {1, 1, 1, 1, 1, 1},
		.packed = 0.2,
		.sampled = 0.2,
		.reordered = 0.1,
		.malformed = 0.01,
	},
	{0},
};

struct load_options
load_many(const char *name, uint32_t n_series, uint32_t rounds)
{
	return (struct load_options)COUNTERS(name, n_series, rounds, 18, 4);
}

static void
init_profile(struct profile *profile, const struct load_options *options, uint64_t seed)
{
	struct profile_options wanted = {
		.seed = seed,
		.n_contexts = options->n_series,
		.naming = {.prefix = options->prefix != NULL ? options->prefix : "m",
			.n_tags = options->n_tags},
		.packed = options->packed,
		.sampled = options->sampled,
		.reordered = options->reordered,
		.malformed = options->malformed,
		.timestamps_from = 1,
	};

	memcpy(wanted.type_weight, options->type_weight, sizeof(wanted.type_weight));
	profile_init(profile, &wanted);
}

static void
count_line(struct load_part *part, const struct line *line)
{
	part->n_lines++;
	part->n_malformed += line->kind == LINE_MALFORMED;
	if (line->kind != LINE_METRIC)
		return;
	part->n_samples += line->n_values;
	for (uint32_t i = 0; i < line->n_values && line->type != SERIES_SET; i++)
		part->sum += (double)line->values[i] / EIGHTHS;
}

static void
add_part(struct load_part *sum, const struct load_part *part, uint64_t times)
{
	sum->n_lines += times * part->n_lines;
	sum->n_malformed += times * part->n_malformed;
	sum->n_samples += times * part->n_samples;
	sum->sum += (double)times * part->sum;
}

void
load_add(struct load_part *sum, const struct load_part *part)
{
	add_part(sum, part, 1);
}

/* Begins a payload when the last one is full. */
static void
add_line(struct load *load, struct span text, const struct line *line)
{
	uint32_t i = load->n_payloads;

	if (i == 0 || load->parts[i - 1].n_lines == load->options->lines_per_payload ||
		load->payloads[i - 1].size + text.size > LOAD_PAYLOAD_MAX)
		load->payloads[load->n_payloads++] = span_of(text.data, 0);
	i = load->n_payloads - 1;
	load->payloads[i].size += text.size;
	count_line(&load->parts[i], line);
}

static void
allocate(struct load *load, const struct profile *profile)
{
	size_t n_lines = (size_t)load->options->rounds * load->options->n_series;

	load->text = calloc(n_lines * line_size_max(&profile->options) + BURST_TAILROOM, 1);
	load->payloads = calloc(n_lines, sizeof(*load->payloads));
	load->parts = calloc(n_lines, sizeof(*load->parts));
	if (load->text == NULL || load->payloads == NULL || load->parts == NULL)
		measure_fail("no memory for the load");
}

/* Series in random order, each once in a round. Ends the program when there is no memory. */
static uint32_t *
make_order(uint32_t n)
{
	uint32_t *order = malloc(n * sizeof(*order));

	if (order == NULL)
		measure_fail("no memory for the load");
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	return order;
}

static void
write_lines(struct load *load, const struct profile *profile, uint64_t seed)
{
	const struct load_options *options = load->options;
	uint32_t n_series = options->n_series, *order = make_order(n_series);
	uint8_t *at = load->text;

	for (uint32_t i = 0; i < options->rounds * n_series; i++) {
		struct line line;
		uint8_t *end;

		if (i % n_series == 0)
			random_shuffle(&seed, order, n_series);
		profile_line(profile, i - i % n_series + order[i % n_series], &line);
		if (options->first_timestamp != 0)
			line.timestamp = options->first_timestamp + i / n_series;
		end = (uint8_t *)line_write(profile, &line, (char *)at);
		*end++ = '\n';
		add_line(load, span_of(at, (size_t)(end - at)), &line);
		at = end;
	}
	free(order);
}

void
load_init(struct load *load, const struct load_options *options, uint64_t seed)
{
	struct profile profile;

	init_profile(&profile, options, seed);
	*load = (struct load){.options = options};
	allocate(load, &profile);
	write_lines(load, &profile, seed);
	for (uint32_t i = 0; i < load->n_payloads; i++)
		add_part(&load->total, &load->parts[i], 1);
}

void
load_done(struct load *load)
{
	free(load->text);
	free(load->payloads);
	free(load->parts);
}

bool
load_is_plain(const struct load *load)
{
	const struct load_options *options = load->options;

	for (unsigned i = 0; i < SERIES_TYPE_COUNT; i++)
		if (i != SERIES_COUNTER && options->type_weight[i] != 0)
			return false;
	return options->sampled == 0 && options->malformed == 0;
}

struct load_part
load_sent(const struct load *load, uint64_t n)
{
	struct load_part sent = {0};

	add_part(&sent, &load->total, n / load->n_payloads);
	for (uint64_t i = 0; i < n % load->n_payloads; i++)
		add_part(&sent, &load->parts[i], 1);
	return sent;
}

void
load_write_pcap(const struct load *load, const char *path)
{
	const struct sender_options options = {
		.datagram_size = LOAD_PAYLOAD_MAX,
		.epoch = 1,
		.envelope =
			{
				.mac_source = {2, 0, 0, 0, 0, 1}, /* locally administered */
				.mac_destination = {2, 0, 0, 0, 0, 2},
				.ip_source = {198, 18, 0, 1}, /* for benchmarks (RFC 2544) */
				.ip_destination = {198, 18, 0, 2},
				.port = 8125,
			},
	};
	const struct sender_driver *driver = sender_find("pcap:", &(const char *){NULL});
	struct error error;
	void *state;

	if (driver->open(path, &options, &state, &error) != 0)
		measure_fail("%s", error.text);
	for (uint32_t i = 0; i < load->n_payloads; i++) {
		struct datagram datagram = {
			.data = (char *)load->payloads[i].data,
			.size = (uint32_t)load->payloads[i].size,
			.number = i,
		};

		driver->send(state, &datagram, 1);
		if (datagram.error != 0)
			measure_fail("%s: %s", path, strerror(datagram.error));
	}
	if (driver->close(state) != 0)
		measure_fail("%s could not be written", path);
}
