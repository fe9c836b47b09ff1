/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "penstockd/arguments.h"
#include "penstockd/options.h"
#include "penstockd/settings.h"

static const char *no_variables[] = {NULL};

/* What one configuration came to. */
struct outcome {
	struct options options;
	struct warnings warnings;
	int result;
	char message[1024]; /* of the error, or of the first warning */
};

static void
load(const char *text, const char *const *environment, struct outcome *outcome)
{
	struct conf_error error = {0};

	memset(outcome, 0, sizeof(*outcome));
	outcome->result = options_parse(span_from_string(text), "p.yaml", environment,
		&outcome->options, &outcome->warnings, &error);
	if (outcome->result != 0)
		conf_error_text(&error, outcome->message, sizeof(outcome->message));
	else if (outcome->warnings.n != 0)
		conf_error_text(&outcome->warnings.item[0], outcome->message,
			sizeof(outcome->message));
}

static void
done(struct outcome *outcome)
{
	options_free(&outcome->options);
	warnings_free(&outcome->warnings);
}

static void
expect_refused(const char *text, const char *message)
{
	struct outcome outcome;

	load(text, no_variables, &outcome);
	assert_string_equal(outcome.message, message);
	assert_int_not_equal(outcome.result, 0);
	assert_null(outcome.options.hostname);
	done(&outcome);
}

static void
expect_warning(const char *text, const char *message)
{
	struct outcome outcome;

	load(text, no_variables, &outcome);
	assert_string_equal(outcome.message, message);
	assert_int_equal(outcome.result, 0);
	assert_int_equal(outcome.warnings.n, 1);
	done(&outcome);
}

static void
an_empty_file_gives_the_agents_defaults(void **state)
{
	static const char *const texts[] = {"", "# nothing\n", "~\n", "penstock:\n", "---\n..."};
	const struct output_options *output;
	struct outcome outcome;
	char name[256];

	(void)state;
	assert_int_equal(gethostname(name, sizeof(name)), 0);
	for (size_t i = 0; i < ARRAY_LENGTH(texts); i++) {
		load(texts[i], no_variables, &outcome);
		assert_int_equal(outcome.result, 0);
		assert_int_equal(outcome.warnings.n, 0);
		assert_string_equal(outcome.options.hostname, name);
		assert_string_equal(outcome.options.dogstatsd_port, "8125");
		assert_string_equal(outcome.options.bind_host, "localhost");
		assert_false(outcome.options.dogstatsd_non_local_traffic);
		assert_int_equal(outcome.options.dogstatsd_buffer_size, 8192);
		assert_int_equal(outcome.options.dogstatsd_expiry_seconds, 300);
		assert_int_equal(outcome.options.dogstatsd_context_expiry_seconds, 20);
		assert_int_equal(outcome.options.aggregate_window_duration_seconds, 10);
		assert_true(outcome.options.dogstatsd_no_aggregation_pipeline);
		assert_true(outcome.options.histogram.max && outcome.options.histogram.median &&
			outcome.options.histogram.avg && outcome.options.histogram.count);
		assert_false(outcome.options.histogram.min || outcome.options.histogram.sum);
		assert_int_equal(outcome.options.histogram.n_percentiles, 1);
		assert_int_equal(outcome.options.histogram.percentile[0], 95);
		assert_true(outcome.options.flush_on_stop);
		assert_int_equal(outcome.options.memory_ceiling, 256 << 20);
		assert_int_equal(outcome.options.max_context_bytes, 512 << 20);
		assert_int_equal(outcome.options.max_contexts, 1000000);
		assert_int_equal(outcome.options.socket_mode, 0722);
		assert_string_equal(outcome.options.admin_socket, "/run/penstock/admin.sock");
		output = outcome.options.outputs.item;
		assert_int_equal(outcome.options.outputs.n, 1);
		assert_string_equal(output->type, "file");
		assert_string_equal(output->name, "file");
		assert_string_equal(output->path, "/var/lib/penstock/metrics.ndjson");
		done(&outcome);
	}
}

