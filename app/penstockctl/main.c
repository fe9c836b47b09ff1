/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "penstockctl/client.h"
#include "penstockctl/view.h"

#define EXIT_REFUSED 1

static void
view_flush(json_t *reply)
{
	printf("flushed: every output has taken or dropped the bucket\n");
}

static void
view_reload(json_t *reply)
{
	printf("reloaded\n");
}

static const struct {
	const char *word, *help;
	void (*view)(json_t *reply);
} commands[] = {
	{"status", "state, listeners and outputs; ends with 1 unless the state is ready",
		view_status},
	{"ledger", "where everything that was received went; ends with 1 unless it balances",
		view_ledger},
	{"rejects", "the last lines that were rejected, and why", view_rejects},
	{"flush", "close the open bucket now; returns when the outputs have it", view_flush},
	{"reload", "read the configuration again, all or nothing", view_reload},
};

#define N_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void
print_usage(FILE *out)
{
	fprintf(out, "usage: penstockctl [-s SOCKET] [--json] COMMAND\n\n");
	for (size_t i = 0; i < N_COMMANDS; i++)
		fprintf(out, "  %-10s %s\n", commands[i].word, commands[i].help);
	fprintf(out,
		"\n  -s, --socket SOCKET  the admin socket; default $PENSTOCK_SOCKET, else "
		"where penstockd\n                       makes it by default\n"
		"      --json           print the reply as it came, one JSON object\n"
		"  -h, --help           this text\n"
		"  -V, --version        the version\n\n"
		"ends with 0; 1 refused or not ready; 64 usage; 69 no daemon\n");
}

static int
explain_failure(const char *path, int error_number)
{
	if (error_number == EACCES) {
		fprintf(stderr,
			"penstockctl: no permission for %s: run as its owner or in its group\n",
			path);
		return EXIT_REFUSED;
	}
	if (error_number == EAGAIN)
		fprintf(stderr, "penstockctl: penstockd at %s does not answer\n", path);
	else
		fprintf(stderr,
			"penstockctl: no penstockd answers at %s (%s): start it, or name its "
			"socket with -s\n",
			path, strerror(error_number));
	return EX_UNAVAILABLE;
}

static bool
is_good(json_t *reply)
{
	const char *state = json_string_value(json_object_get(reply, "state"));

	if (state != NULL && strcmp(state, "ready") != 0)
		return false;
	return !json_is_false(json_object_get(reply, "balanced"));
}

/* A refusal has a member "error". */
static int
show_reply(size_t command, const char *text, size_t size, bool is_json)
{
	json_t *reply = json_loadb(text, size, 0, NULL);
	const char *refusal;
	int result;

	if (!json_is_object(reply)) {
		fprintf(stderr, "penstockctl: this is no reply of penstockd: %.60s\n", text);
		json_decref(reply);
		return EX_UNAVAILABLE;
	}
	refusal = json_string_value(json_object_get(reply, "error"));
	if (refusal != NULL)
		fprintf(stderr, "penstockctl: %s: %s\n", commands[command].word, refusal);
	if (is_json)
		fwrite(text, 1, size, stdout);
	else if (refusal == NULL)
		commands[command].view(reply);
	result = refusal == NULL && is_good(reply) ? EXIT_SUCCESS : EXIT_REFUSED;
	json_decref(reply);
	if (fflush(stdout) != 0) {
		fprintf(stderr, "penstockctl: cannot write the reply: %s\n", strerror(errno));
		return EX_IOERR;
	}
	return result;
}

static int
run(const char *path, size_t command, bool is_json)
{
	char *reply;
	size_t size;
	int result;

	if (path == NULL)
		path = client_default_socket();
	if (path == NULL) {
		fprintf(stderr,
			"penstockctl: no penstockd runs: start it, or name its socket with -s. "
			"Looked at:\n");
		client_print_places();
		return EX_UNAVAILABLE;
	}
	result = client_ask(path, commands[command].word, &reply, &size);
	if (result != 0)
		return explain_failure(path, -result);
	result = show_reply(command, reply, size, is_json);
	free(reply);
	return result;
}

static int
refuse_usage(const char *word)
{
	fprintf(stderr, "penstockctl: there is no command '%s'; there are:", word);
	for (size_t i = 0; i < N_COMMANDS; i++)
		fprintf(stderr, " %s", commands[i].word);
	fputc('\n', stderr);
	return EX_USAGE;
}

int
main(int argc, char **argv)
{
	static const struct option options[] = {{"socket", required_argument, NULL, 's'},
		{"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'V'}, {0}};
	const char *path = NULL;
	bool is_json = false;
	int option;

	while ((option = getopt_long(argc, argv, "s:hV", options, NULL)) != -1) {
		switch (option) {
		case 's':
			path = optarg;
			break;
		case 'j':
			is_json = true;
			break;
		case 'h':
			print_usage(stdout);
			return EXIT_SUCCESS;
		case 'V':
			printf("penstockctl %s\n", PENSTOCK_VERSION);
			return EXIT_SUCCESS;
		default:
			print_usage(stderr);
			return EX_USAGE;
		}
	}
	if (argc - optind != 1) {
		print_usage(stderr);
		return EX_USAGE;
	}
	for (size_t i = 0; i < N_COMMANDS; i++)
		if (strcmp(argv[optind], commands[i].word) == 0)
			return run(path, i, is_json);
	return refuse_usage(argv[optind]);
}
