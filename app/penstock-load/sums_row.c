/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstock-load/sums_row.h"

#include <errno.h>
#include <stdlib.h>

#include "penstock-load/digits.h"

#define BUFFER_SIZE (64 << 10) /* bytes of rows that are written at once */
#define BIN_N_MAX 65535 /* a bin holds no more; a key with more repeats */

void
sums_row_init(struct sums_row *row, const struct series_naming *naming, const char *host,
	FILE *file)
{
	*row = (struct sums_row){.file = file, .naming = naming, .host = host};
}

void
sums_row_done(struct sums_row *row)
{
	json_done(&row->json);
}

void
sums_row_begin(struct sums_row *row, const char *type)
{
	json_object_begin(&row->json);
	sums_row_text(row, "type", type);
}

void
sums_row_begin_series(struct sums_row *row, const char *output_type, uint32_t context,
	enum series_type type, const char *suffix)
{
	char name[SERIES_NAME_MAX + 16], *end;

	end = series_write_name(row->naming, context, type, name);
	end = digits_append(end, suffix, strlen(suffix));
	sums_row_begin(row, output_type);
	json_key_span(&row->json, "name", span_of(name, (size_t)(end - name)));
	sums_row_host(row, "");
	sums_row_tags(row, context);
}

void
sums_row_text(struct sums_row *row, const char *key, const char *value)
{
	json_key_text(&row->json, key, value);
}

void
sums_row_timestamp(struct sums_row *row, int64_t timestamp)
{
	if (timestamp == 0)
		return;
	json_key_int(&row->json, "ts", timestamp);
}

void
sums_row_host(struct sums_row *row, const char *host)
{
	sums_row_text(row, "host", host[0] != '\0' ? host : row->host);
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

void
sums_row_tags(struct sums_row *row, uint32_t context)
{
	char tag[SERIES_TAGS_MAX][SERIES_TAG_MAX + 1];
	uint32_t n = row->naming->n_tags;

	for (uint32_t i = 0; i < n; i++)
		*series_write_tag(context, i, tag[i]) = '\0';
	qsort(tag, n, sizeof(tag[0]), by_text);
	json_key(&row->json, "tags");
	json_array_begin(&row->json);
	for (uint32_t i = 0; i < n; i++)
		json_text(&row->json, tag[i]);
	json_array_end(&row->json);
}

void
sums_row_value(struct sums_row *row, double value)
{
	json_key_double(&row->json, "value", value);
}

/* A key's remainder comes first, then its full bins. */
static void
write_bins(struct json *json, const struct bins *bins, bool is_keys)
{
	json_array_begin(json);
	for (uint32_t i = 0; i < bins->n; i++) {
		uint64_t n = bins->bin[i].n;
		uint64_t rest = n % BIN_N_MAX;

		if (rest != 0) {
			if (is_keys)
				json_int(json, bins->bin[i].key);
			else
				json_uint(json, rest);
		}
		for (n /= BIN_N_MAX; n > 0; n--) {
			if (is_keys)
				json_int(json, bins->bin[i].key);
			else
				json_uint(json, BIN_N_MAX);
		}
	}
	json_array_end(json);
}

void
sums_row_sketch(struct sums_row *row, const struct bins *bins, double sum, double min, double max)
{
	struct json *json = &row->json;
	uint64_t count = 0;

	for (uint32_t i = 0; i < bins->n; i++)
		count += bins->bin[i].n;
	json_key(json, "sketch");
	json_object_begin(json);
	json_key_uint(json, "count", count);
	json_key_double(json, "sum", sum);
	json_key_double(json, "min", min);
	json_key_double(json, "max", max);
	json_key_double(json, "avg", sum / (double)count);
	json_key(json, "k");
	write_bins(json, bins, true);
	json_key(json, "n");
	write_bins(json, bins, false);
	json_object_end(json);
}

static void
write_out(struct sums_row *row)
{
	if (row->json.size != 0 && fwrite(row->json.text, row->json.size, 1, row->file) != 1)
		row->has_failed = true;
	json_reset(&row->json);
}

void
sums_row_end(struct sums_row *row)
{
	json_object_end(&row->json);
	json_newline(&row->json);
	if (row->json.size >= BUFFER_SIZE && !row->json.failed)
		write_out(row);
}

int
sums_row_flush(struct sums_row *row)
{
	if (row->json.failed)
		return -ENOMEM;
	write_out(row);
	if (fflush(row->file) != 0 || row->has_failed)
		return -EIO;
	return 0;
}