static void
a_block_of_a_datadog_yaml_works_as_it_is(void **state)
{
	struct outcome outcome;

	(void)state;
	load("## @param api_key - string - required\n"
	     "api_key: 0123456789abcdef0123456789abcdef\n"
	     "site: datadoghq.eu\n"
	     "hostname: web-1.example.com\n"
	     "tags:\n  - team:infra\n  - env:prod\n"
	     "use_dogstatsd: true\n"
	     "dogstatsd_port: 8126\n"
	     "bind_host: 192.0.2.1\n"
	     "dogstatsd_non_local_traffic: yes\n"
	     "dogstatsd_stream_socket: /tmp/dsd-stream.sock\n"
	     "dogstatsd_so_rcvbuf: \"1048576\"\n"
	     "dogstatsd_eol_required: [udp]\n"
	     "dogstatsd_tags: \"region:eu zone:a\"\n"
	     "histogram_aggregates: ['max', 'sum', 'count']\n"
	     "histogram_percentiles:\n  - 0.5\n  - \"0.99\"\n"
	     "dogstatsd_mapper_profiles:\n  - name: x\n    prefix: 'x.'\n    mappings: []\n"
	     "logs_enabled: true\n",
		no_variables, &outcome);
	assert_int_equal(outcome.result, 0);
	assert_string_equal(outcome.options.hostname, "web-1.example.com");
	assert_int_equal(outcome.options.tags.n, 2);
	assert_string_equal(outcome.options.tags.item[1], "env:prod");
	assert_string_equal(outcome.options.dogstatsd_port, "8126");
	assert_true(outcome.options.dogstatsd_non_local_traffic);
	assert_int_equal(outcome.options.dogstatsd_so_rcvbuf, 1048576);
	assert_int_equal(outcome.options.dogstatsd_tags.n, 2);
	assert_string_equal(outcome.options.dogstatsd_tags.item[1], "zone:a");
	assert_true(outcome.options.histogram.sum);
	assert_false(outcome.options.histogram.avg);
	assert_int_equal(outcome.options.histogram.n_percentiles, 2);
	assert_int_equal(outcome.options.histogram.percentile[0], 50);
	assert_int_equal(outcome.options.histogram.percentile[1], 99);
	/* api_key, site, dogstatsd_mapper_profiles; and logs_enabled is unknown. */
	assert_int_equal(outcome.warnings.n, 4);
	assert_string_equal(outcome.message,
		"p.yaml:2:1: api_key is a setting of the Datadog Agent that Penstock does not "
		"support yet; it has no effect");
	assert_string_equal(outcome.warnings.item[3].text,
		"it has no effect: 'logs_enabled' is not a setting of Penstock");
	done(&outcome);
}

static void
an_unknown_key_below_penstock_is_refused(void **state)
{
	(void)state;
	expect_refused("penstock:\n  wokers: 2\n",
		"p.yaml:2:3: 'wokers' is not a setting of penstock; did you mean 'workers'?");
	expect_refused("penstock:\n  admin: {sokcet: /x}\n",
		"p.yaml:2:11: 'sokcet' is not a setting of admin; did you mean 'socket'?");
	expect_refused("penstock:\n  ports:\n    - devise: net_tap0\n",
		"p.yaml:3:7: 'devise' is not a setting of a port; did you mean 'device'?");
	expect_warning("dogstatsd_prot: 8125\n",
		"p.yaml:1:1: it has no effect: 'dogstatsd_prot' is not a setting of Penstock; did "
		"you mean 'dogstatsd_port'?");
}

static void
a_server_cannot_be_switched_off(void **state)
{
	const char *environment[] = {"DD_USE_DOGSTATSD=false", NULL};
	struct outcome outcome;

	(void)state;
	expect_warning("hostname: x\nuse_dogstatsd: false\n",
		"p.yaml:2:16: use_dogstatsd: false has no effect: to listen on less, set "
		"dogstatsd_port to 0 or leave sockets and ports out");
	load("use_dogstatsd: true\n", environment, &outcome);
	assert_int_equal(outcome.warnings.n, 1);
	assert_string_equal(outcome.message,
		"DD_USE_DOGSTATSD: use_dogstatsd: false has no effect: to listen on less, set "
		"dogstatsd_port to 0 or leave sockets and ports out");
	done(&outcome);
	load("use_dogstatsd: true\n", no_variables, &outcome);
	assert_int_equal(outcome.warnings.n, 0);
	done(&outcome);
}

