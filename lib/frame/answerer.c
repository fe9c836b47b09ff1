/* SPDX-License-Identifier: BSD-3-Clause */
/* hot: no malloc, no syscall, no log, no lock */
#include "frame/answerer.h"

#include "frame/arp.h"
#include "frame/echo.h"
#include "frame/ether.h"
#include "frame/neighbour.h"

/* A frame, and where its answer goes. */
struct question {
	struct host *host;
	struct span frame, packet; /* the packet follows the Ethernet header */
	const uint8_t *from; /* MAC */
	uint64_t now;
	uint8_t *answer;
	size_t header_size, answer_size;
};

/* The question's header with its tags, in the other direction. */
static uint8_t *
begin_answer(struct question *question, const uint8_t *to)
{
	memcpy(question->answer, question->frame.data, question->header_size);
	memcpy(question->answer, to, ETHER_MAC_SIZE);
	memcpy(question->answer + ETHER_MAC_SIZE, question->host->mac, ETHER_MAC_SIZE);
	return question->answer + question->header_size;
}

/* Not every device pads what is too short for Ethernet. */
static enum counter
end_answer(struct question *question, size_t packet_size)
{
	size_t size = question->header_size + packet_size;

	if (size < ETHER_SIZE_MIN) {
		memset(question->answer + size, 0, ETHER_SIZE_MIN - size);
		size = ETHER_SIZE_MIN;
	}
	question->answer_size = size;
	return STAT_frames_answered;
}

static bool
is_allowed(struct allowance *allowance, uint64_t now)
{
	return allowance_take(allowance, now, ANSWERER_PER_SECOND, ANSWERER_AT_ONCE);
}

/* Somebody of that MAC uses the address: true when it is one of ours. */
static bool
dispute(const struct host *host, const uint8_t *address, uint8_t size, const uint8_t *mac)
{
	struct host_address *own = host_find(host, address, size);

	if (own != NULL)
		claim_dispute(&own->claim, mac);
	return own != NULL;
}

static bool
is_probing(const struct host_address *own)
{
	return claim_state(&own->claim) == CLAIM_PROBING;
}

/* STAT_NONE when the question for one of our addresses may be answered. */
static enum counter
judge_neighbour(struct answerer *answerer, const struct host_address *own, uint64_t now)
{
	if (own == NULL)
		return STAT_frames_dropped_not_asked;
	if (claim_state(&own->claim) != CLAIM_HELD)
		return STAT_frames_dropped_address_not_ready;
	if (!is_allowed(&answerer->neighbours, now))
		return STAT_frames_dropped_answer_limit;
	return STAT_NONE;
}

static enum counter
answer_arp(struct question *question, const struct arp *request)
{
	struct arp reply = {.operation = ARP_OPERATION_REPLY};

	memcpy(reply.sender_mac, question->host->mac, 6);
	memcpy(reply.sender, request->target, 4);
	memcpy(reply.target_mac, request->sender_mac, 6);
	memcpy(reply.target, request->sender, 4);
	arp_write(&reply, begin_answer(question, request->sender_mac));
	return end_answer(question, ARP_SIZE);
}

static enum counter
take_arp_request(struct answerer *answerer, struct question *question, const struct arp *arp)
{
	static const uint8_t nobody[4];
	const struct host_address *own = host_find(answerer->host, arp->target, 4);
	enum counter reason;

	/* Two that ask for the same address at the same time: RFC 5227 section 2.1.1. */
	if (own != NULL && memcmp(arp->sender, nobody, 4) == 0 && is_probing(own)) {
		dispute(answerer->host, arp->target, 4, arp->sender_mac);
		return STAT_frames_dropped_address_conflict;
	}
	reason = judge_neighbour(answerer, own, question->now);
	return reason == STAT_NONE ? answer_arp(question, arp) : reason;
}

/* Who uses one address of ours is answered all the same when he asks for another. */
static enum counter
take_arp(struct answerer *answerer, struct question *question)
{
	struct host *host = answerer->host;
	enum counter reason = STAT_frames_dropped_not_asked;
	struct arp arp;
	bool is_rival;

	if (!arp_parse(question->packet, &arp) || arp.sender[0] == 127 || arp.sender[0] >= 224 ||
		memcmp(arp.sender_mac, host->mac, 6) == 0)
		return STAT_frames_dropped_bad_neighbour;
	is_rival = dispute(host, arp.sender, 4, arp.sender_mac);
	host_hear(host, arp.sender, 4, arp.sender_mac, true);
	if (arp.operation == ARP_OPERATION_REQUEST)
		reason = take_arp_request(answerer, question, &arp);
	return is_rival && reason != STAT_frames_answered ? STAT_frames_dropped_address_conflict
							  : reason;
}

