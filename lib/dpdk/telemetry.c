/* SPDX-License-Identifier: BSD-3-Clause */
#include "dpdk/telemetry.h"

#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <rte_telemetry.h>

#define GROUPS_MAX 8

struct telemetry {
	struct rte_tel_data *data;
	struct {
		const char *name;
		struct rte_tel_data *data;
	} group[GROUPS_MAX];
	size_t n_groups;
};

/* DPDK has one socket in a process and takes no command back. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct telemetry_source source; /* under lock; all NULL: nobody answers */
static bool is_registered; /* under lock */

/* Where the value goes; NULL: it is left out for want of memory. */
static struct rte_tel_data *
find_group(struct telemetry *answer, const char *name)
{
	struct rte_tel_data *data;

	if (name == NULL)
		return answer->data;
	for (size_t i = 0; i < answer->n_groups; i++)
		if (strcmp(answer->group[i].name, name) == 0)
			return answer->group[i].data;
	if (answer->n_groups == GROUPS_MAX || (data = rte_tel_data_alloc()) == NULL)
		return NULL;
	rte_tel_data_start_dict(data);
	answer->group[answer->n_groups].name = name;
	answer->group[answer->n_groups++].data = data;
	return data;
}

/* DPDK takes letters, digits, '_' and '/' in names: '.' becomes '/', any other '_'. */
static const char *
spell(const char *name, char spelled[RTE_TEL_MAX_STRING_LEN])
{
	size_t i;

	for (i = 0; name[i] != '\0' && i < RTE_TEL_MAX_STRING_LEN / 2 - 1; i++)
		if (isalnum((unsigned char)name[i]) || name[i] == '_' || name[i] == '/')
			spelled[i] = name[i];
		else
			spelled[i] = name[i] == '.' ? '/' : '_';
	spelled[i] = '\0';
	return spelled;
}

void
telemetry_number(struct telemetry *answer, const char *group, const char *name, uint64_t value)
{
	struct rte_tel_data *data = find_group(answer, group);
	char spelled[RTE_TEL_MAX_STRING_LEN];

	if (data != NULL)
		rte_tel_data_add_dict_u64(data, spell(name, spelled), value);
}

void
telemetry_text(struct telemetry *answer, const char *group, const char *name, const char *value)
{
	struct rte_tel_data *data = find_group(answer, group);
	char spelled[RTE_TEL_MAX_STRING_LEN];

	if (data != NULL)
		rte_tel_data_add_dict_string(data, spell(name, spelled), value);
}

/* The groups belong to the answer from here on. */
static void
add_groups(struct telemetry *answer)
{
	for (size_t i = 0; i < answer->n_groups; i++)
		if (rte_tel_data_add_dict_container(answer->data, answer->group[i].name,
			    answer->group[i].data, 0) != 0)
			rte_tel_data_free(answer->group[i].data);
}

static int
answer_ledger(const char *command, const char *parameters, struct rte_tel_data *data)
{
	struct telemetry answer = {.data = data};
	int result = -EAGAIN;

	(void)command;
	(void)parameters;
	pthread_mutex_lock(&lock);
	if (source.ledger != NULL) {
		rte_tel_data_start_dict(data);
		source.ledger(source.context, &answer);
		add_groups(&answer);
		result = 0;
	}
	pthread_mutex_unlock(&lock);
	return result;
}

static int
answer_worker(const char *command, const char *parameters, struct rte_tel_data *data)
{
	struct telemetry answer = {.data = data};
	int result = -EAGAIN;
	unsigned long worker;
	char *end;

	(void)command;
	if (parameters == NULL || parameters[strspn(parameters, "0123456789")] != '\0' ||
		(worker = strtoul(parameters, &end, 10)) > UINT16_MAX || end == parameters)
		return -EINVAL;
	pthread_mutex_lock(&lock);
	if (source.worker != NULL) {
		rte_tel_data_start_dict(data);
		result = source.worker(source.context, (unsigned)worker, &answer);
		add_groups(&answer);
	}
	pthread_mutex_unlock(&lock);
	return result;
}

int
telemetry_open(const struct telemetry_source *new_source)
{
	int result = 0;

	pthread_mutex_lock(&lock);
	if (!is_registered) {
		result = rte_telemetry_register_cmd("/penstock/ledger", answer_ledger,
			"All counters of Penstock. Takes no parameters");
		if (result == 0)
			result = rte_telemetry_register_cmd("/penstock/worker", answer_worker,
				"Counters and inputs of a worker. Parameters: its number");
	}
	if (result == 0) {
		is_registered = true;
		source = *new_source;
	}
	pthread_mutex_unlock(&lock);
	return result;
}

void
telemetry_close(void)
{
	pthread_mutex_lock(&lock);
	source = (struct telemetry_source){0};
	pthread_mutex_unlock(&lock);
}
