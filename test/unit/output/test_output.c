/* SPDX-License-Identifier: BSD-3-Clause */
/* The queue is tested with a driver that waits for the test, so the table is the test's own. */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#define output_table test_output_table
#include "output/output.c"

#include "agg/flush_build.h"

/* One byte in the pipe lets one write go on; a closed pipe lets all. */
static int gate[2];

static int
open_gated(const struct output_spec *spec, void **ret_state, struct error *error)
{
	if (spec->path != NULL)
		return error_fill(error, EACCES, "no entry to %s", spec->path);
	*ret_state = &gate;
	return 0;
}

static void
write_gated(void *state, const struct flush *flush, int stop_fd, struct output_result *result)
{
	struct pollfd wait[] = {
		{.fd = gate[0], .events = POLLIN},
		{.fd = stop_fd, .events = POLLIN},
	};
	char byte;

	if (poll(wait, 2, -1) > 0 && wait[0].revents == 0)
		result->dropped[OUTPUT_STOPPED] = written_size(flush);
	else if (read(gate[0], &byte, 1) != 1 || byte == 'f')
		result->dropped[OUTPUT_WRITE_ERROR] = written_size(flush);
	else
		result->delivered = written_size(flush);
}

static void
close_gated(void *state)
{
	assert_ptr_equal(state, &gate);
}

static const struct output_ops gated = {"gated", open_gated, write_gated, close_gated};
const struct output_ops *const test_output_table[] = {&gated, NULL};

static struct output *
opened(void)
{
	const struct output_spec spec = {.type = "gated", .name = "out"};
	struct error error;
	struct output *output = NULL;

	assert_int_equal(pipe(gate), 0);
	assert_int_equal(output_open(&spec, &output, &error), 0);
	return output;
}

static void
closed(struct output *output)
{
	close(gate[1]);
	output_close(output);
	close(gate[0]);
}

static struct flush *
flush_with_checks(size_t n)
{
	struct flush_build *build = flush_build_new(NULL);
	struct flush_check check = {.check = {.timestamp = 1}};

	for (size_t i = 0; i < n; i++)
		flush_build_check(build, &check);
	return flush_build_finish(build, 1, (struct bucket_time){0});
}

static void
assert_balanced(struct output *output)
{
	struct output_counts counts;
	uint64_t sum;

	output_counts(output, &counts);
	sum = counts.delivered + counts.queued;
	for (int i = 0; i < OUTPUT_REASON_COUNT; i++)
		sum += counts.dropped[i];
	assert_int_equal(sum, counts.points);
}

static void
counts_what_is_queued_and_delivered(void **state)
{
	struct output *output = opened();
	struct flush *flush = flush_with_checks(3);
	struct output_counts counts;

	flush->n_not_finite = 2;
	flush->n_no_memory = 1;
	output_send(output, flush);
	output_counts(output, &counts);
	assert_int_equal(counts.points, 6);
	assert_int_equal(counts.queued, 3);
	assert_int_equal(counts.dropped[OUTPUT_NOT_FINITE], 2);
	assert_int_equal(counts.dropped[OUTPUT_NO_MEMORY], 1);
	assert_balanced(output);
	assert_false(output_drain(output, 20));

	assert_int_equal(write(gate[1], "w", 1), 1);
	assert_true(output_drain(output, 5000));
	output_counts(output, &counts);
	assert_int_equal(counts.delivered, 3);
	assert_int_equal(counts.queued, 0);

	output_send(output, flush);
	assert_int_equal(write(gate[1], "f", 1), 1);
	assert_true(output_drain(output, 5000));
	output_counts(output, &counts);
	assert_int_equal(counts.dropped[OUTPUT_WRITE_ERROR], 3);
	assert_balanced(output);
	flush_unref(flush);
	closed(output);
}

static void
drops_whole_flushes_when_the_queue_is_full(void **state)
{
	struct output *output = opened();
	struct flush *flush = flush_with_checks(1);
	struct output_counts counts;

	/* One may already be with the driver. */
	for (int i = 0; i < OUTPUT_QUEUE_MAX + 5; i++)
		output_send(output, flush);
	output_counts(output, &counts);
	assert_int_equal(counts.points, OUTPUT_QUEUE_MAX + 5);
	assert_true(
		counts.dropped[OUTPUT_QUEUE_FULL] == 4 || counts.dropped[OUTPUT_QUEUE_FULL] == 5);
	assert_balanced(output);
	for (int i = 0; i < OUTPUT_QUEUE_MAX + 1; i++)
		assert_int_equal(write(gate[1], "w", 1), 1);
	assert_true(output_drain(output, 5000));
	output_counts(output, &counts);
	assert_int_equal(counts.queued, 0);
	assert_balanced(output);
	flush_unref(flush);
	closed(output);
}

static void
counts_what_a_stop_leaves_behind(void **state)
{
	struct output *output = opened();
	struct flush *flush = flush_with_checks(2);
	struct output_counts counts;

	for (int i = 0; i < 4; i++)
		output_send(output, flush);
	flush_unref(flush);
	assert_int_equal(write(gate[1], "w", 1), 1);
	do {
		assert_false(output_drain(output, 1));
		output_counts(output, &counts);
	} while (counts.delivered == 0);
	/* Now the second flush is in a write that would never end, and two wait. */
	output_stop(output);
	output_counts(output, &counts);
	assert_int_equal(counts.delivered, 2);
	assert_int_equal(counts.dropped[OUTPUT_STOPPED], 6);
	assert_int_equal(counts.queued, 0);
	assert_balanced(output);
	assert_true(output_drain(output, 0));
	closed(output);
}

static void
refuses_with_a_sentence(void **state)
{
	const struct output_spec unknown = {.type = "kafka", .name = "out"};
	const struct output_spec refused = {.type = "gated", .name = "out", .path = "/x"};
	struct error error;
	struct output *output = NULL;

	assert_int_equal(output_open(&unknown, &output, &error), -ENODEV);
	assert_string_equal(error.text, "output 'out': this build has no output type 'kafka'");
	assert_int_equal(output_open(&refused, &output, &error), -EACCES);
	assert_string_equal(error.text, "no entry to /x");
	assert_null(output);
	output_close(NULL);
}

static void
names_every_reason(void **state)
{
	assert_string_equal(output_reason_name[OUTPUT_NOT_FINITE], "not_finite");
	assert_string_equal(output_reason_name[OUTPUT_QUEUE_FULL], "queue_full");
	assert_string_equal(output_reason_name[OUTPUT_WRITE_ERROR], "write_error");
	assert_string_equal(output_reason_name[OUTPUT_NO_MEMORY], "no_memory");
	assert_string_equal(output_reason_name[OUTPUT_STOPPED], "stopped");
	for (int i = 0; i < OUTPUT_REASON_COUNT; i++)
		assert_non_null(output_reason_help[i]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_what_is_queued_and_delivered),
		cmocka_unit_test(drops_whole_flushes_when_the_queue_is_full),
		cmocka_unit_test(counts_what_a_stop_leaves_behind),
		cmocka_unit_test(refuses_with_a_sentence),
		cmocka_unit_test(names_every_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
