/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockd/settings.h"

#include <stdlib.h>

#include "conf/value.h"
#include "penstockd/check.h"
#include "penstockd/options.h"

#define FIELD(name) .offset = offsetof(struct options, name)
#define PORT_FIELD(name) .offset = offsetof(struct port_options, name)
#define OUTPUT_FIELD(name) .offset = offsetof(struct output_options, name)

static const char *const checksum_names[] = {"auto", "verify", "ignore", NULL};
static const char *const promiscuous_names[] = {"auto", "on", "off", NULL};
static const char *const flow_names[] = {"off", "on", NULL};
static const char *const idle_names[] = {"auto", "poll", "pause", "sleep", NULL};
static const char *const host_names[] = {"self", "source", "none", NULL};
static const char *const hugepages_names[] = {"auto", "off", NULL};

static const struct setting port_rows[] = {
	{
		.name = "name",
		.kind = SETTING_STRING,
		PORT_FIELD(name),
		.value = "",
		.check = check_name,
		.help = "Its name in the ledger. Default: port0, port1, … by place in the list.",
	},
	{
		.name = "device",
		.kind = SETTING_STRING,
		PORT_FIELD(device),
		.value = "",
		.check = check_device,
		.help = "What DPDK opens: a PCI address, or a virtual device with its arguments. "
			"Must be given. With net_af_packet and net_pcap the kernel goes on serving "
			"the interface: what its UDP socket hears as well is counted more than "
			"once.",
	},
	{
		.name = "members",
		.kind = SETTING_STRINGS,
		PORT_FIELD(members),
		.value = "",
		.check = check_device,
		.help = "Of a bond (device: net_bonding0,mode=1 and so on): the devices that it "
			"is made of, each as in device. mode=1: one works, the others stand by; "
			"mode=4: LACP.",
	},
	{
		.name = "addresses",
		.kind = SETTING_STRINGS,
		PORT_FIELD(addresses),
		.value = "",
		.check = check_prefix,
		.help = "The port's own IP addresses with prefix length: it takes datagrams to "
			"them, and answers ARP, neighbour solicitations and echo requests for "
			"them. Without any, it takes datagrams to every destination and answers "
			"nothing.",
	},
	{
		.name = "gateway",
		.kind = SETTING_STRINGS,
		PORT_FIELD(gateway),
		.value = "",
		.check = check_address,
		.help = "Where answers to other networks go, one for each IP version.",
	},
	{
		.name = "exception",
		.kind = SETTING_STRING,
		PORT_FIELD(exception),
		.value = "",
		.check = check_exception,
		.help = "A device that leads into the kernel: net_tap0 makes an interface there. "
			"What "
			"arrives on the port and is neither a datagram for it nor answered by it "
			"goes there, and what the kernel sends to it goes out on the port. "
			"Default: none.",
	},
	{
		.name = "allow",
		.kind = SETTING_STRINGS,
		PORT_FIELD(allow),
		.value = "",
		.check = check_prefix,
		.help = "Prefixes of the sources that may send datagrams; ARP, neighbour "
			"solicitations and echo requests are answered whoever asks. Default: all.",
	},
	{
		.name = "queues",
		.kind = SETTING_STRING,
		PORT_FIELD(queues),
		.value = "auto",
		.check = check_queues,
		.help = "Receive queues, and workers that share the port: those without a queue "
			"get frames steered in software. auto: one for each worker on a NIC, one "
			"on a virtual device; shared by the workers of the port if there are more "
			"than queues.",
		.note = "auto, 1 to 256",
	},
	{
		.name = "checksum",
		.kind = SETTING_ENUM,
		PORT_FIELD(checksum),
		.value = "auto",
		.names = checksum_names,
		.help = "IP and UDP checksums. auto: as the device says, else computed, and a "
			"sender on this host may leave the UDP checksum out; verify: always "
			"computed; ignore: never looked at.",
	},
	{
		.name = "mtu",
		.kind = SETTING_UINT32,
		PORT_FIELD(mtu),
		.value = "0",
		.max = UINT16_MAX,
		.help = "The longest IP packet of the network, set on the device: 9000 for jumbo "
			"frames. 0: as the device has it. Longer datagrams come in fragments.",
		.note = "0, or what the device can have",
	},
	{
		.name = "promiscuous",
		.kind = SETTING_ENUM,
		PORT_FIELD(promiscuous),
		.value = "auto",
		.names = promiscuous_names,
		.help = "Whether the device lets frames through that are sent to other MAC "
			"addresses. auto: on for a virtual device without addresses, and where "
			"there is no other way to hear multicast.",
	},
	{
		.name = "flow",
		.kind = SETTING_ENUM,
		PORT_FIELD(flow),
		.value = "off",
		.names = flow_names,
		.help = "on: rules (rte_flow) direct datagrams to dogstatsd_port and the port's "
			"addresses to Penstock, and a device that is shared with the kernel leaves "
			"it the rest. A device that cannot is refused.",
	},
	{
		.name = "multicast",
		.kind = SETTING_STRINGS,
		PORT_FIELD(multicast),
		.value = "",
		.check = check_multicast,
		.help = "Multicast groups whose datagrams the port takes beside those to its "
			"addresses. The device is told to let them through; no switch or router "
			"is (IGMP, MLD).",
	},
	{0},
};

