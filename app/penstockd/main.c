/* SPDX-License-Identifier: BSD-3-Clause */
/* The daemon's life: read, plan, start, wait for signals, stop. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "penstockd/arguments.h"
#include "penstockd/daemon.h"
#include "penstockd/load.h"
#include "penstockd/plan.h"
#include "penstockd/port_watch.h"
#include "penstockd/ports.h"
#include "penstockd/reload.h"
#include "penstockd/settings.h"
#include "penstockd/watch.h"

#define EXIT_USAGE 64

/* The signals that end or reload the daemon, as a descriptor; before any thread is started, since
 * threads inherit what is blocked. */
static int
open_signals(void)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a file at its limit is a write that fails, and counted */
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

static void
say_where(const struct daemon *daemon)
{
	const struct options *options = daemon->options;

	for (uint32_t w = 0; w < daemon->n_workers; w++)
		for (uint32_t i = 0; i < daemon->worker[w]->n_inputs; i++)
			log_info("listening: %s on %s (%s)",
				input_name(daemon->worker[w]->input[i]),
				input_address(daemon->worker[w]->input[i]),
				daemon->worker[w]->name);
	for (uint32_t i = 0; i < daemon->plan->n_outputs; i++)
		log_info("writing: %s%s%s", daemon->plan->outputs[i].name,
			daemon->plan->outputs[i].path[0] != '\0' ? " to " : "",
			daemon->plan->outputs[i].path);
	if (options->admin_socket[0] != '\0')
		log_info("admin socket: %s", options->admin_socket);
	if (options->admin_http[0] != '\0')
		log_info("metrics: http://%s/metrics", options->admin_http);
	if (daemon->plan->telemetry[0] != '\0')
		log_info("telemetry of DPDK: %s", daemon->plan->telemetry);
	for (size_t i = 0; i < daemon->plan->notes.n; i++)
		log_info("note: %s", daemon->plan->notes.item[i]);
	log_info("ready (configuration: %s)", options->source);
}

/* Does what is due once a second; returns when it is due next. */
static uint64_t
tick(struct daemon *daemon, struct watch *watch, uint64_t due)
{
	uint64_t now = clock_monotonic(&clock_system);

	if (now < due)
		return due;
	watch_tick(watch, daemon);
	daemon_trim(daemon);
	ports_tick();
	port_watch_look();
	port_watch_read();
	return now + NS_PER_S;
}

/* Until SIGTERM or SIGINT. */
static void
wait_for_end(struct daemon *daemon, struct watch *watch, int signals)
{
	struct pollfd wait[] = {
		{.fd = signals, .events = POLLIN},
		{.fd = port_watch_fd(), .events = POLLIN},
	};
	uint64_t due = clock_monotonic(&clock_system) + NS_PER_S;
	struct signalfd_siginfo info;
	char text[ADMIN_REASON_SIZE];

	for (;;) {
		/* It ends early at each signal of net_tap, which announces frames by SIGIO. */
		int n = poll(wait, ARRAY_LENGTH(wait), clock_ms_until(&clock_system, due) + 1);

		due = tick(daemon, watch, due);
		if (n > 0 && wait[1].revents != 0)
			port_watch_look();
		if (n <= 0 || wait[0].revents == 0 ||
			read(signals, &info, sizeof(info)) != sizeof(info))
			continue;
		if (info.ssi_signo != SIGHUP) {
			log_info("signal %u: stopping", info.ssi_signo);
			return;
		}
		reload_run(daemon, text, sizeof(text));
	}
}

/* From the first start to the last stop; daemon is zero but for options and arguments. */
static int
live(struct daemon *daemon, struct plan *plan, int signals, struct plan_error *error)
{
	struct watch watch = {0};
	int status = daemon_start(daemon, plan, error);

	if (status == 0) {
		say_where(daemon);
		wait_for_end(daemon, &watch, signals);
	} else {
		log_error("%s", error->text);
	}
	daemon_stop(daemon);
	if (status == 0)
		watch_last(&watch, daemon);
	daemon_close(daemon);
	return status == 0 ? 0 : error->exit_code;
}

static int
serve(struct plan *plan, const struct arguments *arguments, struct options *options)
{
	struct daemon *daemon = calloc(1, sizeof(*daemon));
	struct plan_error error;
	int signals = open_signals(), exit_code;

	if (daemon == NULL || signals < 0) {
		log_error("not enough memory or descriptors to start");
		exit_code = PLAN_EXIT_RESOURCE;
	} else if (plan_prepare(plan, &error) != 0) {
		log_error("%s", error.text);
		exit_code = error.exit_code;
	} else {
		daemon->arguments = arguments;
		daemon->options = options;
		exit_code = live(daemon, plan, signals, &error);
	}
	free(daemon);
	if (signals >= 0)
		close(signals);
	return exit_code;
}

static int
run(const struct arguments *arguments, struct options *options)
{
	struct plan_error error;
	struct plan plan;
	int exit_code = 0;

	if (plan_make(options, &plan, &error) != 0) {
		log_error("%s", error.text);
		return error.exit_code;
	}
	if (arguments->check)
		plan_print(&plan, stdout);
	else
		exit_code = serve(&plan, arguments, options);
	plan_free(&plan);
	return exit_code;
}

int
main(int argc, char **argv)
{
	struct options options;
	struct arguments arguments;
	struct conf_error error;
	int exit_code = 0;
	char why[1024];

	if (arguments_parse(argc, (const char *const *)argv, &arguments, why, sizeof(why)) != 0) {
		fprintf(stderr, "penstockd: %s\n", why);
		arguments_print_usage(stderr);
		return EXIT_USAGE;
	}
	if (arguments.help) {
		arguments_print_usage(stdout);
		return 0;
	}
	if (arguments.version) {
		puts("penstockd " PENSTOCK_VERSION);
		return 0;
	}
	if (arguments.print_settings) {
		settings_print_rows(stdout);
		return 0;
	}
	if (load_options(&arguments, &options, &error) != 0) {
		conf_error_text(&error, why, sizeof(why));
		log_error("%s", why);
		return PLAN_EXIT_CONFIGURATION;
	}
	if (arguments.print_config)
		options_print(&options, stdout);
	else
		exit_code = run(&arguments, &options);
	options_free(&options);
	return exit_code;
}
