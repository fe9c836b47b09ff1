/* SPDX-License-Identifier: BSD-3-Clause */
/* hot: no malloc, no syscall, no log, no lock */
#include "penstock-load/malformed.h"

#include "penstock-load/digits.h"

#define REASON_OF(name) STAT_lines_rejected_##name

const struct malformed malformed_table[MALFORMED_KINDS] = {
	{"value without type", REASON_OF(no_pipe), {"$n:$v", "$n:$v:c"}},
	{"free text", REASON_OF(no_pipe), {"could not connect, retry $v", "$n", "{\"$n\": $v}"}},
	{"name without value", REASON_OF(no_colon), {"$n|c", "$n $v|g", "$n|$v|c"}},
	{"value without name", REASON_OF(empty_name), {":$v|c", ":$v|g|#env:prod"}},
	{"empty value", REASON_OF(empty_value), {"$n:|c", "$n:|s", "$n:|d|@0.5"}},
	{"text as value", REASON_OF(bad_value), {"$n:abc|c", "$n:$v,5|g", "$n:0x10|g", "$n:1e|c"}},
	{"one bad value of several", REASON_OF(bad_value),
		{"$n:$v:x|c", "$n:x:$v|ms", "$n:$v:$v:1e|d"}},
	{"value out of range", REASON_OF(bad_value),
		{"$n:1e400|c", "$n:-1e999|g", "$n:$v:1e309|h"}},
	{"blank beside the value", REASON_OF(bad_value), {"$n: $v|g", "$n:$v |c", "$n:\t$v|d"}},
	{"two signs", REASON_OF(bad_value), {"$n:--$v|c", "$n:+-$v|g", "$n:-|g"}},
	{"unknown type", REASON_OF(bad_type), {"$n:$v|k", "$n:$v|", "$n:$v|m", "$n:$v||c"}},
	{"type in other letters", REASON_OF(bad_type),
		{"$n:$v|C", "$n:$v|gauge", "$n:$v|msx", "$n:$v| c"}},
	{"rate out of range", REASON_OF(bad_rate),
		{"$n:$v|c|@0", "$n:$v|ms|@2", "$n:$v|d|@-0.5", "$n:$v|c|@nan"}},
	{"rate not a number", REASON_OF(bad_rate), {"$n:$v|c|@x", "$n:$v|h|@", "$n:$v|c|@0,5"}},
	{"timestamp below 1", REASON_OF(bad_timestamp), {"$n:$v|g|T0", "$n:$v|c|T-3"}},
	{"timestamp not a whole number", REASON_OF(bad_timestamp),
		{"$n:$v|g|Tx", "$n:$v|c|T1.5", "$n:$v|g|T"}},
	{"broken event", REASON_OF(bad_event),
		{"_e{5,99}:title|text $v", "_e{0,4}:|text", "_e{5,4}:titleXtext|p:low",
			"_e{-1,4}:title|text"}},
	{"broken service check", REASON_OF(bad_service_check),
		{"_sc|$n|4", "_sc||0|m:$v", "_sc|$n", "_sc|$n|00"}},
	{"no finite value", REASON_OF(nan_or_inf),
		{"$n:nan|g", "$n:inf|c", "$n:-Inf:NaN|d", "$n:+infinity|h"}},
	{"timestamp on a type without", REASON_OF(unsupported_timestamp),
		{"$n:$v|h|T1700000000", "$n:$v|s|T1700000000", "$n:$v|d|T1700000000",
			"$n:$v|ms|T1700000000"}},
};

char *
malformed_write(const struct profile *profile, const struct line *line, char *at)
{
	const struct malformed *kind = &malformed_table[line->malformed_kind];
	uint32_t n = 0;

	while (kind->variant[n] != NULL)
		n++;
	for (const char *from = kind->variant[line->variant % n]; *from != '\0'; from++) {
		if (*from != '$') {
			*at++ = *from;
			continue;
		}
		from++;
		if (*from == 'n')
			at = series_write_name(&profile->options.naming, line->context, line->type,
				at);
		else
			at = digits_write(at, line->variant % 1000, 1);
	}
	return at;
}
