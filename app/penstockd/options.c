/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockd/options.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"
#include "penstockd/check.h"
#include "penstockd/embedded.h"
#include "penstockd/environment.h"
#include "penstockd/setting_print.h"
#include "penstockd/settings.h"

#define EMBEDDED_NAME "the embedded default"
#define STRINGIFY_TOKENS(x) #x
#define STRINGIFY(x) STRINGIFY_TOKENS(x)

/* One run of options_parse. */
struct loader {
	struct conf conf;
	const char *const *environment;
	struct options options;
	struct setting_source source;
};

static int
out_of_memory(struct loader *loader)
{
	conf_refuse(loader->source.error, loader->source.file, 0, 0, "not enough memory");
	return -ENOMEM;
}

/* Replaces a string; the new one is taken over. */
static int
set_string(struct loader *loader, char **field, char *text)
{
	if (text == NULL)
		return out_of_memory(loader);
	free(*field);
	*field = text;
	return 0;
}

static char *string_printf(const char *format, ...) printf_like(1, 2);

static char *
string_printf(const char *format, ...)
{
	va_list arguments;
	char *text;
	int size;

	va_start(arguments, format);
	size = vasprintf(&text, format, arguments);
	va_end(arguments);
	return size >= 0 ? text : NULL;
}

static bool
is_given(const struct loader *loader, const char *key)
{
	const struct conf_node *node = conf_find(loader->conf.root, key);
	char variable[ENVIRONMENT_NAME_SIZE];

	environment_variable(key, variable);
	return (node != NULL && !conf_is_null(node)) ||
		environment_value(loader->environment, variable) != NULL;
}

static int
read_environment(struct loader *loader)
{
	return environment_read(loader->environment, &loader->options, &loader->source);
}

static int
read_file(struct loader *loader)
{
	const struct conf_node *root = loader->conf.root;

	if (root == NULL || conf_is_null(root))
		return 0;
	if (root->kind != CONF_MAP)
		return conf_refuse(loader->source.error, loader->source.file, root->line,
			root->column, "expected settings, each as 'name: value'");
	return setting_read(&settings_table, &loader->options, root, &loader->source);
}

static int
refuse_place(struct loader *loader, struct conf_place place, const char *text)
{
	return conf_refuse(loader->source.error, loader->source.file, place.line, place.column,
		"%s", text);
}

/* Refuses a setting of the top level where it was given. */
static int
refuse_key(struct loader *loader, const char *key, const char *text)
{
	const struct conf_node *node = conf_find(loader->conf.root, key);
	char variable[ENVIRONMENT_NAME_SIZE];

	environment_variable(key, variable);
	if (environment_value(loader->environment, variable) != NULL)
		return conf_refuse(loader->source.error, variable, 0, 0, "%s: %s", key, text);
	return conf_refuse(loader->source.error, loader->source.file, node != NULL ? node->line : 0,
		node != NULL ? node->column : 0, "%s: %s", key, text);
}

static int
resolve_use_dogstatsd(struct loader *loader)
{
	static const char key[] = "use_dogstatsd";
	const struct conf_node *node = conf_find(loader->conf.root, key);
	char variable[ENVIRONMENT_NAME_SIZE];
	bool by_variable;

	if (loader->options.use_dogstatsd)
		return 0;
	environment_variable(key, variable);
	by_variable = environment_value(loader->environment, variable) != NULL;
	warnings_add(loader->source.warnings, by_variable ? variable : loader->source.file,
		by_variable || node == NULL ? 0 : node->line,
		by_variable || node == NULL ? 0 : node->column,
		"use_dogstatsd: false has no effect: to listen on less, set dogstatsd_port to 0 or "
		"leave sockets and ports out");
	return 0;
}

static int
resolve_hostname(struct loader *loader)
{
	struct options *options = &loader->options;
	char name[256] = "", why[SETTING_WHY_SIZE];

	if (options->hostname[0] != '\0')
		return 0;
	/* The kernel takes any bytes for a name. */
	if (gethostname(name, sizeof(name) - 1) != 0 || check_hostname(name, why) != SETTING_FITS) {
		name[0] = '\0';
		if (string_list_add(&options->notes,
			    "This host's own name cannot be used, so what names no host has "
			    "none: set hostname.") != 0)
			return out_of_memory(loader);
	}
	return set_string(loader, &options->hostname, strdup(name));
}