static const struct setting_table port_table = {
	.what = "a port",
	.row = port_rows,
	.size = sizeof(struct port_options),
};

static const struct setting output_rows[] = {
	{
		.name = "type",
		.kind = SETTING_STRING,
		OUTPUT_FIELD(type),
		.value = "",
		.check = check_output_type,
		.null_is_text = true,
		.help = "file or null (takes everything and writes nothing). Must be given.",
	},
	{
		.name = "name",
		.kind = SETTING_STRING,
		OUTPUT_FIELD(name),
		.value = "",
		.check = check_name,
		.help = "Its name in the ledger. Default: the type; file2, file3, … for further "
			"ones of a type.",
	},
	{
		.name = "path",
		.kind = SETTING_STRING,
		OUTPUT_FIELD(path),
		.value = "",
		.check = check_path,
		.help = "Of a file output: where it appends. Default: " SETTINGS_OUTPUT_PATH ".",
	},
	{0},
};

static const struct setting_table output_table_rows = {
	.what = "an output",
	.row = output_rows,
	.size = sizeof(struct output_options),
};

static const struct setting admin_rows[] = {
	{
		.name = "socket",
		.kind = SETTING_STRING,
		FIELD(admin_socket),
		.value = SETTINGS_ADMIN_SOCKET,
		.check = check_socket,
		.help = "Unix socket for penstockctl, mode 0660. Empty: none.",
	},
	{
		.name = "http",
		.kind = SETTING_STRING,
		FIELD(admin_http),
		.value = "127.0.0.1:8128",
		.check = check_http,
		.help = "Address and port of /metrics. Empty: none.",
	},
	{0},
};

static const struct setting_table admin_table = {
	.what = "admin",
	.row = admin_rows,
};

