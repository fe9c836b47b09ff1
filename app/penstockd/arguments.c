/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockd/arguments.h"

#include <errno.h>
#include <string.h>

#include "base/compiler.h"

/* An option that is there or not. */
struct flag {
	const char *name;
	size_t offset;
};

static const struct flag flags[] = {
	{"--check", offsetof(struct arguments, check)},
	{"--print-config", offsetof(struct arguments, print_config)},
	{"--print-settings", offsetof(struct arguments, print_settings)},
	{"--version", offsetof(struct arguments, version)},
	{"--help", offsetof(struct arguments, help)},
	{"-h", offsetof(struct arguments, help)},
};

static bool
set_flag(struct arguments *arguments, const char *text)
{
	for (size_t i = 0; i < ARRAY_LENGTH(flags); i++) {
		if (strcmp(flags[i].name, text) != 0)
			continue;
		*(bool *)((char *)arguments + flags[i].offset) = true;
		return true;
	}
	return false;
}

/* Takes "-c FILE" or "-cFILE" at *at. */
static int
take_file(struct arguments *arguments, int argc, const char *const *argv, int *at, char *why,
	size_t why_size)
{
	const char *file = argv[*at] + 2;

	if (*file == '\0')
		file = *at + 1 < argc ? argv[++*at] : "";
	if (*file == '\0' || strcmp(file, "--") == 0) {
		snprintf(why, why_size, "-c needs the name of a configuration file");
		return -EINVAL;
	}
	if (arguments->file != NULL) {
		snprintf(why, why_size, "-c is given twice");
		return -EINVAL;
	}
	arguments->file = file;
	return 0;
}

int
arguments_parse(int argc, const char *const *argv, struct arguments *ret_arguments, char *why,
	size_t why_size)
{
	struct arguments arguments = {0};

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--") == 0) {
			arguments.eal = argv + i + 1;
			arguments.n_eal = (size_t)(argc - i - 1);
			break;
		}
		if (strncmp(argv[i], "-c", 2) == 0) {
			if (take_file(&arguments, argc, argv, &i, why, why_size) != 0)
				return -EINVAL;
		} else if (!set_flag(&arguments, argv[i])) {
			snprintf(why, why_size, "unknown %s '%s'",
				argv[i][0] == '-' ? "option" : "argument", argv[i]);
			return -EINVAL;
		}
	}
	*ret_arguments = arguments;
	return 0;
}

void
arguments_print_usage(FILE *out)
{
	fputs("usage: penstockd [-c FILE] [--check] [--print-config] [--print-settings]\n"
	      "                 [--version] [--help] [-- EAL ARGUMENTS]\n"
	      "\n"
	      "  -c FILE          configuration (YAML); without it, the embedded default: UDP on\n"
	      "                   localhost, Unix sockets, a memif port and a file output in a\n"
	      "                   private folder\n"
	      "  --check          print the plan and exit; touches no device\n"
	      "  --print-config   print the effective configuration and exit\n"
	      "  --print-settings print every setting with its meaning and default, and exit\n"
	      "  --version        print the version and exit\n"
	      "  --               what follows goes to DPDK's EAL\n"
	      "\n"
	      "exit: 0; 64 usage; 69 a resource is missing; 70 our own fault; 78 configuration\n",
		out);
}