static void
bad_values_are_refused_at_their_place(void **state)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{"just text\n", "p.yaml:1:1: expected settings, each as 'name: value'"},
		{"dogstatsd_port: 65536\n",
			"p.yaml:1:17: dogstatsd_port: expected a port from 0 to "
			"65535, or __random__, not '65536'"},
		{"hostname: a b\n",
			"p.yaml:1:11: hostname: expected a host name of letters, "
			"digits, '.', '-' and '_', not 'a b'"},
		{"dogstatsd_tags: ['a:b', 'c,d']\n",
			"p.yaml:1:25: dogstatsd_tags: a tag must not hold a comma or control "
			"character, as in 'c,d'; write each tag as an item of its own"},
		{"dogstatsd_tags: [\"x\\nadmin.ok:1|c\"]\n",
			"p.yaml:1:18: dogstatsd_tags: a tag must not hold a comma or control "
			"character, as in 'x?admin.ok:1|c'; write each tag as an item of its own"},
		{"dogstatsd_socket: dsd.sock\n",
			"p.yaml:1:19: dogstatsd_socket: expected an "
			"absolute path of a file, not 'dsd.sock'"},
		{"dogstatsd_eol_required: [udp, tcp]\n",
			"p.yaml:1:31: dogstatsd_eol_required: expected udp, uds or named_pipe, not "
			"'tcp'"},
		{"histogram_percentiles: [0.5, 95]\n",
			"p.yaml:1:30: histogram_percentiles: expected a number from 0 to 1 such as "
			"0.95, not '95'"},
		{"histogram_percentiles: nan\n",
			"p.yaml:1:24: histogram_percentiles: expected a number from 0 to 1 such as "
			"0.95, not 'nan'"},
		{"aggregate_window_duration_seconds: 0\n",
			"p.yaml:1:36: aggregate_window_duration_seconds: expected a time from 1 to "
			"3600 seconds, not '0'"},
		{"dogstatsd_buffer_size: 2097152\n",
			"p.yaml:1:24: dogstatsd_buffer_size: expected a whole number from 64 to "
			"1048576, not '2097152'"},
		{"penstock: {outputs: [{type: kafka}]}\n",
			"p.yaml:1:29: type: this build has no output of type 'kafka', only: file, "
			"null"},
		{"penstock: {outputs: [{path: /x}]}\n",
			"p.yaml:1:22: an output needs a type: file or null"},
		{"penstock: {outputs: [{type: file}, {type: file}]}\n",
			"p.yaml:1:36: its path is that of an output before it: give it a path of "
			"its own"},
		{"penstock: {outputs: [{type: null, name: a}, {type: null, name: a}]}\n",
			"p.yaml:1:45: an output of this name stands before: give it a name of its "
			"own"},
		{"penstock: {outputs: [{type: file, path: /run/penstock/admin.sock}]}\n",
			"p.yaml:1:22: its path is that of a socket"},
		{"penstock: {ports: [{name: up}]}\n",
			"p.yaml:1:20: a port needs a device: a PCI address or a virtual device"},
		{"penstock: {ports: [{device: eth0}]}\n",
			"p.yaml:1:29: device: expected a PCI address such as 0000:3b:00.0 or a "
			"virtual device such as net_af_packet0,iface=eth1, not 'eth0'"},
		{"penstock: {ports: [{device: net_tap0, name: udp}]}\n",
			"p.yaml:1:20: a port cannot be named udp, uds or uds_stream: these are the "
			"sockets"},
		{"penstock: {ports: [{device: net_tap0}, {device: net_tap1, name: port0}]}\n",
			"p.yaml:1:40: a port of this name stands before: give it a name of its "
			"own"},
		{"penstock: {ports: [{device: net_tap0}, {device: 'net_tap0,mac=fixed'}]}\n",
			"p.yaml:1:40: another port has the same device"},
		{"penstock: {ports: [{device: net_tap0, allow: [192.0.2.0/33]}]}\n",
			"p.yaml:1:47: allow: expected an IP address with a prefix length, such as "
			"192.0.2.10/24 or 2001:db8::10/64, not '192.0.2.0/33'"},
		{"penstock: {ports: [{device: net_tap0, exception: 0000:3b:00.0}]}\n",
			"p.yaml:1:50: exception: expected a virtual device that leads into the "
			"kernel, such as net_tap0,iface=pen0, not the NIC '0000:3b:00.0'"},
		{"penstock: {ports: [{device: net_tap0, gateway: [192.0.2.1/24]}]}\n",
			"p.yaml:1:49: gateway: expected an IP address without prefix length, such "
			"as 192.0.2.1, not '192.0.2.1/24'"},
		{"penstock: {ports: [{device: net_tap0, queues: 0}]}\n",
			"p.yaml:1:47: queues: expected auto or a count from 1 to 256, not '0'"},
		{"penstock: {admin: {http: localhost}}\n",
			"p.yaml:1:26: http: expected an IP address and a port, such as "
			"127.0.0.1:8128 or [::1]:8128, not 'localhost'"},
		{"penstock: {socket_mode: 0999}\n",
			"p.yaml:1:25: socket_mode: expected an octal mode from 0 to 0777, not "
			"'0999'"},
		{"penstock: {idle: slep}\n",
			"p.yaml:1:18: idle: expected auto, poll, pause or sleep, not 'slep'; did "
			"you mean 'sleep'?"},
		{"dogstatsd_socket: /tmp/a\ndogstatsd_stream_socket: /tmp/a\n",
			"p.yaml:2:26: dogstatsd_stream_socket: the same path as dogstatsd_socket"},
		{"dogstatsd_socket: /tmp/a\npenstock:\n  admin:\n    socket: /tmp/a\n",
			"p.yaml:4:13: the admin socket has the same path as a DogStatsD socket"},
		{"dogstatsd_socket: ''\ndogstatsd_port: 0\n",
			"p.yaml:2:17: dogstatsd_port: 0 leaves nothing to listen on: set a port, "
			"dogstatsd_socket, dogstatsd_stream_socket or penstock: ports"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(bad); i++)
		expect_refused(bad[i].text, bad[i].message);
}