/* The Agent's default socket stands in a folder that only an installed Agent has. */
static int
resolve_socket(struct loader *loader)
{
	static const char folder[] = "/var/run/datadog";
	struct options *options = &loader->options;
	struct stat status;

	if (is_given(loader, "dogstatsd_socket") || stat(folder, &status) == 0)
		return 0;
	if (string_list_add(&options->notes,
		    "dogstatsd_socket is not given and the folder of the Agent's default, "
		    "/var/run/datadog, does not exist: there is no Unix datagram socket.") != 0)
		return out_of_memory(loader);
	return set_string(loader, &options->dogstatsd_socket, strdup(""));
}

static void
leave_out(struct loader *loader, const char *key, char *item)
{
	char quoted[CONF_QUOTED_SIZE];

	warnings_add(loader->source.warnings, loader->source.file, 0, 0,
		"%s: %s makes the same series as an item before it and is left out", key,
		conf_quote(item, quoted));
	free(item);
}

/* The switch of an aggregate; its row has checked the name. */
static bool *
aggregate_switch(struct histogram_conf *histogram, const char *name)
{
	const struct {
		const char *name;
		bool *value;
	} aggregate[] = {
		{"max", &histogram->max},
		{"min", &histogram->min},
		{"median", &histogram->median},
		{"avg", &histogram->avg},
		{"count", &histogram->count},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(aggregate); i++)
		if (strcmp(aggregate[i].name, name) == 0)
			return aggregate[i].value;
	return &histogram->sum;
}

static int
resolve_aggregates(struct loader *loader)
{
	struct string_list *list = &loader->options.histogram_aggregates;
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++) {
		bool *value = aggregate_switch(&loader->options.histogram, list->item[i]);

		if (*value)
			leave_out(loader, "histogram_aggregates", list->item[i]);
		else
			list->item[n++] = list->item[i];
		*value = true;
	}
	list->n = n;
	return 0;
}

/* Two percentiles that round to one percent would make two series of one name. */
static int
resolve_percentiles(struct loader *loader)
{
	struct string_list *list = &loader->options.histogram_percentiles;
	struct histogram_conf *histogram = &loader->options.histogram;
	bool seen[101] = {false};
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++) {
		int percent = settings_percent(list->item[i]);

		if (seen[percent]) {
			leave_out(loader, "histogram_percentiles", list->item[i]);
			continue;
		}
		seen[percent] = true;
		list->item[n++] = list->item[i];
		if (n <= PERCENTILES_MAX)
			histogram->percentile[n - 1] = (uint8_t)percent;
	}
	list->n = n;
	if (n > PERCENTILES_MAX)
		return refuse_key(loader, "histogram_percentiles",
			"more than " STRINGIFY(PERCENTILES_MAX) " percentiles");
	histogram->n_percentiles = (uint32_t)n;
	return 0;
}

/* Arguments aside: EAL knows a device by its name. */
static bool
same_device(const char *a, const char *b)
{
	size_t size = strcspn(a, ",");

	return size == strcspn(b, ",") && strncmp(a, b, size) == 0;
}

static int
check_port_name(struct loader *loader, const struct port_options *port, size_t n_before)
{
	static const char *const taken[] = {"udp", "uds", "uds_stream"};
	const struct port_options *other = loader->options.ports.item;

	for (size_t i = 0; i < ARRAY_LENGTH(taken); i++)
		if (strcmp(port->name, taken[i]) == 0)
			return refuse_place(loader, port->place,
				"a port cannot be named udp, uds or uds_stream: these are the "
				"sockets");
	for (size_t i = 0; i < n_before; i++) {
		if (strcmp(other[i].name, port->name) == 0)
			return refuse_place(loader, port->place,
				"a port of this name stands before: give it a name of its own");
		if (same_device(other[i].device, port->device))
			return refuse_place(loader, port->place,
				"another port has the same device");
	}
	return 0;
}

