/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * First byte: which checksums to compute; the rest: the frame. Whatever comes out lies inside the
 * frame, asking for fewer checks never refuses more, and a cut frame never gives a longer payload.
 * What is parsed belongs to a flow, which only addresses and ports decide.
 */
#include "base/compiler.h"
#include "frame/filter.h"
#include "frame/flow.h"

#define REQUIRE(condition) \
	do { \
		if (!(condition)) \
			__builtin_trap(); \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool
lies_inside(struct span frame, const uint8_t *at, size_t size)
{
	return at >= frame.data && size <= frame.size &&
		(size_t)(at - frame.data) <= frame.size - size;
}

static void
check_frame(struct span bytes, const struct frame *frame)
{
	REQUIRE(frame->address_size == 4 || frame->address_size == 16);
	REQUIRE(lies_inside(bytes, frame->payload.data, frame->payload.size));
	REQUIRE(lies_inside(bytes, frame->source, frame->address_size));
	REQUIRE(lies_inside(bytes, frame->destination, frame->address_size));
	/* Ethernet, IP and UDP headers come before the payload. */
	REQUIRE((size_t)(frame->payload.data - bytes.data) >=
		(frame->address_size == 4 ? 14u + 20 + 8 : 14u + 40 + 8));
}

/* Anything that can be put together with others. */
static void
check_fragment(struct span bytes, const struct frame *frame)
{
	REQUIRE(lies_inside(bytes, frame->payload.data, frame->payload.size));
	REQUIRE(lies_inside(bytes, frame->source, frame->address_size * (size_t)2));
	REQUIRE(frame->payload.size > 0);
	REQUIRE(frame->fragment.offset % 8 == 0);
	REQUIRE(frame->fragment.offset + frame->payload.size <= 65535);
	REQUIRE(!frame->fragment.more || frame->payload.size % 8 == 0);
	REQUIRE(frame->fragment.more || frame->fragment.offset > 0);
}

static void
check_filter(const struct frame *frame)
{
	struct prefix source = {.address_size = frame->address_size}, own = source;
	struct filter filter = {.udp_port = frame->destination_port,
		.n_addresses = 1,
		.n_allow = 1,
		.addresses = &own,
		.allow = &source};

	memcpy(source.address, frame->source, frame->address_size);
	memcpy(own.address, frame->destination, frame->address_size);
	for (unsigned length = 0; length <= frame->address_size * 8u; length++) {
		source.length = (uint8_t)length;
		REQUIRE(filter_judge(&filter, frame) == STAT_NONE);
	}
	source.address[frame->address_size - 1] ^= 1;
	REQUIRE(filter_judge(&filter, frame) == STAT_frames_dropped_source_refused);
	own.address[0] ^= 0x80;
	REQUIRE(filter_judge(&filter, frame) == STAT_frames_dropped_wrong_address);
}

/* The shortest frame with the same addresses and ports. */
static void
check_flow(struct span bytes, const struct frame *frame)
{
	const size_t size = frame->address_size;
	const uint8_t ports[] = {(uint8_t)(frame->source_port >> 8), (uint8_t)frame->source_port,
		(uint8_t)(frame->destination_port >> 8), (uint8_t)frame->destination_port};
	uint8_t plain[14 + 40 + 4] = {0};
	uint8_t *packet = plain + 14, *addresses = packet + (size == 4 ? 12 : 8);
	uint64_t hash, other;

	plain[12] = size == 4 ? 0x08 : 0x86;
	plain[13] = size == 4 ? 0x00 : 0xdd;
	packet[0] = size == 4 ? 0x45 : 0x60;
	packet[size == 4 ? 9 : 6] = 17;
	memcpy(addresses, frame->source, size);
	memcpy(addresses + size, frame->destination, size);
	memcpy(addresses + 2 * size, ports, sizeof(ports));
	REQUIRE(flow_hash(bytes, 1, &hash));
	REQUIRE(flow_hash(span_of(plain, size == 4 ? 14 + 20 + 4 : 14 + 40 + 4), 1, &other));
	REQUIRE(hash == other);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct frame frame, other;
	struct span bytes;
	enum counter reason;
	unsigned checks;
	uint64_t hash;

	if (size == 0)
		return 0;
	checks = data[0] & (FRAME_CHECK_IP | FRAME_CHECK_UDP);
	bytes = span_of(data + 1, size - 1);
	reason = frame_parse(bytes, checks, &frame);
	REQUIRE(reason < STAT_COUNT);
	if (reason != STAT_NONE) {
		flow_hash(bytes, 1, &hash);
		REQUIRE(stat_info[reason].level_index == STAT_LEVEL_frames);
		REQUIRE(stat_info[reason].role == STAT_ROLE_TERM);
		if (reason == STAT_frames_queued)
			check_fragment(bytes, &frame);
		return 0;
	}
	check_frame(bytes, &frame);
	check_filter(&frame);
	check_flow(bytes, &frame);
	REQUIRE(frame_parse(bytes, 0, &other) == STAT_NONE);
	REQUIRE(span_equal(frame.payload, other.payload));
	bytes.size = (size_t)(frame.payload.data - bytes.data) + frame.payload.size;
	if (frame_parse(span_of(bytes.data, bytes.size), 0, &other) == STAT_NONE)
		REQUIRE(other.payload.size <= frame.payload.size);
	return 0;
}
