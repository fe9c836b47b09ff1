/* SPDX-License-Identifier: BSD-3-Clause */
/* One row of the expected sums, in the form of the file output. */
#ifndef PENSTOCK_LOAD_SUMS_ROW_H
#define PENSTOCK_LOAD_SUMS_ROW_H

#include <stdio.h>

#include "penstock-load/bins.h"
#include "penstock-load/series.h"
#include "wire/json.h"

struct sums_row {
	struct json json; /* rows that are not in the file yet */
	FILE *file;
	bool has_failed; /* a write to file */
	const struct series_naming *naming;
	const char *host;
};

/* naming, host and file stay the caller's. */
void sums_row_init(struct sums_row *row, const struct series_naming *naming, const char *host,
	FILE *file);
void sums_row_done(struct sums_row *row);

void sums_row_begin(struct sums_row *row, const char *type);

/* Type, name with suffix, host and tags of a context. */
void sums_row_begin_series(struct sums_row *row, const char *output_type, uint32_t context,
	enum series_type type, const char *suffix);

void sums_row_text(struct sums_row *row, const char *key, const char *value);
void sums_row_timestamp(struct sums_row *row, int64_t timestamp); /* 0: none */
void sums_row_host(struct sums_row *row, const char *host); /* "": the default one */
void sums_row_tags(struct sums_row *row, uint32_t context);
void sums_row_value(struct sums_row *row, double value);
void sums_row_sketch(struct sums_row *row, const struct bins *bins, double sum, double min,
	double max);
void sums_row_end(struct sums_row *row);

/* Brings everything into the file. 0, -ENOMEM or -EIO, if any row so far failed. */
int sums_row_flush(struct sums_row *row);

#endif
