/* SPDX-License-Identifier: BSD-3-Clause */
/* penstock-load: profile -> datagrams -> sender, and an account of each. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "base/clock.h"
#include "penstock-load/arguments.h"
#include "penstock-load/report.h"
#include "penstock-load/search_report.h"
#include "penstock-load/sums.h"
#include "penstock-load/transit.h"
#include "penstock-load/trial.h"

/* A load that gets nothing out for this long is over. */
#define STALL_MAX (30 * NS_PER_S)

static atomic_bool stopping;

struct load {
	struct arguments arguments;
	struct profile profile;
	struct datagram datagram[SENDER_BATCH];
	void *sender; /* the driver's state */
	FILE *sums_file; /* NULL without --sums */
	struct sums *sums;
	struct transit transit;
	struct report report;
	uint64_t start; /* ns, monotonic */
	uint64_t last_sent; /* ns after the start */
	uint64_t next_line, next_datagram;
};

static void
stop(int number)
{
	(void)number;
	atomic_store(&stopping, true);
}

static void
catch_signals(void)
{
	/* Without SA_RESTART: a blocked send or sleep ends. */
	struct sigaction action = {.sa_handler = stop};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

static int
fail(int code, const char *what, int error)
{
	fprintf(stderr, "penstock-load: %s: %s.\n", what, strerror(-error));
	return code;
}

static int
open_sums(struct load *load)
{
	const struct arguments *arguments = &load->arguments;
	int result;

	if (arguments->sums == NULL)
		return 0;
	load->sums_file = fopen(arguments->sums, "we");
	if (load->sums_file == NULL)
		return fail(EX_CANTCREAT, arguments->sums, -errno);
	result = sums_open(&load->profile, arguments->host, load->sums_file, &load->sums);
	return result == 0 ? 0 : fail(EX_OSERR, "cannot keep sums", result);
}

static int
open_sender(struct load *load)
{
	const struct arguments *arguments = &load->arguments;
	struct error error;
	int result;

	result = arguments->driver->open(arguments->target, &arguments->sender, &load->sender,
		&error);
	if (result == 0)
		return 0;
	fprintf(stderr, "penstock-load: %s\n", error.text);
	return result == -EINVAL ? EX_USAGE : EX_UNAVAILABLE;
}

static uint64_t
elapsed(const struct load *load)
{
	return pace_now() - load->start;
}

/* True when no line is to follow one that is due at this time (ns after the start). */
static bool
is_over(const struct load *load, uint64_t due)
{
	return load->next_line >= load->arguments.n_lines ||
		(load->arguments.duration != 0 && due >= load->arguments.duration);
}

/* Fills datagrams that are due by now (ns after the start) and returns how many. */
static unsigned
fill_batch(struct load *load, uint64_t now)
{
	const struct arguments *arguments = &load->arguments;
	unsigned n = 0;

	for (; n < SENDER_BATCH; n++) {
		struct datagram *datagram = &load->datagram[n];
		uint64_t due = pace_due(&arguments->pace, load->next_line);
		uint64_t left = pace_lines_left(&arguments->pace, load->next_line);

		if (is_over(load, due) || (due > now && !arguments->driver->is_timeless))
			break;
		if (left > arguments->n_lines - load->next_line)
			left = arguments->n_lines - load->next_line;
		datagram_fill(datagram, &load->profile, &arguments->packing, load->next_line, left);
		datagram->due = due;
		datagram->number = load->next_datagram++;
		load->next_line += datagram->n_lines;
	}
	return n;
}

/* Only what was sent is expected to come out. */
static int
add_to_sums(struct load *load, const struct datagram *datagram)
{
	for (uint32_t i = 0; i < datagram->n_lines; i++) {
		struct line line;
		int result;

		profile_line(&load->profile, datagram->first_line + i, &line);
		result = sums_add(load->sums, &line);
		if (result != 0)
			return result;
	}
	return 0;
}

static int
account(struct load *load, const struct datagram *datagram)
{
	report_datagram(&load->report, datagram);
	return datagram->error == 0 && load->sums != NULL ? add_to_sums(load, datagram) : 0;
}

/* Accounts for the oldest on their way until n_left are left. */
static int
account_arrived(struct load *load, unsigned n_left)
{
	int result = 0;

	while (load->transit.n > n_left && result == 0)
		result = account(load, transit_take(&load->transit));
	return result;
}

static unsigned
in_doubt(struct load *load, bool is_last, int *ret_error)
{
	const struct sender_driver *driver = load->arguments.driver;

	return driver->in_doubt != NULL ? driver->in_doubt(load->sender, is_last, ret_error) : 0;
}

static int
account_batch(struct load *load, unsigned n)
{
	int result = account_arrived(load, TRANSIT_MAX - SENDER_BATCH), error;

	for (unsigned i = 0; i < n && result == 0; i++) {
		if (load->datagram[i].error != 0)
			result = account(load, &load->datagram[i]);
		else
			transit_add(&load->transit, &load->datagram[i]);
	}
	return result == 0 ? account_arrived(load, in_doubt(load, false, &error)) : result;
}

/* After the last batch: what has not arrived by now is lost. */
static int
account_rest(struct load *load)
{
	int error = 0, result;
	unsigned n_lost = in_doubt(load, true, &error);

	result = account_arrived(load, n_lost);
	while (load->transit.n > 0 && result == 0) {
		struct datagram *datagram = transit_take(&load->transit);

		datagram->error = error;
		result = account(load, datagram);
	}
	return result;
}

static bool
has_sent(const struct load *load, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (load->datagram[i].error == 0)
			return true;
	return false;
}

static void
wait_until_due(const struct load *load)
{
	uint64_t due = pace_due(&load->arguments.pace, load->next_line);

	if (load->arguments.duration != 0 && due > load->arguments.duration)
		due = load->arguments.duration;
	pace_sleep_until(load->start + due);
}

static int
run(struct load *load)
{
	load->start = pace_now();
	while (!atomic_load(&stopping)) {
		uint64_t now = elapsed(load);
		uint64_t due = pace_due(&load->arguments.pace, load->next_line);
		unsigned n;
		int result;

		if (is_over(load, load->arguments.driver->is_timeless ? due : now))
			break;
		n = fill_batch(load, now);
		if (n == 0) {
			wait_until_due(load);
			load->last_sent = elapsed(load);
			continue;
		}
		load->arguments.driver->send(load->sender, load->datagram, n);
		result = account_batch(load, n);
		if (result != 0)
			return fail(EX_OSERR, "cannot keep sums", result);
		if (has_sent(load, n))
			load->last_sent = elapsed(load);
		else if (elapsed(load) - load->last_sent > STALL_MAX)
			break;
	}
	return 0;
}

static int
finish(struct load *load)
{
	uint64_t duration = elapsed(load);
	int result = account_rest(load), closed = load->arguments.driver->close(load->sender);

	load->sender = NULL;
	if (result != 0)
		return fail(EX_OSERR, "cannot keep sums", result);
	if (closed != 0)
		return fail(EX_IOERR, load->arguments.target, closed);
	result = load->sums != NULL ? sums_finish(load->sums) : 0;
	if (result != 0)
		return fail(EX_IOERR, load->arguments.sums, result);
	result = report_write(&load->report, duration, stdout);
	if (result != 0)
		return fail(EX_IOERR, "cannot write the result", result);
	return load->report.unsent_datagrams == 0 ? EX_OK : 1;
}

static int
run_search(struct load *load, struct trial_bench *bench)
{
	static struct search search;
	int result = search_run(&search, &load->arguments.search, trial_run, bench);

	if (result != 0 && bench->error.text[0] != '\0')
		fprintf(stderr, "penstock-load: %s\n", bench->error.text);
	else if (result != 0)
		fail(0, "the search", result);
	if (search.n_trials > 0 &&
		search_report_write(&search, (double)bench->replay.n_lines / bench->replay.n,
			stdout) != 0)
		return fail(EX_IOERR, "cannot write the result", -EIO);
	if (result != 0)
		return EX_UNAVAILABLE;
	return search.is_confirmed ? EX_OK : 1;
}

static int
execute_search(struct load *load)
{
	struct trial_bench bench = {.driver = load->arguments.driver,
		.ledger = load->arguments.ledger,
		.stopping = &stopping};
	int result = replay_init(&bench.replay, &load->profile, &load->arguments.packing);

	if (result != 0)
		result = fail(EX_OSERR, "cannot start", result);
	else
		result = open_sender(load);
	bench.sender = load->sender;
	if (result == 0)
		result = run_search(load, &bench);
	replay_done(&bench.replay);
	return result;
}

static int
execute(struct load *load)
{
	int result;

	profile_init(&load->profile, &load->arguments.profile);
	load->arguments.sender.stopping = &stopping;
	if (load->arguments.is_search) {
		catch_signals();
		return execute_search(load);
	}
	for (unsigned i = 0; i < SENDER_BATCH; i++)
		if (datagram_init(&load->datagram[i], &load->arguments.packing) != 0)
			return fail(EX_OSERR, "cannot start", -ENOMEM);
	if (transit_init(&load->transit) != 0)
		return fail(EX_OSERR, "cannot start", -ENOMEM);
	catch_signals();
	result = open_sums(load);
	if (result == 0)
		result = open_sender(load);
	if (result == 0)
		result = run(load);
	if (result == 0)
		result = finish(load);
	return result;
}

int
main(int argc, char **argv)
{
	static struct load load;
	int result = arguments_parse(&load.arguments, argc, argv);

	if (result != 0)
		return result < 0 ? EX_OK : result;
	result = execute(&load);
	if (load.sender != NULL)
		load.arguments.driver->close(load.sender);
	transit_done(&load.transit);
	sums_close(load.sums);
	if (load.sums_file != NULL)
		fclose(load.sums_file);
	for (unsigned i = 0; i < SENDER_BATCH; i++)
		datagram_done(&load.datagram[i]);
	return result;
}