static void
the_path_of_a_socket_has_107_bytes_at_most(void **state)
{
	char text[256], path[120];
	struct outcome outcome;

	(void)state;
	memset(path, 'x', sizeof(path));
	path[0] = '/';
	path[107] = '\0';
	snprintf(text, sizeof(text), "dogstatsd_socket: %s\n", path);
	load(text, no_variables, &outcome);
	assert_int_equal(outcome.result, 0);
	done(&outcome);
	snprintf(text, sizeof(text), "dogstatsd_socket: %sx\n", path);
	expect_refused(text,
		"p.yaml:1:19: dogstatsd_socket: the path has 108 bytes, but the path "
		"of a Unix socket has at most 107");
}

static void
percentiles_are_rounded_as_the_agent_does(void **state)
{
	/* int(p * 100 + 0.5) in double arithmetic, with Python 3.11. */
	static const struct {
		const char *text;
		int percent;
	} good[] = {
		{"0.95", 95},
		{"0.5", 50},
		{".5", 50},
		{"0.299", 30},
		{"0.29", 29},
		{"0.999", 100},
		{"0.994", 99},
		{"0.004", 0},
		{"0", 0},
		{"1", 100},
		{"1.0", 100},
	};
	static const char *const bad[] = {"", "95", "-0.5", "1.01", "nan", "inf", "0x1", "0.9.5",
		"1e-1", " 0.5", "."};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(good); i++)
		assert_int_equal(settings_percent(good[i].text), good[i].percent);
	for (size_t i = 0; i < ARRAY_LENGTH(bad); i++)
		assert_int_equal(settings_percent(bad[i]), -1);
}

