/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A flush as NDJSON: one object a line, as doc/file-output.md describes it. Pure: no file, no
 * clock.
 */
#ifndef OUTPUT_NDJSON_H
#define OUTPUT_NDJSON_H

#include "agg/flush.h"
#include "wire/json.h"

/* How many lines the flush comes to: its points, then its events, then its checks. */
size_t ndjson_n_lines(const struct flush *flush);

/* Appends line number index, counted from 0, with its newline. json->failed tells of no memory. */
void ndjson_line(struct json *json, const struct flush *flush, size_t index);

#endif
