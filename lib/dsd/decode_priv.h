/* SPDX-License-Identifier: BSD-3-Clause */
/* What the decoders of the three kinds share. */
#ifndef DSD_DECODE_PRIV_H
#define DSD_DECODE_PRIV_H

#include "dsd/decode.h"

/* Cuts the bytes before the next '|' from *rest, and the '|' with them; all when there is none. */
static inline struct span
field_cut(struct span *rest)
{
	size_t end = span_find(*rest, '|');
	struct span field = span_of(rest->data, end);

	*rest = span_from(*rest, end < rest->size ? end + 1 : end);
	return field;
}

/* True when field starts with prefix; *ret_value is then what follows it. */
static inline bool
field_is(struct span field, struct span prefix, struct span *ret_value)
{
	if (!span_starts_with(field, prefix))
		return false;
	*ret_value = span_from(field, prefix.size);
	return true;
}

/* Takes field if any kind of message may carry it; a repeated field replaces the one before. */
void decode_shared_field(const struct decoder *decoder, struct span field,
	struct message_fields *fields);

/* As decode_line. *message is zeroed before, and anything when the line is rejected. */
enum counter decode_event(const struct decoder *decoder, struct span line, struct message *message);
enum counter decode_check(const struct decoder *decoder, struct span line, struct message *message);

#endif
