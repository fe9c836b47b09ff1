/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dsd/decode.h"
#include "penstock-load/line.h"
#include "penstock-load/malformed.h"

static struct profile profile;

static int
set_up(void **state)
{
	struct profile_options options = {.n_contexts = 100,
		.naming = {.prefix = "t."},
		.type_weight = {1, 1, 1, 1, 1, 1},
		.malformed = 1};

	(void)state;
	profile_init(&profile, &options);
	return 0;
}

static struct line
line_of(uint32_t kind, uint32_t variant)
{
	return (struct line){.kind = LINE_MALFORMED,
		.malformed_kind = kind,
		.variant = variant,
		.context = variant % 100,
		.type = SERIES_COUNTER};
}

static void
is_rejected_for_the_reason_it_names(void **state)
{
	struct decoder decoder = {0};

	(void)state;
	assert_int_equal(decoder_init(&decoder, LINE_SIZE_MAX), 0);
	decoder.timestamps = true;
	for (uint32_t kind = 0; kind < MALFORMED_KINDS; kind++) {
		for (uint32_t variant = 0; variant < 1200; variant++) {
			struct line line = line_of(kind, variant);
			char text[LINE_SIZE_MAX], *end = line_write(&profile, &line, text);
			struct message message;
			enum counter reason = decode_line(&decoder,
				span_of(text, (size_t)(end - text)), &message);

			*end = '\0';
			if (reason != malformed_table[kind].reason)
				fail_msg("\"%s\" is %s, not %s", text,
					reason != STAT_NONE ? stat_info[reason].name : "accepted",
					stat_info[malformed_table[kind].reason].name);
		}
	}
	decoder_done(&decoder);
}

static void
covers_every_reason_that_a_line_alone_can_have(void **state)
{
	bool is_covered[STAT_COUNT] = {false};

	(void)state;
	for (unsigned i = 0; i < MALFORMED_KINDS; i++)
		is_covered[malformed_table[i].reason] = true;
	for (unsigned i = STAT_NONE + 1; i < STAT_COUNT; i++) {
		bool is_reject = stat_info[i].level_index == STAT_LEVEL_lines &&
			stat_info[i].group != NULL && strcmp(stat_info[i].group, "rejected") == 0;
		/* These two belong to a datagram's end. */
		bool is_of_datagram =
			i == STAT_lines_rejected_unterminated || i == STAT_lines_rejected_truncated;

		assert_int_equal(is_covered[i], is_reject && !is_of_datagram);
	}
}

static void
draws_every_variant_of_every_kind(void **state)
{
	unsigned n[MALFORMED_KINDS][MALFORMED_VARIANTS] = {0};

	(void)state;
	for (uint64_t i = 0; i < 20000; i++) {
		struct line line;
		unsigned n_variants = 0;

		profile_line(&profile, i, &line);
		while (malformed_table[line.malformed_kind].variant[n_variants] != NULL)
			n_variants++;
		n[line.malformed_kind][line.variant % n_variants]++;
	}
	for (unsigned kind = 0; kind < MALFORMED_KINDS; kind++)
		for (unsigned i = 0; malformed_table[kind].variant[i] != NULL; i++)
			assert_in_range(n[kind][i], 150, 700);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_rejected_for_the_reason_it_names),
		cmocka_unit_test(covers_every_reason_that_a_line_alone_can_have),
		cmocka_unit_test(draws_every_variant_of_every_kind),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