static void
what_would_make_a_series_twice_is_left_out(void **state)
{
	struct outcome outcome;

	(void)state;
	load("histogram_percentiles: [0.95, 0.951, 0.5]\nhistogram_aggregates: [max, max]\n",
		no_variables, &outcome);
	assert_int_equal(outcome.result, 0);
	assert_int_equal(outcome.warnings.n, 2);
	assert_int_equal(outcome.options.histogram.n_percentiles, 2);
	assert_int_equal(outcome.options.histogram.percentile[1], 50);
	assert_int_equal(outcome.options.histogram_aggregates.n, 1);
	done(&outcome);
	expect_warning("histogram_aggregates: [max, maximum]\n",
		"p.yaml:1:29: histogram_aggregates: expected max, min, median, avg, count or sum, "
		"not 'maximum'");
}

static void
variables_override_the_file(void **state)
{
	const char *environment[] = {"DD_DOGSTATSD_PORT=9125", "DD_TAGS=a:b  c:d",
		"DD_HOSTNAME=other", "DD_DOGSTATSD_NON_LOCAL_TRAFFIC=1",
		"DD_HISTOGRAM_PERCENTILES=0.5 0.9", "DD_BIND_HOST=", "DD_TRACE_ENABLED=true",
		"DD_PENSTOCK=x", "dd_dogstatsd_port=1", "DD_dogstatsd_port=2", "PATH=/bin", NULL};
	struct outcome outcome;

	(void)state;
	load("dogstatsd_port: 1\nhostname: this\ntags: [x]\nbind_host: 127.0.0.2\n", environment,
		&outcome);
	assert_int_equal(outcome.result, 0);
	assert_int_equal(outcome.warnings.n, 0);
	assert_string_equal(outcome.options.dogstatsd_port, "9125");
	assert_string_equal(outcome.options.hostname, "other");
	assert_int_equal(outcome.options.tags.n, 2);
	assert_string_equal(outcome.options.tags.item[1], "c:d");
	assert_true(outcome.options.dogstatsd_non_local_traffic);
	assert_int_equal(outcome.options.histogram.n_percentiles, 2);
	/* An empty variable is none, as for the Agent. */
	assert_string_equal(outcome.options.bind_host, "127.0.0.2");
	done(&outcome);
}

static void
errors_and_warnings_name_the_variable(void **state)
{
	static const struct {
		const char *variable;
		const char *message;
	} bad[] = {
		{"DD_DOGSTATSD_PORT=x",
			"DD_DOGSTATSD_PORT: dogstatsd_port: expected a port from 0 "
			"to 65535, or __random__, not 'x'"},
		{"DD_DOGSTATSD_TAGS=a,b",
			"DD_DOGSTATSD_TAGS: dogstatsd_tags: a tag must not hold a "
			"comma or control character, as in 'a,b'; write each tag "
			"as an item of its own"},
		{"DD_TAGS=\xff", "DD_TAGS: tags: expected UTF-8 text"},
		{"DD_DOGSTATSD_STREAM_SOCKET=/tmp/a",
			"DD_DOGSTATSD_STREAM_SOCKET: dogstatsd_stream_socket: the same path as "
			"dogstatsd_socket"},
	};
	const char *unsupported[] = {"DD_API_KEY=x", NULL};
	struct outcome outcome;

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(bad); i++) {
		const char *environment[] = {bad[i].variable, NULL};

		load("dogstatsd_socket: /tmp/a\n", environment, &outcome);
		assert_int_not_equal(outcome.result, 0);
		assert_string_equal(outcome.message, bad[i].message);
		done(&outcome);
	}
	load("", unsupported, &outcome);
	assert_int_equal(outcome.result, 0);
	assert_string_equal(outcome.message,
		"DD_API_KEY: api_key is a setting of the Datadog Agent that Penstock does not "
		"support yet; it has no effect");
	done(&outcome);
}