static const struct setting own_rows[] = {
	{
		.name = "ports",
		.kind = SETTING_OBJECTS,
		FIELD(ports),
		.table = &port_table,
		.help = "Interfaces that DPDK owns. Each takes UDP datagrams to dogstatsd_port.",
	},
	{
		.name = "workers",
		.kind = SETTING_CORES,
		FIELD(workers),
		.value = "auto",
		.min = 0,
		.max = 256,
		.help = "Cores that poll ports and decode: a count, or a list of cores; wins over "
			"dogstatsd_workers_count. auto: none without ports, else one for each "
			"isolated core on the ports' NUMA nodes, or where none is isolated for "
			"each physical core there, beside the slow one; no more than there are "
			"queues.",
	},
	{
		.name = "slow_core",
		.kind = SETTING_STRING,
		FIELD(slow_core),
		.value = "auto",
		.check = check_slow_core,
		.help = "The core that serves sockets and everything else that is not a port. "
			"auto: the first allowed core that is not isolated and no worker's.",
		.note = "auto, a core",
	},
	{
		.name = "idle",
		.kind = SETTING_ENUM,
		FIELD(idle),
		.value = "auto",
		.names = idle_names,
		.help = "What a worker does when there is nothing to do. poll: look again at once; "
			"pause: with a pause of the CPU between; sleep: in naps of 1 ms at most, "
			"by which the first datagram after a silence is late. auto: poll on an "
			"isolated core, sleep elsewhere.",
	},
	{
		.name = "hugepages",
		.kind = SETTING_ENUM,
		FIELD(hugepages),
		.value = "auto",
		.names = hugepages_names,
		.help = "auto: a NIC (a PCI device) must have them, else where enough are free. "
			"off: ordinary memory, for virtual devices.",
	},
	{
		.name = "memory_ceiling",
		.kind = SETTING_SIZE,
		FIELD(memory_ceiling),
		.value = "256MiB",
		.min = 1 << 20,
		.max = 1ull << 40,
		.help = "The most memory that received data may take before it is decoded. Beyond "
			"it datagrams are dropped and counted. It is taken when it is needed and "
			"given back within seconds; --check shows how ports, sockets and streams "
			"share it.",
	},
	{
		.name = "max_contexts",
		.kind = SETTING_UINT64,
		FIELD(max_contexts),
		.value = "1000000",
		.can_reload = true,
		.min = 1,
		.max = 1000000000,
		.help = "The most series that are kept; samples of further ones are dropped and "
			"counted.",
	},
	{
		.name = "max_context_bytes",
		.kind = SETTING_SIZE,
		FIELD(max_context_bytes),
		.value = "512MiB",
		.can_reload = true,
		.min = 1 << 20,
		.max = 1ull << 40,
		.help = "The most memory that series, their values and sets may take.",
	},
	{
		.name = "socket_mode",
		.kind = SETTING_MODE,
		FIELD(socket_mode),
		.value = "0722",
		.min = 0,
		.max = 0777,
		.help = "Mode of the DogStatsD Unix sockets.",
	},
	{
		.name = "flush_on_stop",
		.kind = SETTING_BOOL,
		FIELD(flush_on_stop),
		.value = "true",
		.can_reload = true,
		.help = "Hand the open bucket to the outputs when Penstock stops.",
	},
	{
		.name = "zero_fill",
		.kind = SETTING_BOOL,
		FIELD(zero_fill),
		.value = "true",
		.can_reload = true,
		.help = "A counter without samples counts 0 until it expires.",
	},
	{
		.name = "host",
		.kind = SETTING_ENUM,
		FIELD(host),
		.value = "self",
		.names = host_names,
		.help = "What stands in for a missing host: self is hostname, source is the "
			"sender's address, none is an empty text.",
	},
	{
		.name = "stop_timeout",
		.kind = SETTING_SECONDS,
		FIELD(stop_timeout),
		.value = "10",
		.can_reload = true,
		.min = 1,
		.max = 3600,
		.help = "Seconds from SIGTERM to the end.",
	},
	{
		.name = "admin",
		.kind = SETTING_OBJECT,
		.table = &admin_table,
		.help = "How Penstock is looked at and steered.",
	},
	{
		.name = "outputs",
		.kind = SETTING_OBJECTS,
		FIELD(outputs),
		.table = &output_table_rows,
		.help = "Where metrics go. Default: one file output.",
	},
	{
		.name = "eal",
		.kind = SETTING_STRINGS,
		FIELD(eal),
		.value = "",
		.check = check_eal,
		.help = "Further arguments for DPDK's EAL; those behind -- on the command line "
			"come after them.",
	},
	{0},
};

static const struct setting_table own_table = {
	.what = "penstock",
	.row = own_rows,
};

/* A setting of the Datadog Agent without effect here. */
#define UNSUPPORTED(key, text) \
	{ \
		.name = key, .agent = SETTING_UNSUPPORTED, .help = text \
	}

