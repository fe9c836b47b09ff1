/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "penstock-load/datagram.h"
#include "penstock-load/line.h"

#define LINES 5000

static struct profile profile;

static int
set_up(void **state)
{
	struct profile_options options = {.seed = 5,
		.n_contexts = 300,
		.naming = {"t.", 3},
		.type_weight = {1, 1, 1, 1, 1, 1},
		.malformed = 0.1,
		.events = 0.1,
		.checks = 0.1,
		.packed = 0.2,
		.timestamps_from = 1700000000};

	(void)state;
	profile_init(&profile, &options);
	return 0;
}

/* All lines with these packing rules, without the empty ones. The caller frees. */
static char *
text_of(const struct packing *packing, uint32_t *ret_n_datagrams)
{
	char *text = malloc(LINES * LINE_SIZE_MAX), *end = text;
	struct datagram datagram;

	assert_non_null(text);
	assert_int_equal(datagram_init(&datagram, packing), 0);
	*ret_n_datagrams = 0;
	for (uint64_t line = 0; line < LINES; line += datagram.n_lines) {
		datagram_fill(&datagram, &profile, packing, line, LINES - line);
		assert_true(datagram.n_lines > 0);
		assert_true(datagram.size <= packing->size);
		assert_true(!packing->is_padded || datagram.size == packing->size);
		assert_true(packing->n_lines == 0 || datagram.n_lines <= packing->n_lines);
		assert_int_equal(datagram.data[datagram.size - 1], '\n');
		for (uint32_t i = 0; i < datagram.size; i++)
			if (datagram.data[i] != '\n' || (i > 0 && datagram.data[i - 1] != '\n'))
				*end++ = datagram.data[i];
		++*ret_n_datagrams;
	}
	*end = '\0';
	datagram_done(&datagram);
	return text;
}

static void
holds_the_same_lines_however_they_are_packed(void **state)
{
	static const struct packing packings[] = {{.size = 1432}, {.size = 8192},
		{.size = 1432, .n_lines = 1}, {.size = 1432, .n_lines = 7},
		{.size = 1000, .is_padded = true}};
	uint32_t n_datagrams, n_lines = 0;
	char *first = text_of(&packings[0], &n_datagrams);

	(void)state;
	for (const char *at = first; *at != '\0'; at++)
		n_lines += *at == '\n';
	assert_int_equal(n_lines, LINES);
	for (unsigned i = 1; i < sizeof(packings) / sizeof(packings[0]); i++) {
		char *text = text_of(&packings[i], &n_datagrams);

		assert_string_equal(text, first);
		free(text);
		if (packings[i].n_lines == 1)
			assert_int_equal(n_datagrams, LINES);
	}
	free(first);
}

static void
counts_what_it_holds(void **state)
{
	const struct packing packing = {.size = 60000};
	uint32_t n_samples = 0, n_events = 0, n_checks = 0, n_malformed = 0, counted = 0;
	struct datagram datagram;

	(void)state;
	assert_int_equal(datagram_init(&datagram, &packing), 0);
	datagram_fill(&datagram, &profile, &packing, 100, 300);
	assert_int_equal(datagram.n_lines, 300);
	assert_int_equal(datagram.first_line, 100);
	for (uint64_t i = 100; i < 400; i++) {
		struct line line;

		profile_line(&profile, i, &line);
		n_samples += line.kind == LINE_METRIC ? line.n_values : 0;
		n_events += line.kind == LINE_EVENT;
		n_checks += line.kind == LINE_CHECK;
		n_malformed += line.kind == LINE_MALFORMED;
	}
	for (unsigned i = 0; i < MALFORMED_KINDS; i++)
		counted += datagram.n_malformed[i];
	assert_int_equal(datagram.n_samples, n_samples);
	assert_int_equal(datagram.n_events, n_events);
	assert_int_equal(datagram.n_checks, n_checks);
	assert_int_equal(counted, n_malformed);
	datagram_done(&datagram);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holds_the_same_lines_however_they_are_packed),
		cmocka_unit_test(counts_what_it_holds),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