static void
the_agents_flush_setting_wins_where_it_is_given(void **state)
{
	const char *environment[] = {"DD_DOGSTATSD_FLUSH_INCOMPLETE_BUCKETS=true", NULL};
	struct outcome outcome;

	(void)state;
	load("penstock: {flush_on_stop: true}\ndogstatsd_flush_incomplete_buckets: false\n",
		no_variables, &outcome);
	assert_false(outcome.options.flush_on_stop);
	done(&outcome);
	load("penstock: {flush_on_stop: false}\n", no_variables, &outcome);
	assert_false(outcome.options.flush_on_stop);
	done(&outcome);
	load("penstock: {flush_on_stop: false}\n", environment, &outcome);
	assert_true(outcome.options.flush_on_stop);
	done(&outcome);
}

static void
names_default_to_type_and_place(void **state)
{
	const struct output_options *output;
	const struct port_options *port;
	struct outcome outcome;

	(void)state;
	load("penstock:\n"
	     "  ports: [{device: 0000:3b:00.0}, {device: net_tap0, name: lab}, {device: "
	     "net_tap1}]\n"
	     "  outputs: [{type: file}, {type: null}, {type: file, path: /tmp/x}]\n",
		no_variables, &outcome);
	assert_int_equal(outcome.result, 0);
	port = outcome.options.ports.item;
	assert_string_equal(port[0].name, "port0");
	assert_string_equal(port[1].name, "lab");
	assert_string_equal(port[2].name, "port2");
	output = outcome.options.outputs.item;
	assert_string_equal(output[0].name, "file");
	assert_string_equal(output[1].name, "null");
	assert_string_equal(output[1].type, "null");
	assert_string_equal(output[2].name, "file2");
	done(&outcome);
}

static char *
printed(const struct options *options)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	options_print(options, out);
	fclose(out);
	return text;
}

static void
the_printed_configuration_reads_back_to_the_same(void **state)
{
	static const char *const texts[] = {
		"",
		"hostname: h\ntags: ['a:\"b\" é', '# c']\ndogstatsd_socket: ''\n"
		"dogstatsd_flush_incomplete_buckets: false\n"
		"histogram_percentiles: [0.95, 0.951]\n"
		"penstock:\n  workers: [1]\n  memory_ceiling: 1GiB\n  socket_mode: 0\n"
		"  admin: {socket: '', http: ''}\n  eal: --no-pci -m 512\n  hugepages: off\n"
		"  ports:\n    - {device: net_tap0, addresses: [192.0.2.1/24, '2001:db8::1/64'],"
		" checksum: ignore, queues: 4, exception: 'net_tap9,iface=pen0'}\n    - device: "
		"net_null0\n"
		"  outputs: [{type: null}, {type: file, path: /tmp/x}]\n",
	};
	struct outcome first, second;

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(texts); i++) {
		char *once, *twice;

		load(texts[i], no_variables, &first);
		assert_int_equal(first.result, 0);
		once = printed(&first.options);
		load(once, no_variables, &second);
		assert_int_equal(second.result, 0);
		assert_int_equal(second.warnings.n, 0);
		twice = printed(&second.options);
		assert_string_equal(once, twice);
		free(once);
		free(twice);
		done(&first);
		done(&second);
	}
}

static void
the_embedded_default_stands_in_the_runtime_folder(void **state)
{
	char folder[] = "/tmp/options-XXXXXX", variable[64], path[128];
	const char *environment[] = {variable, "DD_DOGSTATSD_PORT=__random__", NULL};
	struct warnings warnings = {0};
	struct conf_error error;
	struct options options;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(variable, sizeof(variable), "XDG_RUNTIME_DIR=%s", folder);
	assert_int_equal(options_load(NULL, environment, &options, &warnings, &error), 0);
	assert_int_equal(warnings.n, 0);
	snprintf(path, sizeof(path), "%s/penstock", folder);
	assert_string_equal(options.private_folder, path);
	assert_int_equal(access(path, F_OK), -1); /* nothing is made yet */
	snprintf(path, sizeof(path), "%s/penstock/dogstatsd.sock", folder);
	assert_string_equal(options.dogstatsd_socket, path);
	snprintf(path, sizeof(path), "%s/penstock/metrics.ndjson", folder);
	assert_string_equal(((struct output_options *)options.outputs.item)->path, path);
	snprintf(path, sizeof(path),
		"net_memif0,role=server,socket-abstract=no,socket=%s/penstock/memif.sock", folder);
	assert_string_equal(((struct port_options *)options.ports.item)->device, path);
	assert_string_equal(options.dogstatsd_port, "__random__");
	assert_string_equal(options.admin_http, "127.0.0.1:8128");
	options_free(&options);
	rmdir(folder);
}