static const struct setting top_rows[] = {
	{
		.name = "use_dogstatsd",
		.kind = SETTING_BOOL,
		.agent = SETTING_DIFFERS,
		FIELD(use_dogstatsd),
		.value = "true",
		.can_reload = true,
		.help = "Accepted, since Penstock always is a DogStatsD server.",
		.note = "false has no effect and is a warning: leave listeners out instead",
	},
	{
		.name = "hostname",
		.kind = SETTING_STRING,
		.agent = SETTING_DIFFERS,
		FIELD(hostname),
		.value = "",
		.check = check_hostname,
		.help = "The host of what names none. Empty: this host's name.",
		.note = "the Agent also asks cloud providers and the FQDN",
	},
	{
		.name = "tags",
		.kind = SETTING_STRINGS,
		.agent = SETTING_DIFFERS,
		FIELD(tags),
		.value = "",
		.check = check_tag,
		.help = "Tags of this host.",
		.note = "the Agent sends them as properties of the host; here they are added to "
			"everything that is received",
	},
	{
		.name = "dogstatsd_tags",
		.kind = SETTING_STRINGS,
		.agent = SETTING_SAME,
		FIELD(dogstatsd_tags),
		.value = "",
		.check = check_tag,
		.help = "Tags added to everything that is received.",
	},
	{
		.name = "dogstatsd_port",
		.kind = SETTING_STRING,
		.agent = SETTING_SAME,
		FIELD(dogstatsd_port),
		.value = "8125",
		.check = check_udp_port,
		.help = "UDP port, 0 to 65535. 0: no UDP socket; __random__: any that is free.",
	},
	{
		.name = "bind_host",
		.kind = SETTING_STRING,
		.agent = SETTING_SAME,
		FIELD(bind_host),
		.value = "localhost",
		.check = check_bind_host,
		.help = "Address that the UDP socket listens on.",
	},
	{
		.name = "dogstatsd_non_local_traffic",
		.kind = SETTING_BOOL,
		.agent = SETTING_SAME,
		FIELD(dogstatsd_non_local_traffic),
		.value = "false",
		.help = "Listen on every address instead of bind_host.",
	},
	{
		.name = "dogstatsd_socket",
		.kind = SETTING_STRING,
		.agent = SETTING_DIFFERS,
		FIELD(dogstatsd_socket),
		.value = SETTINGS_AGENT_SOCKET,
		.check = check_socket,
		.help = "Unix datagram socket. Empty: none.",
		.note = "not given, and its folder does not exist: none",
	},
	{
		.name = "dogstatsd_stream_socket",
		.kind = SETTING_STRING,
		.agent = SETTING_SAME,
		FIELD(dogstatsd_stream_socket),
		.value = "",
		.check = check_socket,
		.help = "Unix stream socket; each frame has its length in front. Empty: none.",
	},
	{
		.name = "dogstatsd_buffer_size",
		.kind = SETTING_UINT32,
		.agent = SETTING_DIFFERS,
		FIELD(dogstatsd_buffer_size),
		.value = "8192",
		.min = 64,
		.max = 1 << 20,
		.help = "Longest datagram or stream frame that a socket takes, in bytes.",
		.note = "sockets only: a port takes what its MTU allows",
	},
	{
		.name = "dogstatsd_so_rcvbuf",
		.kind = SETTING_UINT32,
		.agent = SETTING_SAME,
		FIELD(dogstatsd_so_rcvbuf),
		.value = "0",
		.min = 0,
		.max = 1 << 30,
		.help = "Receive buffer of each socket in bytes. 0: as the system has it.",
	},
	{
		.name = "dogstatsd_eol_required",
		.kind = SETTING_STRINGS,
		.agent = SETTING_SAME,
		FIELD(dogstatsd_eol_required),
		.value = "",
		.check = check_transport,
		.help = "Listeners (udp, uds) on which a last line without newline is rejected.",
		.note = "named_pipe is accepted and means nothing on Linux",
	},
	{
		.name = "dogstatsd_workers_count",
		.kind = SETTING_UINT32,
		.agent = SETTING_DIFFERS,
		FIELD(dogstatsd_workers_count),
		.value = "0",
		.min = 0,
		.max = 4096,
		.help = "Workers, where penstock: workers does not say it. 0: auto.",
		.note = "a worker takes a core, so there are no more than the allowed cores",
	},
	{
		.name = "dogstatsd_origin_detection_client",
		.kind = SETTING_BOOL,
		.agent = SETTING_DIFFERS,
		FIELD(dogstatsd_origin_detection_client),
		.value = "false",
		.help = "Read the fields c:, e: and card: that a client sends.",
		.note = "they are read, but no container tags are made from them",
	},
	{
		.name = "dogstatsd_no_aggregation_pipeline",
		.kind = SETTING_BOOL,
		.agent = SETTING_SAME,
		FIELD(dogstatsd_no_aggregation_pipeline),
		.value = "true",
		.help = "Pass metrics with a timestamp on as they are; false: the timestamp is "
			"ignored.",
	},
	{
		.name = "dogstatsd_expiry_seconds",
		.kind = SETTING_SECONDS,
		.agent = SETTING_SAME,
		FIELD(dogstatsd_expiry_seconds),
		.value = "300",
		.min = 1,
		.max = 86400,
		.help = "How long a counter without samples goes on as 0.",
	},
	{
		.name = "dogstatsd_context_expiry_seconds",
		.kind = SETTING_SECONDS,
		.agent = SETTING_SAME,
		FIELD(dogstatsd_context_expiry_seconds),
		.value = "20",
		.min = 1,
		.max = 86400,
		.help = "How long a series without samples is remembered.",
	},
	{
		.name = "histogram_aggregates",
		.kind = SETTING_STRINGS,
		.agent = SETTING_SAME,
		FIELD(histogram_aggregates),
		.value = "max median avg count",
		.can_reload = true,
		.check = check_aggregate,
		.help = "What is made from a histogram: max, min, median, avg, count, sum.",
	},
	{
		.name = "histogram_percentiles",
		.kind = SETTING_STRINGS,
		.agent = SETTING_DIFFERS,
		FIELD(histogram_percentiles),
		.value = "0.95",
		.can_reload = true,
		.check = check_percentile,
		.help = "Percentiles made from a histogram, from 0 to 1, rounded to a whole "
			"percent.",
		.note = "the Agent skips what it cannot read; here it is refused",
	},
	{
		.name = "aggregate_window_duration_seconds",
		.kind = SETTING_SECONDS,
		.agent = SETTING_SAME,
		FIELD(aggregate_window_duration_seconds),
		.value = "10",
		.min = 1,
		.max = 3600,
		.help = "Length of a bucket.",
	},
	{
		.name = "penstock",
		.kind = SETTING_OBJECT,
		.table = &own_table,
		.help = "Penstock's own settings.",
	},
	/* Behind penstock, so that it wins over flush_on_stop. */
	{
		.name = "dogstatsd_flush_incomplete_buckets",
		.kind = SETTING_BOOL,
		.agent = SETTING_DIFFERS,
		FIELD(flush_on_stop),
		.help = "Where given, it sets penstock: flush_on_stop.",
		.note = "not given, it is true here and false in the Agent",
	},

	UNSUPPORTED("dogstatsd_tcp_port", "There is no TCP listener."),
	UNSUPPORTED("dogstatsd_stream_log_too_big", "Frames that are too long are counted."),
	UNSUPPORTED("dogstatsd_pipe_name", "Windows only."),
	UNSUPPORTED("dogstatsd_windows_pipe_security_descriptor", "Windows only."),
	UNSUPPORTED("dogstatsd_host_socket_path", "Of the Agent's admission controller."),
	UNSUPPORTED("dogstatsd_packet_buffer_size", "Datagrams are not batched before decoding."),
	UNSUPPORTED("dogstatsd_packet_buffer_flush_timeout",
		"Datagrams are not batched before decoding."),
	UNSUPPORTED("dogstatsd_queue_size", "See penstock: memory_ceiling."),
	UNSUPPORTED("dogstatsd_buffer_count", "See penstock: memory_ceiling."),
	UNSUPPORTED("dogstatsd_buffer_count_max", "See penstock: memory_ceiling."),
	UNSUPPORTED("dogstatsd_autoscale_udp_listeners", "There is one UDP socket."),
	UNSUPPORTED("dogstatsd_pipeline_count", "See penstock: workers."),
	UNSUPPORTED("dogstatsd_pipeline_autoadjust", "See penstock: workers."),
	UNSUPPORTED("dogstatsd_pipeline_autoadjust_strategy", "See penstock: workers."),
	UNSUPPORTED("dogstatsd_string_interner_size", "See penstock: max_context_bytes."),
	UNSUPPORTED("dogstatsd_string_interner_size_bytes", "See penstock: max_context_bytes."),
	UNSUPPORTED("dogstatsd_allow_context_heap_allocs", "See penstock: max_context_bytes."),
	UNSUPPORTED("dogstatsd_cached_contexts_limit", "See penstock: max_contexts."),
	UNSUPPORTED("dogstatsd_cached_tagsets_limit", "See penstock: max_contexts."),
	UNSUPPORTED("dogstatsd_permissive_decoding", "Lines are read as the Agent reads them."),
	UNSUPPORTED("dogstatsd_minimum_sample_rate", "Every rate in (0, 1] is taken."),
	UNSUPPORTED("dogstatsd_origin_detection", "Senders are not resolved to containers."),
	UNSUPPORTED("dogstatsd_origin_optout_enabled", "Senders are not resolved to containers."),
	UNSUPPORTED("origin_detection_unified", "Senders are not resolved to containers."),
	UNSUPPORTED("dogstatsd_entity_id_precedence", "Senders are not resolved to containers."),
	UNSUPPORTED("dogstatsd_tag_cardinality", "Senders are not resolved to containers."),
	UNSUPPORTED("dogstatsd_no_aggregation_pipeline_batch_size",
		"Timestamped metrics come out with the bucket."),
	UNSUPPORTED("dogstatsd_mapper_profiles", "Metrics are not mapped."),
	UNSUPPORTED("dogstatsd_mapper_cache_size", "Metrics are not mapped."),
	UNSUPPORTED("dogstatsd_mapper_string_interner_size", "Metrics are not mapped."),
	UNSUPPORTED("dogstatsd_metrics_stats_enable", "See /metrics."),
	UNSUPPORTED("dogstatsd_stats_enable", "See /metrics."),
	UNSUPPORTED("dogstatsd_stats_port", "See /metrics."),
	UNSUPPORTED("dogstatsd_stats_buffer", "See /metrics."),
	UNSUPPORTED("dogstatsd_logging_enabled", "Received metrics are not logged."),
	UNSUPPORTED("dogstatsd_log_file*", "Received metrics are not logged."),
	UNSUPPORTED("dogstatsd_disable_verbose_logs", "Rejected lines are counted, not logged."),
	UNSUPPORTED("dogstatsd_telemetry_enabled_listener_id", "See the ledger: by_listener."),
	UNSUPPORTED("dogstatsd_capture_path", "There is no capture."),
	UNSUPPORTED("dogstatsd_capture_depth", "There is no capture."),
	UNSUPPORTED("dogstatsd_experimental_http*", "There is no HTTP listener for metrics."),
	UNSUPPORTED("dogstatsd_mem_based_rate_limiter*", "See penstock: memory_ceiling."),
	UNSUPPORTED("counter_expiry_seconds", "See dogstatsd_expiry_seconds."),
	UNSUPPORTED("statsd_forward_host", "Datagrams are not forwarded."),
	UNSUPPORTED("statsd_forward_port", "Datagrams are not forwarded."),
	UNSUPPORTED("statsd_metric_namespace", "Names are kept as they are sent."),
	UNSUPPORTED("statsd_metric_namespace_blacklist", "Names are kept as they are sent."),
	UNSUPPORTED("statsd_metric_namespace_blocklist", "Names are kept as they are sent."),
	UNSUPPORTED("statsd_metric_blocklist", "Metrics are not filtered."),
	UNSUPPORTED("statsd_metric_blocklist_match_prefix", "Metrics are not filtered."),
	UNSUPPORTED("metric_filterlist", "Metrics are not filtered."),
	UNSUPPORTED("metric_filterlist_match_prefix", "Metrics are not filtered."),
	UNSUPPORTED("metric_filterlist_prefix", "Metrics are not filtered."),
	UNSUPPORTED("metric_tag_filterlist", "Tags are not filtered."),
	UNSUPPORTED("metric_tag_filterlist_adp_only", "Tags are not filtered."),
	UNSUPPORTED("histogram_copy_to_distribution", "Histograms are not copied."),
	UNSUPPORTED("histogram_copy_to_distribution_prefix", "Histograms are not copied."),
	UNSUPPORTED("aggregator_*", "Of the Agent's aggregator."),
	UNSUPPORTED("aggregate_flush_interval", "A bucket comes out when it ends."),
	UNSUPPORTED("aggregate_flush_open_windows", "See penstock: flush_on_stop."),
	UNSUPPORTED("aggregate_context_limit", "See penstock: max_contexts."),
	UNSUPPORTED("aggregate_passthrough_idle_flush_timeout",
		"Timestamped metrics come out with the bucket."),
	UNSUPPORTED("data_plane*", "Of the Agent Data Plane."),
	UNSUPPORTED("memory_limit", "See penstock: memory_ceiling, max_context_bytes."),
	UNSUPPORTED("memory_slop_factor", "See penstock: memory_ceiling, max_context_bytes."),
	UNSUPPORTED("memory_mode", "See penstock: memory_ceiling, max_context_bytes."),
	UNSUPPORTED("enable_global_limiter", "See penstock: memory_ceiling, max_context_bytes."),
	UNSUPPORTED("flush_timeout_secs", "A bucket comes out when it ends."),
	UNSUPPORTED("telemetry*", "See /metrics."),
	UNSUPPORTED("container_proc_root", "Senders are not resolved to containers."),
	UNSUPPORTED("container_cgroup_root", "Senders are not resolved to containers."),
	UNSUPPORTED("enable_payloads*", "There is no output to Datadog."),
	UNSUPPORTED("use_v2_api*", "There is no output to Datadog."),
	UNSUPPORTED("serializer_*", "There is no output to Datadog."),
	UNSUPPORTED("forwarder_*", "There is no output to Datadog."),
	UNSUPPORTED("additional_endpoints", "There is no output to Datadog."),
	UNSUPPORTED("api_key", "There is no output to Datadog."),
	UNSUPPORTED("site", "There is no output to Datadog."),
	UNSUPPORTED("dd_url", "There is no output to Datadog."),
	UNSUPPORTED("proxy*", "There is no output to Datadog."),
	UNSUPPORTED("skip_ssl_validation", "There is no output to Datadog."),
	UNSUPPORTED("min_tls_version", "There is no output to Datadog."),
	UNSUPPORTED("multi_region_failover*", "There is no output to Datadog."),
	{0},
};

