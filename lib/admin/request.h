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

/* line: any bytes, without its newline. May block as long as the source does. */
void request_answer(const struct admin_source *source, struct span line, struct json *json);

#endif
