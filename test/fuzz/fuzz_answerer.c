/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * First byte: 1, the addresses are held; 2, the gateways are known. The rest: a frame. An answer
 * lies within its room, comes from us, goes to one station or to all nodes, carries the question's
 * tags, is no longer than the question but for a minimal frame and an option of 8 bytes, has right
 * checksums, and is answered by nobody.
 */
#include <stdlib.h>

#include "base/compiler.h"
#include "frame/answerer.h"
#include "frame/ether.h"

#define REQUIRE(condition) \
	do { \
		if (!(condition)) \
			__builtin_trap(); \
	} while (0)

#define ADDRESS6(n) \
	{ \
		0x20, 1, 0x0d, 0xb8, [15] = n \
	}

static const uint8_t us[] = {2, 0, 0, 0, 0, 10}, gateway[] = {2, 0, 0, 0, 0, 0xfe};
static const struct prefix own[] = {
	{.address = {192, 0, 2, 10}, .address_size = 4, .length = 24},
	{.address = ADDRESS6(0x10), .address_size = 16, .length = 64},
};
static const struct prefix gateways[] = {
	{.address = {192, 0, 2, 254}, .address_size = 4, .length = 32},
	{.address = ADDRESS6(0xfe), .address_size = 16, .length = 128},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
set_up(struct host *host, unsigned state)
{
	uint8_t frame[HOST_FRAME_MAX];

	REQUIRE(host_init(host, own, 2, gateways, 2) == 0);
	memcpy(host->mac, us, 6);
	host_link(host, true, 0);
	for (uint64_t now = 0; (state & 1) != 0 && now < UINT64_C(10000000000); now += 1000000000)
		for (size_t size; (size = host_next(host, now, frame)) != 0;)
			REQUIRE(size <= HOST_FRAME_MAX);
	for (size_t i = 0; (state & 2) != 0 && i < 2; i++)
		host_hear(host, gateways[i].address, gateways[i].address_size, gateway, true);
}

/* Another sum than the product's: 16-bit words, one byte at a time. */
static bool
sums_up(const uint8_t *bytes, size_t size, uint32_t sum)
{
	for (size_t i = 0; i < size; i++)
		sum += (uint32_t)bytes[i] << (i % 2 == 0 ? 8 : 0);
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum == 0xffff;
}

static void
check_packet(const uint8_t *packet, size_t size, uint16_t type)
{
	size_t length;

	if (type == ETHERTYPE_ARP)
		return;
	if (type == ETHERTYPE_IP) {
		length = load_be16(packet + 2);
		REQUIRE(packet[0] == 0x45 && length <= size && sums_up(packet, 20, 0));
		REQUIRE(sums_up(packet + 20, length - 20, 0));
		return;
	}
	length = load_be16(packet + 4);
	REQUIRE(type == ETHERTYPE_IPV6 && packet[6] == 58 && length + 40 <= size);
	/* Both addresses, and the rest of the pseudo header: RFC 8200 section 8.1. */
	REQUIRE(sums_up(packet + 8, 32 + length, (uint32_t)length + 58));
}

static void
check_answer(struct answerer *answerer, struct span question, struct span answer)
{
	static const uint8_t all_nodes[] = {0x33, 0x33, 0, 0, 0, 1};
	uint8_t *again = malloc(answerer_room(answer.size)), *turned = malloc(answer.size);
	size_t header_size, question_header_size, again_size = 0;
	uint16_t type, question_type;
	enum counter reason;

	REQUIRE(answer.size >= ETHER_SIZE_MIN);
	REQUIRE(answer.size <= ETHER_SIZE_MIN || answer.size <= question.size + 8);
	REQUIRE(memcmp(answer.data + 6, us, 6) == 0);
	REQUIRE(ether_is_station(answer.data) || memcmp(answer.data, all_nodes, 6) == 0);
	REQUIRE(ether_parse(answer, &header_size, &type));
	REQUIRE(ether_parse(question, &question_header_size, &question_type));
	REQUIRE(header_size == question_header_size);
	REQUIRE(memcmp(answer.data + 12, question.data + 12, header_size - 12) == 0);
	check_packet(answer.data + header_size, answer.size - header_size, type);

	/* As if another station had sent it to us. */
	memcpy(turned, answer.data, answer.size);
	memcpy(turned, us, 6);
	memcpy(turned + 6, gateway, 6);
	reason = answerer_take(answerer, span_of(turned, answer.size), 0, again, &again_size);
	REQUIRE(reason != STAT_frames_answered && again_size == 0);
	free(again);
	free(turned);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct answerer answerer = {0};
	struct span frame;
	struct host host;
	enum counter reason;
	size_t answer_size = 0;
	uint8_t *answer;

	if (size == 0)
		return 0;
	set_up(&host, data[0]);
	answerer.host = &host;
	frame = span_of(data + 1, size - 1);
	answer = malloc(answerer_room(frame.size));
	REQUIRE(answer != NULL);
	reason = answerer_take(&answerer, frame, 0, answer, &answer_size);
	REQUIRE(reason < STAT_COUNT);
	if (reason == STAT_frames_answered) {
		REQUIRE((data[0] & 1) != 0 && answer_size <= answerer_room(frame.size));
		check_answer(&answerer, frame, span_of(answer, answer_size));
	} else {
		REQUIRE(answer_size == 0);
		REQUIRE(reason == STAT_NONE ||
			(stat_info[reason].level_index == STAT_LEVEL_frames &&
				strcmp(stat_info[reason].group, "dropped") == 0));
	}
	free(answer);
	host_done(&host);
	return 0;
}
