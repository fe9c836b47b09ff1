/* SPDX-License-Identifier: BSD-3-Clause */
#include "output/ndjson.h"

static const char *
point_type(const struct point *point)
{
	switch (point->kind) {
	case POINT_COUNT:
		return "count";
	case POINT_GAUGE:
		return "gauge";
	case POINT_SET:
		return "set";
	case POINT_SKETCH:
		return "distribution";
	}
	return "";
}

/* A tag holds no ',': that is what separates tags in the protocol. */
static void
write_tags(struct json *json, struct span tags)
{
	json_key(json, "tags");
	json_array_begin(json);
	while (tags.size != 0) {
		size_t size = span_find(tags, ',');

		json_span(json, span_of(tags.data, size));
		tags = span_from(tags, size < tags.size ? size + 1 : size);
	}
	json_array_end(json);
}

static void
write_origin(struct json *json, int64_t timestamp, struct span host, struct span tags)
{
	json_key_int(json, "ts", timestamp);
	json_key_span(json, "host", host);
	write_tags(json, tags);
}

static void
write_sketch(struct json *json, const struct ddsketch *sketch)
{
	json_key(json, "sketch");
	json_object_begin(json);
	json_key_uint(json, "count", sketch->count);
	json_key_double(json, "sum", sketch->sum);
	json_key_double(json, "min", sketch->min);
	json_key_double(json, "max", sketch->max);
	json_key_double(json, "avg", sketch->avg);
	json_key(json, "k");
	json_array_begin(json);
	for (uint32_t i = 0; i < sketch->n_bins; i++)
		json_int(json, sketch->bins[i].key);
	json_array_end(json);
	json_key(json, "n");
	json_array_begin(json);
	for (uint32_t i = 0; i < sketch->n_bins; i++)
		json_uint(json, sketch->bins[i].n);
	json_array_end(json);
	json_object_end(json);
}

static void
write_point(struct json *json, const struct flush *flush, const struct point *point)
{
	const struct context *context = point->context;
	struct span name[] = {context_name(context), SPAN_LITERAL("."), point->suffix};

	json_key_text(json, "type", point_type(point));
	json_key(json, "name");
	json_joined(json, name, point->suffix.size != 0 ? 3 : 1);
	write_origin(json, point->is_timestamped ? point->timestamp : flush->start,
		context_host(context), context_tags(context));
	if (point->is_timestamped) {
		json_key_bool(json, "timestamped", true);
	}
	if (point->kind == POINT_COUNT) {
		json_key_uint(json, "interval", flush->interval);
	}
	if (point->kind == POINT_SKETCH)
		write_sketch(json, point->sketch);
	else
		json_key_double(json, "value", point->value);
}

static void
write_event(struct json *json, const struct flush_event *item)
{
	static const char *const priorities[] = {[EVENT_NORMAL] = "normal", [EVENT_LOW] = "low"};
	static const char *const alerts[] = {[EVENT_INFO] = "info",
		[EVENT_ERROR] = "error",
		[EVENT_WARNING] = "warning",
		[EVENT_SUCCESS] = "success"};
	const struct event *event = &item->event;

	json_key_text(json, "type", "event");
	write_origin(json, event->timestamp, item->host, item->tags);
	json_key_span(json, "title", event->title);
	json_key_span(json, "text", event->text);
	json_key_text(json, "priority", priorities[event->priority]);
	json_key_text(json, "alert_type", alerts[event->alert]);
	/* The Agent's name for a source that was not given. */
	json_key_span(json, "source_type_name",
		event->source_type.size != 0 ? event->source_type : SPAN_LITERAL("api"));
	if (event->aggregation_key.size != 0)
		json_key_span(json, "aggregation_key", event->aggregation_key);
}

static void
write_check(struct json *json, const struct flush_check *item)
{
	const struct service_check *check = &item->check;

	json_key_text(json, "type", "service_check");
	json_key_span(json, "name", check->name);
	write_origin(json, check->timestamp, item->host, item->tags);
	json_key_uint(json, "status", check->status);
	json_key_span(json, "message", check->message);
}

size_t
ndjson_n_lines(const struct flush *flush)
{
	return flush->n_points + flush->n_events + flush->n_checks;
}

void
ndjson_line(struct json *json, const struct flush *flush, size_t index)
{
	size_t first_check = flush->n_points + flush->n_events;

	json_object_begin(json);
	if (index < flush->n_points)
		write_point(json, flush, &flush->points[index]);
	else if (index < first_check)
		write_event(json, &flush->events[index - flush->n_points]);
	else
		write_check(json, &flush->checks[index - first_check]);
	json_object_end(json);
	json_newline(json);
}
