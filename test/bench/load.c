/* SPDX-License-Identifier: BSD-3-Clause */
#include "load.h"

#include <stdlib.h>

#include "measure.h"
#include "penstock-load/line.h"
#include "penstock-load/sender.h"
#include "random.h"

const struct load_options load_table[] = {
	{"4 tags", 4, 18, 4, {[SERIES_COUNTER] = 1}, 0, 0, 0, 0},
	{"1 line", 1, 1, 4, {[SERIES_COUNTER] = 1}, 0, 0, 0, 0},
	{"20 tags", 4, 4, 20, {[SERIES_COUNTER] = 1}, 0, 0, 0, 0},
	{"mix", 4, 18, 4, {60, 20, 20, 0, 0, 0}, 0.2, 0, 0, 0},
	{"hard mix", 4, 18, 4, {1, 1, 1, 1, 1, 1}, 0.2, 0.2, 0.1, 0.01},
	{0},
};

static void
init_profile(struct profile *profile, const struct load_options *options, uint64_t seed)
{
	struct profile_options wanted = {
		.seed = seed,
		.n_contexts = LOAD_SERIES,
		.naming = {.prefix = "m", .n_tags = options->n_tags},
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

void
load_init(struct load *load, const struct load_options *options, uint64_t seed)
{
	uint32_t n_lines = options->rounds * LOAD_SERIES;
	uint32_t order[LOAD_SERIES];
	struct profile profile;
	uint8_t *at;

	init_profile(&profile, options, seed);
	*load = (struct load){.options = options};
	load->text = calloc(n_lines * line_size_max(&profile.options), 1);
	load->payloads = calloc(n_lines, sizeof(*load->payloads));
	load->parts = calloc(n_lines, sizeof(*load->parts));
	if (load->text == NULL || load->payloads == NULL || load->parts == NULL)
		measure_fail("no memory for the load");
	at = load->text;
	for (uint32_t i = 0; i < LOAD_SERIES; i++)
		order[i] = i;
	for (uint32_t i = 0; i < n_lines; i++) {
		struct line line;
		uint8_t *end;

		if (i % LOAD_SERIES == 0)
			random_shuffle(&seed, order, LOAD_SERIES);
		profile_line(&profile, i - i % LOAD_SERIES + order[i % LOAD_SERIES], &line);
		end = (uint8_t *)line_write(&profile, &line, (char *)at);
		*end++ = '\n';
		add_line(load, span_of(at, (size_t)(end - at)), &line);
		at = end;
	}
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
