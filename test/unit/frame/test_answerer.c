/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Questions and answers laid out by hand after RFC 826, 792, 4443 and 4861. The checksums were
 * computed by a separate Python function that adds big-endian words with an end-around carry.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/clock.h"
#include "frame/answerer.h"

#define BE16(value) (value) >> 8, (value)&0xff
#define MAC(n) 2, 0, 0, 0, 0, n
#define US MAC(10)
#define ASKER MAC(1)
#define EVERYBODY 0xff, 0xff, 0xff, 0xff, 0xff, 0xff
#define GROUP(n) 0x33, 0x33, 0xff, 0, 0, n
#define ALL_NODES 0x33, 0x33, 0, 0, 0, 1
#define ETHERNET(type) BE16(type)

#define NET4(n) 192, 0, 2, n
#define NET6(n) 0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, n
#define FAR6(n) 0x20, 1, 0x0d, 0xb8, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, n
#define NONE6 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
#define GROUP6(n) 0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, 0, 0, n
#define ALL_NODES6 0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1

#define PAD18 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
#define ARP(operation) BE16(1), BE16(0x0800), 6, 4, BE16(operation)
#define ICMP6_IN(size, hops) 0x60, 0, 0, 0, BE16(size), 58, hops
#define SOLICITATION(code, sum, ...) 135, code, BE16(sum), 0, 0, 0, 0, __VA_ARGS__
#define ADVERTISEMENT(flags, sum, ...) 136, 0, BE16(sum), flags, 0, 0, 0, __VA_ARGS__
#define SOURCE_MAC(...) 1, 1, __VA_ARGS__
#define TARGET_MAC(...) 2, 1, __VA_ARGS__

/* "hello" with identifier 1234 and sequence number 1, 13 bytes. */
#define ECHO(type, code, sum) type, code, BE16(sum), 0x12, 0x34, 0, 1, 'h', 'e', 'l', 'l', 'o'
#define IPV4(fragment, ttl, id, sum) \
	0x45, 0xb8, BE16(33), BE16(id), BE16(fragment), ttl, 1, BE16(sum)