static int
resolve_ports(struct loader *loader)
{
	struct object_list *list = &loader->options.ports;
	struct port_options *port = list->item;
	int error;

	for (size_t i = 0; i < list->n; i++) {
		if (port[i].device[0] == '\0')
			return refuse_place(loader, port[i].place,
				"a port needs a device: a PCI address or a virtual device");
		if (port[i].name[0] == '\0') {
			error = set_string(loader, &port[i].name, string_printf("port%zu", i));
			if (error != 0)
				return error;
		}
		error = check_port_name(loader, &port[i], i);
		if (error != 0)
			return error;
	}
	return 0;
}

/* The first of a type is named like it, the next "file2". */
static int
name_output(struct loader *loader, struct output_options *output, size_t n_before)
{
	const struct output_options *other = loader->options.outputs.item;
	size_t number = 1;

	if (output->name[0] == '\0') {
		int error;

		for (size_t i = 0; i < n_before; i++)
			number += strcmp(other[i].type, output->type) == 0;
		error = set_string(loader, &output->name,
			number == 1 ? strdup(output->type)
				    : string_printf("%s%zu", output->type, number));
		if (error != 0)
			return error;
	}
	for (size_t i = 0; i < n_before; i++)
		if (strcmp(other[i].name, output->name) == 0)
			return refuse_place(loader, output->place,
				"an output of this name stands before: give it a name of its own");
	return 0;
}

static int
add_default_output(struct loader *loader)
{
	struct object_list *list = &loader->options.outputs;
	struct output_options *output = calloc(1, sizeof(*output));

	if (output == NULL)
		return out_of_memory(loader);
	free(list->item);
	list->item = output;
	list->n = 1;
	output->type = strdup("file");
	output->name = strdup("");
	output->path = strdup("");
	if (output->type == NULL || output->name == NULL || output->path == NULL)
		return out_of_memory(loader);
	return 0;
}

static int
resolve_outputs(struct loader *loader)
{
	struct object_list *list = &loader->options.outputs;
	struct output_options *output;
	int error = list->n == 0 ? add_default_output(loader) : 0;

	output = list->item;
	for (size_t i = 0; error == 0 && i < list->n; i++) {
		if (output[i].type[0] == '\0')
			return refuse_place(loader, output[i].place,
				"an output needs a type: file or null");
		error = name_output(loader, &output[i], i);
		if (error == 0 && strcmp(output[i].type, "file") == 0 && output[i].path[0] == '\0')
			error = set_string(loader, &output[i].path, strdup(SETTINGS_OUTPUT_PATH));
	}
	return error;
}

static struct conf_place
admin_socket_place(const struct loader *loader)
{
	const struct conf_node *own = conf_find(loader->conf.root, "penstock");
	const struct conf_node *node = conf_find(conf_find(own, "admin"), "socket");

	return node != NULL ? (struct conf_place){node->line, node->column}
			    : (struct conf_place){0};
}

/* Each path stands for one thing. */
static int
check_paths(struct loader *loader)
{
	const struct options *options = &loader->options;
	const struct output_options *output = options->outputs.item;
	const char *datagram = options->dogstatsd_socket, *admin = options->admin_socket;
	const char *stream = options->dogstatsd_stream_socket;

	if (stream[0] != '\0' && strcmp(stream, datagram) == 0)
		return refuse_key(loader, "dogstatsd_stream_socket",
			"the same path as dogstatsd_socket");
	if (admin[0] != '\0' && (strcmp(admin, datagram) == 0 || strcmp(admin, stream) == 0))
		return refuse_place(loader, admin_socket_place(loader),
			"the admin socket has the same path as a DogStatsD socket");
	for (size_t i = 0; i < options->outputs.n; i++) {
		const char *path = output[i].path;

		if (path[0] == '\0')
			continue;
		if (strcmp(path, datagram) == 0 || strcmp(path, stream) == 0 ||
			strcmp(path, admin) == 0)
			return refuse_place(loader, output[i].place,
				"its path is that of a socket");
		for (size_t j = 0; j < i; j++)
			if (strcmp(path, output[j].path) == 0)
				return refuse_place(loader, output[i].place,
					"its path is that of an output before it: give it a path "
					"of its own");
	}
	return 0;
}

