/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line. */
#ifndef PENSTOCK_LOAD_ARGUMENTS_H
#define PENSTOCK_LOAD_ARGUMENTS_H

#include "penstock-load/datagram.h"
#include "penstock-load/pace.h"
#include "penstock-load/search.h"
#include "penstock-load/sender.h"

struct arguments {
	const struct sender_driver *driver;
	const char *target; /* of the driver */
	uint64_t n_lines; /* UINT64_MAX for no limit */
	uint64_t duration; /* ns; 0 for no limit */
	struct profile_options profile;
	struct packing packing;
	struct pace pace;
	struct sender_options sender;
	const char *sums; /* file, or NULL */
	char host[256]; /* what the intake puts on lines that name none */
	bool is_search; /* trials at many rates instead of one load */
	struct search_conf search;
	const char *ledger; /* admin socket of the receiver */
};

/* 0 to go on; else the program ends: -1 after --help or --version, or EX_USAGE after one sentence
 * on stderr. Strings belong to argv. */
int arguments_parse(struct arguments *arguments, int argc, char **argv);

#endif
