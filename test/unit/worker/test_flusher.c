/* SPDX-License-Identifier: BSD-3-Clause */
/* The waiting for outputs is tested with outputs that take their time, so they are the test's own.
 */
#define output_drain test_output_drain
#define output_send test_output_send
#include "worker/flusher.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define TAKES_MS 100 /* of each output, to empty its queue */
#define N_OUTPUTS 3

static int allowed_ms[N_OUTPUTS]; /* by the call, -1: there was none */

static struct output *
fake(uintptr_t i)
{
	return (struct output *)(i + 1);
}

void
test_output_send(struct output *output, struct flush *flush)
{
	(void)output;
	(void)flush;
}

bool
test_output_drain(struct output *output, int timeout)
{
	const struct timespec nap = {.tv_nsec = TAKES_MS * NS_PER_MS};

	allowed_ms[(uintptr_t)output - 1] = timeout;
	if (timeout < TAKES_MS)
		return false;
	nanosleep(&nap, NULL);
	return true;
}

/* A flusher without workers whose outputs take TAKES_MS each; what a cut within timeout ms gives.
 */
static int
cut_within(int timeout)
{
	struct output *outputs[N_OUTPUTS];
	struct budget budget;
	struct flusher_conf conf = {
		.interval = 3600,
		.clock = &clock_system,
		.outputs = outputs,
		.n_outputs = N_OUTPUTS,
		.budget = &budget,
	};
	struct flusher *flusher;
	int result;

	budget_init(&budget, 1 << 20);
	for (uintptr_t i = 0; i < N_OUTPUTS; i++) {
		outputs[i] = fake(i);
		allowed_ms[i] = -1;
	}
	assert_int_equal(flusher_start(&conf, &flusher), 0);
	result = flusher_cut(flusher, timeout);
	flusher_stop(flusher, true);
	flusher_free(flusher);
	return result;
}

static void
a_cut_waits_for_all_outputs_together(void **state)
{
	(void)state;
	assert_int_equal(cut_within(10000), 0);
	for (int i = 0; i < N_OUTPUTS; i++)
		assert_in_range(allowed_ms[i], 0, 10000 - i * TAKES_MS);
}

static void
a_cut_that_runs_out_of_time_says_so(void **state)
{
	(void)state;
	/* Enough for one or two, not for three. */
	assert_int_equal(cut_within(2 * TAKES_MS + TAKES_MS / 2), -ETIMEDOUT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cut_waits_for_all_outputs_together),
		cmocka_unit_test(a_cut_that_runs_out_of_time_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