static int
check_listeners(struct loader *loader)
{
	const struct options *options = &loader->options;

	if (strcmp(options->dogstatsd_port, "0") == 0 && options->dogstatsd_socket[0] == '\0' &&
		options->dogstatsd_stream_socket[0] == '\0' && options->ports.n == 0)
		return refuse_key(loader, "dogstatsd_port",
			"0 leaves nothing to listen on: set a port, dogstatsd_socket, "
			"dogstatsd_stream_socket or penstock: ports");
	return 0;
}

static int
run_loader(struct loader *loader)
{
	static int (*const step[])(struct loader * loader) = {
		read_file,
		read_environment,
		resolve_use_dogstatsd,
		resolve_hostname,
		resolve_socket,
		resolve_aggregates,
		resolve_percentiles,
		resolve_ports,
		resolve_outputs,
		check_paths,
		check_listeners,
	};
	struct setting_source defaults = loader->source;
	int error;

	defaults.file = "default";
	error = setting_defaults(&settings_table, &loader->options, &defaults);
	for (size_t i = 0; error == 0 && i < ARRAY_LENGTH(step); i++)
		error = step[i](loader);
	return error;
}

static int
load(struct conf conf, const char *const *environment, const char *private_folder,
	struct options *ret_options, struct warnings *warnings, struct conf_error *error)
{
	struct loader loader = {
		.conf = conf,
		.environment = environment,
		.source = {.file = conf.file, .warnings = warnings, .error = error},
	};
	int result;

	loader.options.source = strdup(conf.file);
	loader.options.private_folder = strdup(private_folder);
	if (loader.options.source == NULL || loader.options.private_folder == NULL)
		result = out_of_memory(&loader);
	else
		result = run_loader(&loader);
	if (result != 0) {
		options_free(&loader.options);
		return result;
	}
	*ret_options = loader.options;
	return 0;
}

static int
load_embedded(const char *const *environment, struct options *ret_options,
	struct warnings *warnings, struct conf_error *error)
{
	struct conf conf;
	char folder[128];
	char *text;
	int result;

	embedded_folder(environment_value(environment, "XDG_RUNTIME_DIR"), folder, sizeof(folder));
	text = embedded_text(folder);
	if (text == NULL) {
		conf_refuse(error, EMBEDDED_NAME, 0, 0, "not enough memory");
		return -ENOMEM;
	}
	result = conf_parse(span_from_string(text), EMBEDDED_NAME, &conf, error);
	if (result == 0) {
		result = load(conf, environment, folder, ret_options, warnings, error);
		conf_free(&conf);
	}
	free(text);
	return result;
}

int
options_load(const char *path, const char *const *environment, struct options *ret_options,
	struct warnings *warnings, struct conf_error *error)
{
	struct conf conf;
	int result;

	if (path == NULL)
		return load_embedded(environment, ret_options, warnings, error);
	result = conf_read(path, &conf, error);
	if (result != 0)
		return result;
	result = load(conf, environment, "", ret_options, warnings, error);
	conf_free(&conf);
	return result;
}

int
options_parse(struct span text, const char *source, const char *const *environment,
	struct options *ret_options, struct warnings *warnings, struct conf_error *error)
{
	struct conf conf;
	int result = conf_parse(text, source, &conf, error);

	if (result != 0)
		return result;
	result = load(conf, environment, "", ret_options, warnings, error);
	conf_free(&conf);
	return result;
}

int
options_add_eal(struct options *options, const char *text, struct conf_error *error)
{
	char why[SETTING_WHY_SIZE];

	if (!utf8_is_valid(span_from_string(text)))
		return conf_refuse(error, "command line", 0, 0, "expected UTF-8 text");
	if (check_eal(text, why) != SETTING_FITS)
		return conf_refuse(error, "command line", 0, 0, "%s", why);
	return string_list_add(&options->eal, text);
}

void
options_print(const struct options *options, FILE *out)
{
	setting_print(&settings_table, options, out);
}

void
options_free(struct options *options)
{
	if (options == NULL)
		return;
	setting_free(&settings_table, options);
	string_list_free(&options->notes);
	free(options->source);
	free(options->private_folder);
	*options = (struct options){0};
}