static void
without_a_runtime_folder_it_is_one_of_this_user_in_tmp(void **state)
{
	static const char *variable[] = {"XDG_RUNTIME_DIR=/nonexistent", "XDG_RUNTIME_DIR=relative",
		"XDG_RUNTIME_DIR=/tmp/../tmp,x", "OTHER=1"};
	struct warnings warnings = {0};
	struct conf_error error;
	struct options options;
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "/tmp/penstock-%u", (unsigned)geteuid());
	for (size_t i = 0; i < ARRAY_LENGTH(variable); i++) {
		const char *environment[] = {variable[i], NULL};

		assert_int_equal(options_load(NULL, environment, &options, &warnings, &error), 0);
		assert_string_equal(options.private_folder, path);
		options_free(&options);
	}
}

static void
arguments_are_read_or_named(void **state)
{
	const char *good[] = {"penstockd", "-c", "f.yaml", "--check", "--", "-m", "64", "--", NULL};
	const char *bad[][4] = {
		{"penstockd", "--chek", NULL},
		{"penstockd", "extra", NULL},
		{"penstockd", "-c", NULL},
		{"penstockd", "-c", "--", NULL},
	};
	static const char *const message[] = {
		"unknown option '--chek'",
		"unknown argument 'extra'",
		"-c needs the name of a configuration file",
		"-c needs the name of a configuration file",
	};
	struct arguments arguments;
	char why[128];

	(void)state;
	assert_int_equal(arguments_parse(8, good, &arguments, why, sizeof(why)), 0);
	assert_string_equal(arguments.file, "f.yaml");
	assert_true(arguments.check);
	assert_false(arguments.print_config);
	assert_int_equal(arguments.n_eal, 3);
	assert_string_equal(arguments.eal[0], "-m");
	for (size_t i = 0; i < ARRAY_LENGTH(bad); i++) {
		int argc = 0;

		while (bad[i][argc] != NULL)
			argc++;
		assert_true(arguments_parse(argc, bad[i], &arguments, why, sizeof(why)) < 0);
		assert_string_equal(why, message[i]);
	}
}

static void
every_row_is_named_once_and_explained(void **state)
{
	(void)state;
	for (const struct setting *row = settings_table.row; row->name != NULL; row++) {
		assert_non_null(row->help);
		assert_ptr_equal(setting_find(&settings_table, row->name), row);
		if (row->agent == SETTING_DIFFERS)
			assert_non_null(row->note);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_file_gives_the_agents_defaults),
		cmocka_unit_test(a_block_of_a_datadog_yaml_works_as_it_is),
		cmocka_unit_test(an_unknown_key_below_penstock_is_refused),
		cmocka_unit_test(a_server_cannot_be_switched_off),
		cmocka_unit_test(bad_values_are_refused_at_their_place),
		cmocka_unit_test(the_path_of_a_socket_has_107_bytes_at_most),
		cmocka_unit_test(percentiles_are_rounded_as_the_agent_does),
		cmocka_unit_test(what_would_make_a_series_twice_is_left_out),
		cmocka_unit_test(variables_override_the_file),
		cmocka_unit_test(errors_and_warnings_name_the_variable),
		cmocka_unit_test(the_agents_flush_setting_wins_where_it_is_given),
		cmocka_unit_test(names_default_to_type_and_place),
		cmocka_unit_test(the_printed_configuration_reads_back_to_the_same),
		cmocka_unit_test(the_embedded_default_stands_in_the_runtime_folder),
		cmocka_unit_test(without_a_runtime_folder_it_is_one_of_this_user_in_tmp),
		cmocka_unit_test(arguments_are_read_or_named),
		cmocka_unit_test(every_row_is_named_once_and_explained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
