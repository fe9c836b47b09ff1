/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One frame from its first byte to its UDP payload, against a loop that only looks at each frame.
 * Nothing may be allocated meanwhile: the linker sends malloc and its kin here (--wrap).
 */
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "frame/frame.h"
#include "measure.h"
#include "penstock-load/envelope.h"

#define FRAMES 256
#define PAYLOAD_SIZE 64
#define FRAME_MAX 192 /* bytes between the starts of two frames */

#define ETHERNET_SIZE 14
#define TAG_SIZE 4 /* IEEE 802.1Q */
#define IPV6_SIZE 40
#define PROTOCOL_UDP 17

static uint64_t n_allocations;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *
__wrap_malloc(size_t size)
{
	n_allocations++;
	return __real_malloc(size);
}

void *
__wrap_calloc(size_t n, size_t size)
{
	n_allocations++;
	return __real_calloc(n, size);
}

void *
__wrap_realloc(void *memory, size_t size)
{
	n_allocations++;
	return __real_realloc(memory, size);
}

struct subject {
	const char *name;
	unsigned checks;
	uint32_t frame_size;
	uint8_t frames[FRAMES][FRAME_MAX];
	uint64_t n_frames, n_bytes; /* in all turns: frames looked at, payload bytes found */
	uint64_t n_allocations;
};

static uint64_t
run_look(void *context, uint64_t duration)
{
	struct subject *subject = context;
	uint64_t until = measure_now() + duration, n = 0;

	do {
		for (unsigned k = 0; k < FRAMES; k++)
			for (unsigned i = 0; i < FRAMES; i++)
				subject->n_bytes += subject->frames[i][0];
		n += FRAMES * FRAMES;
	} while (measure_now() < until);
	return n;
}

static uint64_t
run_parse(void *context, uint64_t duration)
{
	struct subject *subject = context;
	uint64_t until = measure_now() + duration, n = 0, before = n_allocations;

	do {
		for (unsigned k = 0; k < FRAMES; k++)
			for (unsigned i = 0; i < FRAMES; i++) {
				struct span bytes =
					span_of(subject->frames[i], subject->frame_size);
				struct frame frame;

				if (frame_parse(bytes, subject->checks, &frame) != STAT_NONE)
					measure_fail("%s: not parsed", subject->name);
				subject->n_bytes += frame.payload.size;
			}
		n += FRAMES * FRAMES;
	} while (measure_now() < until);
	subject->n_frames += n;
	subject->n_allocations += n_allocations - before;
	return n;
}

static void
make_ipv4(struct subject *subject)
{
	static const uint8_t payload[PAYLOAD_SIZE] = "page.views:1|c\n";
	struct envelope envelope;

	envelope_init(&envelope,
		&(struct envelope_options){.ip_source = {198, 18, 0, 1},
			.ip_destination = {198, 18, 0, 2},
			.port = 8125});
	for (unsigned i = 0; i < FRAMES; i++) {
		memcpy(subject->frames[i] + ENVELOPE_SIZE, payload, PAYLOAD_SIZE);
		envelope_write(&envelope, span_of(payload, PAYLOAD_SIZE), i, subject->frames[i]);
	}
	subject->frame_size = ENVELOPE_SIZE + PAYLOAD_SIZE;
}

/* The IPv4 frames, with a VLAN tag behind the addresses. */
static void
make_tagged(struct subject *subject)
{
	static const uint8_t tag[TAG_SIZE] = {0x81, 0, 0, 42};

	make_ipv4(subject);
	for (unsigned i = 0; i < FRAMES; i++) {
		uint8_t *at = subject->frames[i] + 12;

		memmove(at + TAG_SIZE, at, subject->frame_size - 12);
		memcpy(at, tag, TAG_SIZE);
	}
	subject->frame_size += TAG_SIZE;
}

/* Its UDP checksum is never looked at. */
static void
make_ipv6(struct subject *subject)
{
	static const uint8_t type[] = {0x86, 0xdd};
	static const uint8_t header[IPV6_SIZE] = {0x60, 0, 0, 0, 0, 8 + PAYLOAD_SIZE, PROTOCOL_UDP,
		64};
	static const uint8_t udp[] = {0xc0, 0, 0x1f, 0xbd, 0, 8 + PAYLOAD_SIZE, 0, 0};

	for (unsigned i = 0; i < FRAMES; i++) {
		uint8_t *at = subject->frames[i] + 12;

		memcpy(at, type, sizeof(type));
		memcpy(at + 2, header, sizeof(header));
		memcpy(at + 2 + IPV6_SIZE, udp, sizeof(udp));
	}
	subject->frame_size = ETHERNET_SIZE + IPV6_SIZE + sizeof(udp) + PAYLOAD_SIZE;
}

int
main(int argc, char **argv)
{
	static struct subject subjects[] = {
		{.name = "IPv4"},
		{.name = "IPv4 and sum", .checks = FRAME_CHECK_IP},
		{.name = "VLAN and sum", .checks = FRAME_CHECK_IP},
		{.name = "IPv6"},
	};
	static void (*const make[])(
		struct subject * subject) = {make_ipv4, make_ipv4, make_tagged, make_ipv6};
	struct measure measure;

	measure_init(&measure, 0.1, argc, argv);
	for (unsigned i = 0; i < ARRAY_LENGTH(subjects); i++) {
		struct subject *subject = &subjects[i];
		static struct subject look;

		make[i](subject);
		measure_compare(&measure, subject->name, "frame", MEASURE_COST,
			(const struct contestant[]){
				{"look", NULL, run_look, &look, NULL},
				{"frame_parse", NULL, run_parse, subject, NULL},
			},
			2);
		if (subject->n_bytes != subject->n_frames * PAYLOAD_SIZE)
			measure_fail("%s: wrong payloads", subject->name);
		if (subject->n_allocations != 0)
			measure_fail("%s: it allocates", subject->name);
	}
	return 0;
}
