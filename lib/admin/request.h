/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One request on the admin socket: a line with a word. The reply is always one JSON object; where
 * something was refused it has a member "error", a sentence.
 */
#ifndef ADMIN_REQUEST_H
#define ADMIN_REQUEST_H

#include "admin/source.h"
#include "base/span.h"
#include "wire/json.h"

/* ms that "flush" waits for the outputs. */
#define REQUEST_FLUSH_TIMEOUT 10000

/* line: any bytes, without its newline. True for "flush", which may block: what came of it is
 * answered with request_answer_flush. */
bool request_is_flush(struct span line);
void request_answer_flush(int result, struct json *json);

/* All other requests. */
void request_answer(const struct admin_source *source, struct span line, struct json *json);

#endif