const struct setting_table settings_table = {
	.what = "Penstock",
	.row = top_rows,
	.unknown_is_warning = true,
};

int
settings_percent(const char *text)
{
	double percentile;
	char *end;

	/* Neither signs nor exponents, and no "nan". */
	if (text[0] == '\0' || text[strspn(text, "0123456789.")] != '\0')
		return -1;
	percentile = strtod(text, &end);
	if (*end != '\0' || !(percentile >= 0 && percentile <= 1))
		return -1;
	return (int)(percentile * 100 + 0.5);
}

/* One line: path, kind, agent, default, bounds, help, note, "reload"; separated by tabs. */
static void
print_row(const struct setting *row, const char *path, FILE *out)
{
	static const char *const kind[SETTING_KIND_COUNT] = {"bool", "integer", "integer", "size",
		"seconds", "octal", "text", "enum", "cores", "list", "mapping", "list of mappings"};
	static const char *const agent[] = {"own", "same", "differs", "unsupported"};
	char bounds[SETTING_WHY_SIZE] = "";

	if (row->agent != SETTING_UNSUPPORTED && (row->max != 0 || row->kind == SETTING_ENUM))
		value_expected(row, bounds, sizeof(bounds));
	fprintf(out, "%s%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", path, row->name,
		row->agent != SETTING_UNSUPPORTED ? kind[row->kind] : "", agent[row->agent],
		row->value != NULL ? row->value : "", bounds, row->help,
		row->note != NULL ? row->note : "", row->can_reload ? "reload" : "");
}

static void
print_table(const struct setting_table *table, const char *path, FILE *out)
{
	for (const struct setting *row = table->row; row->name != NULL; row++) {
		char inner[64];

		print_row(row, path, out);
		if (row->table == NULL)
			continue;
		snprintf(inner, sizeof(inner), "%s%s%s", path, row->name,
			row->kind == SETTING_OBJECTS ? "[]: " : ": ");
		print_table(row->table, inner, out);
	}
}

void
settings_print_rows(FILE *out)
{
	print_table(&settings_table, "", out);
}