/* To all nodes when the asker has no address yet: RFC 4861 section 7.2.4. */
static enum counter
answer_solicitation(struct question *question, const struct neighbour *solicitation)
{
	bool is_probe = neighbour_is_unspecified(solicitation->source);
	const struct neighbour answer = {.type = NEIGHBOUR_ADVERTISEMENT,
		.flags = is_probe ? NEIGHBOUR_OVERRIDE : NEIGHBOUR_OVERRIDE | NEIGHBOUR_SOLICITED,
		.source = solicitation->target,
		.destination = is_probe ? neighbour_all_nodes : solicitation->source,
		.target = solicitation->target,
		.mac = question->host->mac};
	const uint8_t *to = question->from;
	uint8_t all_nodes_mac[6];

	ether_group6(neighbour_all_nodes, all_nodes_mac);
	if (is_probe)
		to = all_nodes_mac;
	else if (solicitation->mac != NULL)
		to = solicitation->mac;
	return end_answer(question, neighbour_write(&answer, begin_answer(question, to)));
}

static enum counter
take_advertisement(struct answerer *answerer, const struct question *question,
	const struct neighbour *advertisement)
{
	if (dispute(answerer->host, advertisement->target, 16, question->from))
		return STAT_frames_dropped_address_conflict;
	if (advertisement->mac != NULL)
		host_hear(answerer->host, advertisement->target, 16, advertisement->mac,
			(advertisement->flags & NEIGHBOUR_OVERRIDE) != 0);
	return STAT_frames_dropped_not_asked;
}

static enum counter
take_solicitation(struct answerer *answerer, struct question *question,
	const struct neighbour *solicitation)
{
	struct host *host = answerer->host;
	const struct host_address *own = host_find(host, solicitation->target, 16);
	enum counter reason;

	if (solicitation->mac != NULL)
		host_hear(host, solicitation->source, 16, solicitation->mac, true);
	/* Two that ask for the same address at the same time: RFC 4862 section 5.4.3. */
	if (own != NULL && neighbour_is_unspecified(solicitation->source) && is_probing(own)) {
		dispute(host, solicitation->target, 16, question->from);
		return STAT_frames_dropped_address_conflict;
	}
	reason = judge_neighbour(answerer, own, question->now);
	return reason == STAT_NONE ? answer_solicitation(question, solicitation) : reason;
}

static enum counter
take_neighbour(struct answerer *answerer, struct question *question, const struct icmp6 *icmp)
{
	struct neighbour neighbour;
	enum counter reason;
	bool is_rival;

	if (!neighbour_parse(icmp, &neighbour))
		return STAT_frames_dropped_bad_neighbour;
	is_rival = dispute(answerer->host, neighbour.source, 16, question->from);
	if (neighbour.type == NEIGHBOUR_ADVERTISEMENT)
		reason = take_advertisement(answerer, question, &neighbour);
	else
		reason = take_solicitation(answerer, question, &neighbour);
	return is_rival && reason != STAT_frames_answered ? STAT_frames_dropped_address_conflict
							  : reason;
}

static enum counter
take_echo(struct answerer *answerer, struct question *question)
{
	const struct host *host = answerer->host;
	const struct host_address *own;
	struct echo echo;
	uint8_t to[6];

	switch (echo_parse(question->packet, &echo)) {
	case ECHO_NONE:
		return STAT_NONE;
	case ECHO_DAMAGED:
		return STAT_frames_dropped_bad_echo;
	case ECHO_REQUEST:
		break;
	}
	own = host_find(host, echo.destination, echo.address_size);
	if (own == NULL)
		return STAT_NONE;
	if (ether_is_group(question->frame.data) ||
		!host_is_answerable(host, echo.source, echo.address_size))
		return STAT_frames_dropped_bad_echo;
	if (claim_state(&own->claim) != CLAIM_HELD)
		return STAT_frames_dropped_address_not_ready;
	if (!host_route(host, echo.source, echo.address_size, question->from, to))
		return STAT_frames_dropped_no_gateway;
	if (!is_allowed(&answerer->echoes, question->now))
		return STAT_frames_dropped_answer_limit;
	return end_answer(question, echo_write(&echo, begin_answer(question, to)));
}

static enum counter
take_packet(struct answerer *answerer, struct question *question, uint16_t type)
{
	struct icmp6 icmp;

	switch (type) {
	case ETHERTYPE_ARP:
		return take_arp(answerer, question);
	case ETHERTYPE_IPV6:
		if (icmp6_parse(question->packet, &icmp) && neighbour_is_type(&icmp))
			return take_neighbour(answerer, question, &icmp);
		return take_echo(answerer, question);
	case ETHERTYPE_IP:
		return take_echo(answerer, question);
	default:
		return STAT_NONE;
	}
}

enum counter
answerer_take(struct answerer *answerer, struct span frame, uint64_t now, uint8_t *ret_answer,
	size_t *ret_size)
{
	const struct host *host = answerer->host;
	struct question question = {answerer->host, .frame = frame, .now = now};
	enum counter reason;
	uint16_t type;

	if (host->n_addresses == 0 || !ether_parse(frame, &question.header_size, &type))
		return STAT_NONE;
	question.from = frame.data + ETHER_MAC_SIZE;
	question.packet = span_from(frame, question.header_size);
	question.answer = ret_answer;
	/* For another station, from none, or our own coming back. */
	if ((!ether_is_group(frame.data) && memcmp(frame.data, host->mac, 6) != 0) ||
		!ether_is_station(question.from) || memcmp(question.from, host->mac, 6) == 0)
		return STAT_NONE;
	reason = take_packet(answerer, &question, type);
	if (reason == STAT_frames_answered)
		*ret_size = question.answer_size;
	return reason;
}
