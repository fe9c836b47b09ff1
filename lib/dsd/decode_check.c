/* SPDX-License-Identifier: BSD-3-Clause */
/* hot: no malloc, no syscall, no log, no lock */
#include "dsd/decode_priv.h"
#include "dsd/number.h"

#define PREFIX_SIZE 4 /* "_sc|" */

/* A bad timestamp leaves what was there. */
static void
read_check_field(const struct decoder *decoder, struct span field, struct message *message)
{
	struct service_check *check = &message->check;
	struct span value;

	if (field_is(field, SPAN_LITERAL("d:"), &value)) {
		number_parse_int(value, &check->timestamp);
	} else if (field_is(field, SPAN_LITERAL("h:"), &value)) {
		check->has_host = true;
		check->host = value;
	} else if (field_is(field, SPAN_LITERAL("m:"), &value)) {
		check->message = value;
	} else {
		decode_shared_field(decoder, field, &message->fields);
	}
}

/* "_sc|NAME|STATUS" *( "|" FIELD ); STATUS is one digit, 0 to 3. */
enum counter
decode_check(const struct decoder *decoder, struct span line, struct message *message)
{
	struct span rest = span_from(line, PREFIX_SIZE);
	struct span name = field_cut(&rest);
	struct span status = field_cut(&rest);

	if (name.size == 0 || status.size != 1 || status.data[0] < '0' || status.data[0] > '3')
		return STAT_lines_rejected_bad_service_check;
	message->check.name = name;
	message->check.status = (uint8_t)(status.data[0] - '0');
	while (rest.size != 0)
		read_check_field(decoder, field_cut(&rest), message);
	return STAT_NONE;
}