#define BYTES(...) ((const uint8_t[]){__VA_ARGS__})
#define SPAN(...) span_of(BYTES(__VA_ARGS__), sizeof(BYTES(__VA_ARGS__)))
#define ASSERT_ANSWER(answer, ...) assert_answer(SPAN(__VA_ARGS__), answer)
#define ASSERT_REASON(reason, ...) \
	assert_int_equal(ask(SPAN(__VA_ARGS__)), STAT_frames_dropped_##reason)
#define ASSERT_OTHER(...) assert_int_equal(ask(SPAN(__VA_ARGS__)), STAT_NONE)

static const struct prefix addresses[] = {
	{.address = {NET4(10)}, .address_size = 4, .length = 24},
	{.address = {NET6(0x10)}, .address_size = 16, .length = 64},
};
static const struct prefix gateways[] = {
	{.address = {NET4(254)}, .address_size = 4, .length = 32},
	{.address = {NET6(0xfe)}, .address_size = 16, .length = 128},
};

static struct host host;
static struct answerer answerer;
static uint64_t now;
static uint8_t answer_bytes[4096];
static size_t answer_size;

/* Until nothing more is due for so long. */
static void
pass(unsigned seconds)
{
	uint8_t frame[HOST_FRAME_MAX];

	for (unsigned i = 0; i <= seconds; i++, now += NS_PER_S)
		while (host_next(&host, now, frame) != 0)
			;
}

static int
begin(void **state)
{
	(void)state;
	now = 1000 * NS_PER_S;
	if (host_init(&host, addresses, 2, gateways, 2) != 0)
		return -1;
	memcpy(host.mac, BYTES(US), 6);
	answerer = (struct answerer){.host = &host};
	host_link(&host, true, now);
	return 0;
}

/* With both addresses held. */
static int
begin_held(void **state)
{
	int result = begin(state);

	pass(10);
	return result;
}

static int
end(void **state)
{
	(void)state;
	host_done(&host);
	return 0;
}

/* Of copies that end where they end, so that a sanitizer sees a step past them. */
static enum counter
ask(struct span frame)
{
	size_t room = answerer_room(frame.size);
	uint8_t *copy = malloc(frame.size), *answer = malloc(room);
	enum counter reason;

	assert_true(copy != NULL && answer != NULL);
	memcpy(copy, frame.data, frame.size);
	answer_size = 0;
	reason = answerer_take(&answerer, span_of(copy, frame.size), now, answer, &answer_size);
	assert_true(answer_size <= room);
	memcpy(answer_bytes, answer, answer_size);
	free(copy);
	free(answer);
	return reason;
}

static void
assert_answer(struct span question, struct span answer)
{
	assert_int_equal(ask(question), STAT_frames_answered);
	assert_int_equal(answer_size, answer.size);
	assert_memory_equal(answer_bytes, answer.data, answer.size);
}

static void
answers_arp_to_the_asker_alone(void **state)
{
	(void)state;
	ASSERT_ANSWER(
		SPAN(ASKER, US, ETHERNET(0x0806), ARP(2), US, NET4(10), ASKER, NET4(1), PAD18),
		EVERYBODY, ASKER, ETHERNET(0x0806), ARP(1), ASKER, NET4(1), 0, 0, 0, 0, 0, 0,
		NET4(10));
}

static void
answers_a_probe_for_an_address_that_it_holds(void **state)
{
	(void)state;
	ASSERT_ANSWER(
		SPAN(ASKER, US, ETHERNET(0x0806), ARP(2), US, NET4(10), ASKER, 0, 0, 0, 0, PAD18),
		EVERYBODY, ASKER, ETHERNET(0x0806), ARP(1), ASKER, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		NET4(10));
}

static void
answers_a_solicitation(void **state)
{
	(void)state;
	ASSERT_ANSWER(SPAN(ASKER, US, ETHERNET(0x86dd), ICMP6_IN(32, 255), NET6(0x10), NET6(1),
			      ADVERTISEMENT(0x60, 0x8a4d, NET6(0x10)), TARGET_MAC(US)),
		GROUP(0x10), ASKER, ETHERNET(0x86dd), ICMP6_IN(32, 255), NET6(1), GROUP6(0x10),
		SOLICITATION(0, 0x1c0b, NET6(0x10)), SOURCE_MAC(ASKER));
	/* To us alone, to see whether we are still there: RFC 4861 section 7.3.3. */
	ASSERT_ANSWER(SPAN(ASKER, US, ETHERNET(0x86dd), ICMP6_IN(32, 255), NET6(0x10), NET6(1),
			      ADVERTISEMENT(0x60, 0x8a4d, NET6(0x10)), TARGET_MAC(US)),
		US, ASKER, ETHERNET(0x86dd), ICMP6_IN(24, 255), NET6(1), NET6(0x10),
		SOLICITATION(0, 0xef60, NET6(0x10)));
}

static void
tells_all_nodes_when_the_asker_has_no_address(void **state)
{
	(void)state;
	ASSERT_ANSWER(SPAN(ALL_NODES, US, ETHERNET(0x86dd), ICMP6_IN(32, 255), NET6(0x10),
			      ALL_NODES6, ADVERTISEMENT(0x20, 0xf903, NET6(0x10)), TARGET_MAC(US)),
		GROUP(0x10), ASKER, ETHERNET(0x86dd), ICMP6_IN(24, 255), NONE6, GROUP6(0x10),
		SOLICITATION(0, 0x4ccf, NET6(0x10)));
}

#define ASK4(...) US, ASKER, ETHERNET(0x0800), __VA_ARGS__, ECHO(8, 0, 0xa1f8)
#define ASK6(...) US, ASKER, ETHERNET(0x86dd), ICMP6_IN(13, 64), __VA_ARGS__

static void
answers_an_echo_request(void **state)
{
	(void)state;
	ASSERT_ANSWER(SPAN(ASKER, US, ETHERNET(0x0800), IPV4(0x4000, 64, 0, 0xb618), NET4(10),
			      NET4(1), ECHO(0, 0, 0xa9f8), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
		ASK4(IPV4(0, 64, 0x5678, 0x9fa0), NET4(1), NET4(10)));
	ASSERT_ANSWER(SPAN(ASKER, US, ETHERNET(0x86dd), ICMP6_IN(13, 64), NET6(0x10), NET6(1),
			      ECHO(129, 0, 0xcd2d)),
		ASK6(NET6(1), NET6(0x10)), ECHO(128, 0, 0xce2d));
}

static void
leaves_padding_and_options_out(void **state)
{
	(void)state;
	/* IHL 6: three no-operations and the end of the list. */
	ASSERT_ANSWER(SPAN(ASKER, US, ETHERNET(0x0800), IPV4(0x4000, 64, 0, 0xb618), NET4(10),
			      NET4(1), ECHO(0, 0, 0xa9f8), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
		US, ASKER, ETHERNET(0x0800), 0x46, 0xb8, BE16(37), BE16(0x5678), 0, 0, 64, 1,
		BE16(0x9c9b), NET4(1), NET4(10), 1, 1, 1, 0, ECHO(8, 0, 0xa1f8), 9, 9, 9, 9, 9, 9,
		9, 9, 9, 9, 9, 9, 9, 9);
}

static void
keeps_vlan_and_qinq_tags(void **state)
{
	(void)state;
	ASSERT_ANSWER(SPAN(ASKER, US, BE16(0x8100), BE16(0x6007), ETHERNET(0x0806), ARP(2), US,
			      NET4(10), ASKER, NET4(1), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
		EVERYBODY, ASKER, BE16(0x8100), BE16(0x6007), ETHERNET(0x0806), ARP(1), ASKER,
		NET4(1), 0, 0, 0, 0, 0, 0, NET4(10));
	ASSERT_ANSWER(SPAN(ASKER, US, BE16(0x88a8), BE16(100), BE16(0x8100), BE16(7),
			      ETHERNET(0x86dd), ICMP6_IN(13, 64), NET6(0x10), NET6(1),
			      ECHO(129, 0, 0xcd2d)),
		US, ASKER, BE16(0x88a8), BE16(100), BE16(0x8100), BE16(7), ETHERNET(0x86dd),
		ICMP6_IN(13, 64), NET6(1), NET6(0x10), ECHO(128, 0, 0xce2d));
}

static void
leaves_alone_what_asks_nothing_of_it(void **state)
{
	(void)state;
	/* For another address, a reply, and an announcement. */
	ASSERT_REASON(not_asked, EVERYBODY, ASKER, ETHERNET(0x0806), ARP(1), ASKER, NET4(1), 0, 0,
		0, 0, 0, 0, NET4(11));
	ASSERT_REASON(not_asked, US, ASKER, ETHERNET(0x0806), ARP(2), ASKER, NET4(1), US, NET4(10));
	ASSERT_REASON(not_asked, EVERYBODY, ASKER, ETHERNET(0x0806), ARP(1), ASKER, NET4(1), 0, 0,
		0, 0, 0, 0, NET4(1));
	ASSERT_REASON(not_asked, GROUP(0x11), ASKER, ETHERNET(0x86dd), ICMP6_IN(32, 255), NET6(1),
		GROUP6(0x11), SOLICITATION(0, 0x1c09, NET6(0x11)), SOURCE_MAC(ASKER));
	/* Not to our MAC, an echo to another address, another protocol, a fragment. */
	ASSERT_OTHER(MAC(11), ASKER, ETHERNET(0x0806), ARP(1), ASKER, NET4(1), US, NET4(10));
	ASSERT_OTHER(ASK4(IPV4(0, 64, 0x5678, 0x9f9f), NET4(1), NET4(11)));
	ASSERT_OTHER(ASK4(IPV4(0x2000, 64, 0x5678, 0x7fa0), NET4(1), NET4(10)));
	ASSERT_OTHER(EVERYBODY, ASKER, ETHERNET(0x0800), IPV4(0, 64, 0x5678, 0x9eab), NET4(1),
		NET4(255), ECHO(8, 0, 0xa1f8));
	ASSERT_OTHER(1, 0, 0x5e, 0, 0, 1, ASKER, ETHERNET(0x0800), IPV4(0, 64, 0x5678, 0x81a9),
		NET4(1), 224, 0, 0, 1, ECHO(8, 0, 0xa1f8));
	ASSERT_OTHER(1, 0x80, 0xc2, 0, 0, 0x0e, ASKER, ETHERNET(0x88cc), 2, 7, 4, 0);
	/* An answer to an echo request of somebody else's. */
	ASSERT_OTHER(US, ASKER, ETHERNET(0x0800), IPV4(0, 64, 0x5678, 0x9fa0), NET4(1), NET4(10),
		ECHO(0, 0, 0xa9f8));
	/* Our own frame, come back. */
	ASSERT_OTHER(EVERYBODY, US, ETHERNET(0x0806), ARP(1), US, NET4(10), 0, 0, 0, 0, 0, 0,
		NET4(10));
}

static void
drops_arp_that_is_malformed(void **state)
{
	(void)state;
	ASSERT_REASON(bad_neighbour, EVERYBODY, ASKER, ETHERNET(0x0806), ARP(1), ASKER, NET4(1), 0,
		0, 0, 0, 0, 0, 192, 0, 2); /* a byte short */
	ASSERT_REASON(bad_neighbour, EVERYBODY, ASKER, ETHERNET(0x0806), BE16(6), BE16(0x0800), 6,
		4, BE16(1), ASKER, NET4(1), 0, 0, 0, 0, 0, 0, NET4(10));
	ASSERT_REASON(bad_neighbour, EVERYBODY, ASKER, ETHERNET(0x0806), BE16(1), BE16(0x0800), 8,
		4, BE16(1), ASKER, NET4(1), 0, 0, 0, 0, 0, 0, NET4(10));
	ASSERT_REASON(bad_neighbour, EVERYBODY, ASKER, ETHERNET(0x0806), ARP(3), ASKER, NET4(1), 0,
		0, 0, 0, 0, 0, NET4(10));
	ASSERT_REASON(bad_neighbour, EVERYBODY, ASKER, ETHERNET(0x0806), ARP(1), EVERYBODY, NET4(1),
		0, 0, 0, 0, 0, 0, NET4(10));
	ASSERT_REASON(bad_neighbour, EVERYBODY, ASKER, ETHERNET(0x0806), ARP(1), ASKER, 224, 0, 0,
		1, 0, 0, 0, 0, 0, 0, NET4(10));
}

/* Each differs from a good one in what the comment says; the checksum fits. */
static void
drops_solicitations_as_rfc_4861_says(void **state)
{
	(void)state;
#define ASK(...) ASSERT_REASON(bad_neighbour, GROUP(0x10), ASKER, ETHERNET(0x86dd), __VA_ARGS__)
	/* It passed a router. */
	ASK(ICMP6_IN(32, 254), NET6(1), GROUP6(0x10), SOLICITATION(0, 0x1c0b, NET6(0x10)),
		SOURCE_MAC(ASKER));
	/* The checksum. */
	ASK(ICMP6_IN(32, 255), NET6(1), GROUP6(0x10), SOLICITATION(0, 0x1c0c, NET6(0x10)),
		SOURCE_MAC(ASKER));
	/* The code. */
	ASK(ICMP6_IN(32, 255), NET6(1), GROUP6(0x10), SOLICITATION(1, 0x1c0a, NET6(0x10)),
		SOURCE_MAC(ASKER));
	/* A target that is a group. */
	ASK(ICMP6_IN(32, 255), NET6(1), GROUP6(0x10), SOLICITATION(0, 0x4ad0, ALL_NODES6),
		SOURCE_MAC(ASKER));
	/* An option of no length. */
	ASK(ICMP6_IN(32, 255), NET6(1), GROUP6(0x10), SOLICITATION(0, 0x1c0c, NET6(0x10)), 1, 0,
		ASKER);
	/* From no address, with a MAC. */
	ASK(ICMP6_IN(32, 255), NONE6, GROUP6(0x10), SOLICITATION(0, 0x49c5, NET6(0x10)),
		SOURCE_MAC(ASKER));
	/* From no address, and not to a solicited-node group. */
	ASK(ICMP6_IN(24, 255), NONE6, NET6(0x10), SOLICITATION(0, 0x1d1b, NET6(0x10)));
	/* Solicited, and to a group. */
	ASK(ICMP6_IN(32, 255), NET6(0xfe), ALL_NODES6, ADVERTISEMENT(0xe0, 0x3633, NET6(0xfe)),
		TARGET_MAC(MAC(0xfe)));
#undef ASK
}

static void
drops_echo_requests_that_are_damaged_or_from_nobody(void **state)
{
	(void)state;
	ASSERT_REASON(bad_echo, US, ASKER, ETHERNET(0x0800), IPV4(0, 64, 0x5678, 0x9fa0), NET4(1),
		NET4(10), ECHO(8, 0, 0xa1f9));
	ASSERT_REASON(bad_echo, US, ASKER, ETHERNET(0x0800), IPV4(0, 64, 0x5678, 0x9fa0), NET4(1),
		NET4(10), ECHO(8, 1, 0xa1f7));
	ASSERT_REASON(bad_echo, ASK4(IPV4(0, 64, 0x5678, 0x9fa1), NET4(1), NET4(10)));
	ASSERT_REASON(bad_echo, ASK6(NET6(1), NET6(0x10)), ECHO(128, 0, 0xce2e));
	/* To everybody's MAC: RFC 1122 section 3.3.6. */
	ASSERT_REASON(bad_echo, EVERYBODY, ASKER, ETHERNET(0x0800), IPV4(0, 64, 0x5678, 0x9fa0),
		NET4(1), NET4(10), ECHO(8, 0, 0xa1f8));

	ASSERT_REASON(bad_echo, ASK4(IPV4(0, 64, 0x5678, 0x81a0), 224, 0, 0, 1, NET4(10)));
	ASSERT_REASON(bad_echo, ASK4(IPV4(0, 64, 0x5678, 0x61a2), 0, 0, 0, 0, NET4(10)));
	ASSERT_REASON(bad_echo, ASK4(IPV4(0, 64, 0x5678, 0x61a2), 255, 255, 255, 255, NET4(10)));
	ASSERT_REASON(bad_echo, ASK4(IPV4(0, 64, 0x5678, 0x9ea2), NET4(255), NET4(10)));
	ASSERT_REASON(bad_echo, ASK4(IPV4(0, 64, 0x5678, 0xe2a0), 127, 0, 0, 1, NET4(10)));
	ASSERT_REASON(bad_echo, ASK4(IPV4(0, 64, 0x5678, 0x9f97), NET4(10), NET4(10)));
}

static void
answers_other_networks_through_the_gateway(void **state)
{
	(void)state;
#define FAR4 198, 51, 100, 7
	ASSERT_REASON(no_gateway, ASK4(IPV4(0, 64, 0x5678, 0x3767), FAR4, NET4(10)));
	ASSERT_REASON(no_gateway, ASK6(FAR6(1), NET6(0x10)), ECHO(128, 0, 0xce24));
	/* The gateways make themselves known. */
	ASSERT_REASON(not_asked, US, MAC(0xfe), ETHERNET(0x0806), ARP(2), MAC(0xfe), NET4(254), US,
		NET4(10));
	ASSERT_REASON(not_asked, ALL_NODES, MAC(0xfd), ETHERNET(0x86dd), ICMP6_IN(32, 255),
		NET6(0xfe), ALL_NODES6, ADVERTISEMENT(0xa0, 0x7633, NET6(0xfe)),
		TARGET_MAC(MAC(0xfe)));
	ASSERT_ANSWER(SPAN(MAC(0xfe), US, ETHERNET(0x0800), IPV4(0x4000, 64, 0, 0x4ddf), NET4(10),
			      FAR4, ECHO(0, 0, 0xa9f8), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
		ASK4(IPV4(0, 64, 0x5678, 0x3767), FAR4, NET4(10)));
	ASSERT_ANSWER(SPAN(MAC(0xfe), US, ETHERNET(0x86dd), ICMP6_IN(13, 64), NET6(0x10), FAR6(1),
			      ECHO(129, 0, 0xcd24)),
		ASK6(FAR6(1), NET6(0x10)), ECHO(128, 0, 0xce24));
}

static void
answers_a_thousand_a_second_and_a_hundred_at_once(void **state)
{
	unsigned n = 0;

	(void)state;
#define PING ask(SPAN(ASK4(IPV4(0, 64, 0x5678, 0x9fa0), NET4(1), NET4(10))))
	for (int i = 0; i < 500; i++)
		n += PING == STAT_frames_answered;
	assert_int_equal(n, 100);
	assert_int_equal(PING, STAT_frames_dropped_answer_limit);
	/* 10 questions a millisecond, for a second. */
	for (n = 0; now % NS_PER_S < 1000 * NS_PER_MS - 100000; now += 100000)
		n += PING == STAT_frames_answered;
	assert_in_range(n, 998, 1001);
	/* Who asks for the address is not held up by a flood of echo requests. */
	ASSERT_ANSWER(
		SPAN(ASKER, US, ETHERNET(0x0806), ARP(2), US, NET4(10), ASKER, NET4(1), PAD18),
		EVERYBODY, ASKER, ETHERNET(0x0806), ARP(1), ASKER, NET4(1), 0, 0, 0, 0, 0, 0,
		NET4(10));
	now += NS_PER_S;
	for (n = 0; PING == STAT_frames_answered; n++)
		;
	assert_int_equal(n, 100);
}

#define ANNOUNCEMENT_OF_RIVAL \
	EVERYBODY, ASKER, ETHERNET(0x0806), ARP(1), ASKER, NET4(10), 0, 0, 0, 0, 0, 0, NET4(10)
#define QUESTION4 \
	EVERYBODY, MAC(2), ETHERNET(0x0806), ARP(1), MAC(2), NET4(2), 0, 0, 0, 0, 0, 0, NET4(10)
#define QUESTION6 \
	GROUP(0x10), ASKER, ETHERNET(0x86dd), ICMP6_IN(32, 255), NET6(1), GROUP6(0x10), \
		SOLICITATION(0, 0x1c0b, NET6(0x10)), SOURCE_MAC(ASKER)
#define PROBE6 \
	GROUP(0x10), ASKER, ETHERNET(0x86dd), ICMP6_IN(24, 255), NONE6, GROUP6(0x10), \
		SOLICITATION(0, 0x4ccf, NET6(0x10))

static void
answers_nothing_for_an_address_while_it_asks_for_it(void **state)
{
	(void)state;
	pass(2);
	ASSERT_REASON(address_not_ready, QUESTION4);
	ASSERT_REASON(address_not_ready, ASK4(IPV4(0, 64, 0x5678, 0x9fa0), NET4(1), NET4(10)));
	pass(5);
	assert_int_equal(ask(SPAN(QUESTION4)), STAT_frames_answered);
}

static void
gives_up_an_address_that_another_asks_for_as_well(void **state)
{
	(void)state;
	ASSERT_REASON(address_conflict, EVERYBODY, ASKER, ETHERNET(0x0806), ARP(1), ASKER, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, NET4(10));
	ASSERT_REASON(address_conflict, PROBE6);
	pass(10);
	assert_int_equal(claim_state(&host.addresses[0].claim), CLAIM_LOST);
	assert_int_equal(claim_state(&host.addresses[1].claim), CLAIM_LOST);
	ASSERT_REASON(address_not_ready, QUESTION4);
	ASSERT_REASON(address_not_ready, QUESTION6);
}

static void
stops_to_answer_when_another_uses_the_address(void **state)
{
	uint8_t rival[6];

	(void)state;
	assert_int_equal(ask(SPAN(QUESTION4)), STAT_frames_answered);
	ASSERT_REASON(address_conflict, ANNOUNCEMENT_OF_RIVAL);
	ASSERT_REASON(address_not_ready, QUESTION4); /* at once, before the next step */
	claim_rival(&host.addresses[0].claim, rival);
	assert_memory_equal(rival, BYTES(ASKER), 6);

	assert_int_equal(ask(SPAN(QUESTION6)), STAT_frames_answered);
	ASSERT_REASON(address_conflict, ALL_NODES, ASKER, ETHERNET(0x86dd), ICMP6_IN(32, 255),
		NET6(0x10), ALL_NODES6, ADVERTISEMENT(0x20, 0xf90c, NET6(0x10)), TARGET_MAC(ASKER));
	ASSERT_REASON(address_not_ready, QUESTION6);

	/* A minute without the rival, and the time to ask again. */
	pass(58);
	ASSERT_REASON(address_not_ready, QUESTION4);
	pass(10);
	assert_int_equal(ask(SPAN(QUESTION4)), STAT_frames_answered);
	assert_int_equal(ask(SPAN(QUESTION6)), STAT_frames_answered);
}

static void
answers_who_uses_another_address_of_it(void **state)
{
	(void)state;
	memcpy(host.addresses[1].prefix.address, BYTES(NET4(11)), 4);
	host.addresses[1].prefix.address_size = 4;
	host.addresses[1].prefix.length = 24;
	ASSERT_REASON(address_conflict, ANNOUNCEMENT_OF_RIVAL);
	assert_int_equal(ask(SPAN(EVERYBODY, ASKER, ETHERNET(0x0806), ARP(1), ASKER, NET4(10), 0, 0,
				 0, 0, 0, 0, NET4(11))),
		STAT_frames_answered);
	assert_int_equal(claim_state(&host.addresses[0].claim), CLAIM_LOST);
	/* From an address that was lost it may ping us; from one that we hold, nobody may. */
	assert_int_equal(ask(SPAN(ASK4(IPV4(0, 64, 0x5678, 0x9f96), NET4(10), NET4(11)))),
		STAT_frames_answered);
	ASSERT_REASON(bad_echo, ASK4(IPV4(0, 64, 0x5678, 0x9f95), NET4(11), NET4(11)));
	ASSERT_REASON(address_conflict, EVERYBODY, ASKER, ETHERNET(0x0806), ARP(1), ASKER, NET4(10),
		0, 0, 0, 0, 0, 0, NET4(12));
	assert_int_equal(claim_state(&host.addresses[1].claim), CLAIM_HELD);
}

static void
says_nothing_without_addresses(void **state)
{
	(void)state;
	host.n_addresses = 0;
	ASSERT_OTHER(QUESTION4);
	ASSERT_OTHER(ASK4(IPV4(0, 64, 0x5678, 0x9fa0), NET4(1), NET4(10)));
	host.n_addresses = 2;
}

static void
reads_no_further_than_the_frame(void **state)
{
	const struct span frames[] = {SPAN(QUESTION4), SPAN(QUESTION6), SPAN(PROBE6),
		SPAN(ASK4(IPV4(0, 64, 0x5678, 0x9fa0), NET4(1), NET4(10))),
		SPAN(ASK6(NET6(1), NET6(0x10)), ECHO(128, 0, 0xce2d))};

	(void)state;
	for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++)
		for (size_t size = 0; size < frames[i].size; size++)
			assert_int_not_equal(ask(span_of(frames[i].data, size)),
				STAT_frames_answered);
}

#define HELD(test) cmocka_unit_test_setup_teardown(test, begin_held, end)
#define FRESH(test) cmocka_unit_test_setup_teardown(test, begin, end)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		HELD(answers_arp_to_the_asker_alone),
		HELD(answers_a_probe_for_an_address_that_it_holds),
		HELD(answers_a_solicitation),
		HELD(tells_all_nodes_when_the_asker_has_no_address),
		HELD(answers_an_echo_request),
		HELD(leaves_padding_and_options_out),
		HELD(keeps_vlan_and_qinq_tags),
		HELD(leaves_alone_what_asks_nothing_of_it),
		HELD(drops_arp_that_is_malformed),
		HELD(drops_solicitations_as_rfc_4861_says),
		HELD(drops_echo_requests_that_are_damaged_or_from_nobody),
		HELD(answers_other_networks_through_the_gateway),
		HELD(answers_a_thousand_a_second_and_a_hundred_at_once),
		FRESH(answers_nothing_for_an_address_while_it_asks_for_it),
		FRESH(gives_up_an_address_that_another_asks_for_as_well),
		HELD(stops_to_answer_when_another_uses_the_address),
		HELD(answers_who_uses_another_address_of_it),
		HELD(says_nothing_without_addresses),
		HELD(reads_no_further_than_the_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
