/* SPDX-License-Identifier: BSD-3-Clause */
/* Fragments by hand: byte i of every datagram is i * 7 + its id, so that a misplaced one shows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "frame/reassembly.h"

#define NS_PER_S UINT64_C(1000000000)
#define UDP 17

static const uint8_t addresses4[2 * 4] = {192, 0, 2, 1, 192, 0, 2, 10};
static const uint8_t addresses6[2 * 16] = {0x20, 1, 0x0d, 0xb8};

struct lab {
	struct reassembly *reassembly;
	struct stats stats;
	uint64_t now;
	struct packet packet; /* the last complete one */
};

/* One fragment of the datagram with that id. */
struct cut {
	uint32_t id;
	uint32_t begin, end;
	bool more;
};

static int
set_up(void **state)
{
	struct lab *lab = calloc(1, sizeof(*lab));

	*state = lab;
	return reassembly_new(&lab->stats, &lab->reassembly);
}

static int
tear_down(void **state)
{
	struct lab *lab = *state;

	reassembly_free(lab->reassembly);
	free(lab);
	return 0;
}

static uint8_t
byte_of(uint32_t id, uint32_t at)
{
	return (uint8_t)(at * 7 + id);
}

/* As a port does it: adds, and counts the fragment under what comes back. */
static enum counter
add_frame(struct lab *lab, const struct frame *frame)
{
	enum counter reason = reassembly_add(lab->reassembly, frame, lab->now, &lab->packet);

	stats_add(&lab->stats, STAT_frames_received, 1);
	stats_add(&lab->stats, reason == STAT_NONE ? STAT_frames_delivered : reason, 1);
	return reason;
}

static enum counter
add_from(struct lab *lab, struct cut cut, const uint8_t *addresses, uint8_t address_size)
{
	size_t size = cut.end - cut.begin;
	uint8_t *bytes = malloc(size); /* ends where the fragment ends: a sanitizer sees more */
	struct frame frame = {
		.payload = span_of(bytes, size),
		.source = addresses,
		.destination = addresses + address_size,
		.address_size = address_size,
		.fragment = {cut.id, (uint16_t)cut.begin, cut.more, UDP},
	};
	enum counter reason;

	assert_non_null(bytes);
	for (uint32_t i = 0; i < size; i++)
		bytes[i] = byte_of(cut.id, cut.begin + i);
	reason = add_frame(lab, &frame);
	free(bytes);
	return reason;
}

static enum counter
add(struct lab *lab, struct cut cut)
{
	return add_from(lab, cut, addresses4, 4);
}

static uint64_t
count(const struct lab *lab, enum counter counter)
{
	return lab->stats.counter[counter];
}

/* Every fragment is somewhere. */
static void
assert_balance(const struct lab *lab)
{
	uint64_t sum = 0;

	for (enum counter stat = STAT_NONE + 1; stat < STAT_COUNT; stat++)
		if (stat_info[stat].level_index == STAT_LEVEL_frames &&
			stat_info[stat].role == STAT_ROLE_TERM)
			sum += lab->stats.counter[stat];
	assert_int_equal(sum, count(lab, STAT_frames_received));
}

static void
assert_packet(const struct lab *lab, uint32_t id, size_t size)
{
	assert_int_equal(lab->packet.body.size, size);
	assert_int_equal(lab->packet.type, UDP);
	for (uint32_t i = 0; i < size; i++)
		assert_int_equal(lab->packet.body.data[i], byte_of(id, i));
}

static void
joins_fragments_in_every_order(void **state)
{
	static const struct cut cuts[] = {{5, 0, 16, true}, {5, 16, 24, true}, {5, 24, 40, true},
		{5, 40, 45, false}};
	struct lab *lab = *state;
	unsigned n = 0;

	/* All 24 orders of four, as digits in base 4. */
	for (unsigned order = 0; order < 256; order++) {
		unsigned at[] = {order & 3, order >> 2 & 3, order >> 4 & 3, order >> 6 & 3};

		if ((1 << at[0] | 1 << at[1] | 1 << at[2] | 1 << at[3]) != 15)
			continue;
		for (unsigned i = 0; i < 3; i++)
			assert_int_equal(add(lab, cuts[at[i]]), STAT_frames_queued);
		assert_int_equal(count(lab, STAT_frames_queued), 3);
		assert_int_equal(add(lab, cuts[at[3]]), STAT_NONE);
		assert_packet(lab, 5, 45);
		assert_memory_equal(lab->packet.source, addresses4, sizeof(addresses4));
		reassembly_release(lab->reassembly);
		n++;
	}
	assert_int_equal(n, 24);
	assert_int_equal(count(lab, STAT_frames_delivered), 24);
	assert_int_equal(count(lab, STAT_frames_reassembled), 24 * 3);
	assert_int_equal(count(lab, STAT_frames_queued), 0);
	assert_balance(lab);
}

static void
keeps_interleaved_datagrams_apart(void **state)
{
	static const uint8_t other[2 * 4] = {192, 0, 2, 2, 192, 0, 2, 10};
	struct lab *lab = *state;

	/* The same identification from two senders, another one, and another IP version. */
	assert_int_equal(add(lab, (struct cut){1, 0, 8, true}), STAT_frames_queued);
	assert_int_equal(add_from(lab, (struct cut){1, 0, 8, true}, other, 4), STAT_frames_queued);
	assert_int_equal(add(lab, (struct cut){2, 0, 8, true}), STAT_frames_queued);
	assert_int_equal(add_from(lab, (struct cut){1, 0, 8, true}, addresses6, 16),
		STAT_frames_queued);
	assert_int_equal(add_from(lab, (struct cut){1, 8, 12, false}, other, 4), STAT_NONE);
	assert_packet(lab, 1, 12);
	assert_memory_equal(lab->packet.source, other, sizeof(other));
	assert_int_equal(add(lab, (struct cut){2, 8, 9, false}), STAT_NONE);
	assert_packet(lab, 2, 9);
	assert_int_equal(add_from(lab, (struct cut){1, 8, 24, false}, addresses6, 16), STAT_NONE);
	assert_packet(lab, 1, 24);
	assert_int_equal(lab->packet.address_size, 16);
	assert_int_equal(add(lab, (struct cut){1, 8, 10, false}), STAT_NONE);
	assert_packet(lab, 1, 10);
	assert_balance(lab);
}

static void
takes_the_type_from_the_first_fragment(void **state)
{
	struct lab *lab = *state;
	uint8_t bytes[8] = {0};
	struct frame last = {.payload = span_of(bytes, 8),
			     .source = addresses6,
			     .address_size = 16,
			     .fragment = {9, 8, false, UDP}},
		     first = last;

	first.fragment = (struct fragment){9, 0, true, 60};
	assert_int_equal(add_frame(lab, &last), STAT_frames_queued);
	assert_int_equal(add_frame(lab, &first), STAT_NONE);
	assert_int_equal(lab->packet.type, 60);
}

static void
joins_the_longest_datagram(void **state)
{
	struct lab *lab = *state;
	uint32_t begin = 0;

	/* 65535 bytes as an IPv6 sender with an MTU of 1500 sends them: 1448 bytes each. */
	for (; begin + 1448 < 65535; begin += 1448)
		assert_int_equal(add(lab, (struct cut){3, begin, begin + 1448, true}),
			STAT_frames_queued);
	assert_int_equal(add(lab, (struct cut){3, begin, 65535, false}), STAT_NONE);
	assert_packet(lab, 3, 65535);
	/* What vectors may read behind it. */
	assert_int_equal(lab->packet.body.data[65535 + REASSEMBLY_TAILROOM - 1], 0);
	assert_balance(lab);
}

static void
leaves_an_exact_duplicate_out(void **state)
{
	struct lab *lab = *state;

	add(lab, (struct cut){1, 0, 16, true});
	add(lab, (struct cut){1, 24, 30, false});
	assert_int_equal(add(lab, (struct cut){1, 0, 16, true}),
		STAT_frames_dropped_fragment_duplicate);
	assert_int_equal(add(lab, (struct cut){1, 24, 30, false}),
		STAT_frames_dropped_fragment_duplicate);
	assert_int_equal(add(lab, (struct cut){1, 16, 24, true}), STAT_NONE);
	assert_packet(lab, 1, 30);
	assert_balance(lab);
}

/* The datagram is dropped: both fragments that waited, the one that spoils it, one that follows. */
static void
expect_spoiled_by(struct lab *lab, struct cut cut)
{
	uint64_t n = count(lab, STAT_frames_dropped_fragment_overlap);

	assert_int_equal(add(lab, (struct cut){cut.id, 0, 16, true}), STAT_frames_queued);
	assert_int_equal(add(lab, (struct cut){cut.id, 32, 48, true}), STAT_frames_queued);
	assert_int_equal(add(lab, cut), STAT_frames_dropped_fragment_overlap);
	assert_int_equal(count(lab, STAT_frames_queued), 0);
	assert_int_equal(add(lab, (struct cut){cut.id, 16, 32, true}),
		STAT_frames_dropped_fragment_overlap);
	assert_int_equal(count(lab, STAT_frames_dropped_fragment_overlap), n + 4);
	assert_balance(lab);
}

static void
drops_a_datagram_whose_fragments_overlap(void **state)
{
	static const struct cut cuts[] = {
		{1, 8, 24, true}, /* the first's last 8 bytes */
		{2, 24, 40, true}, /* the second's first 8 bytes */
		{3, 8, 16, true}, /* inside: "teardrop" */
		{4, 0, 8, true}, /* inside, from the same start */
		{5, 0, 48, true}, /* over both and the hole */
		{6, 40, 56, true}, /* beyond */
	};

	for (size_t i = 0; i < ARRAY_LENGTH(cuts); i++)
		expect_spoiled_by(*state, cuts[i]);
}

static void
drops_a_datagram_that_is_sent_with_two_contents(void **state)
{
	struct lab *lab = *state;
	uint8_t bytes[8] = {0};
	struct frame frame = {.payload = span_of(bytes, 8),
		.source = addresses4,
		.address_size = 4,
		.fragment = {1, 8, true, UDP}};

	add(lab, (struct cut){1, 8, 16, true});
	assert_int_equal(add_frame(lab, &frame), STAT_frames_dropped_fragment_overlap);
	assert_int_equal(count(lab, STAT_frames_dropped_fragment_overlap), 2);
	assert_balance(lab);
}

static void
drops_a_datagram_with_two_ends(void **state)
{
	struct lab *lab = *state;

	expect_spoiled_by(lab, (struct cut){1, 16, 24, false}); /* before what has come */
	add(lab, (struct cut){2, 32, 40, false});
	assert_int_equal(add(lab, (struct cut){2, 48, 56, false}),
		STAT_frames_dropped_fragment_overlap);
	add(lab, (struct cut){3, 32, 40, false});
	assert_int_equal(add(lab, (struct cut){3, 40, 48, true}),
		STAT_frames_dropped_fragment_overlap);
	add(lab, (struct cut){4, 32, 40, false});
	assert_int_equal(add(lab, (struct cut){4, 32, 40, true}),
		STAT_frames_dropped_fragment_overlap);
	assert_int_equal(count(lab, STAT_frames_queued), 0);
	assert_balance(lab);
}

static void
drops_a_datagram_in_too_many_fragments(void **state)
{
	struct lab *lab = *state;

	for (uint32_t i = 0; i < REASSEMBLY_FRAGMENTS; i++)
		assert_int_equal(add(lab, (struct cut){1, i * 8, i * 8 + 8, true}),
			STAT_frames_queued);
	assert_int_equal(add(lab,
				 (struct cut){1, 8 * REASSEMBLY_FRAGMENTS,
					 8 * REASSEMBLY_FRAGMENTS + 8, false}),
		STAT_frames_dropped_fragment_limit);
	assert_int_equal(count(lab, STAT_frames_dropped_fragment_limit), REASSEMBLY_FRAGMENTS + 1);
	assert_balance(lab);
}

static void
ends_an_incomplete_datagram_after_two_seconds(void **state)
{
	struct lab *lab = *state;

	add(lab, (struct cut){1, 0, 8, true});
	add(lab, (struct cut){1, 16, 24, false});
	lab->now += NS_PER_S;
	add(lab, (struct cut){2, 0, 8, true});
	lab->now += NS_PER_S - 1;
	reassembly_refresh(lab->reassembly, lab->now);
	assert_int_equal(count(lab, STAT_frames_dropped_fragment_timeout), 0);
	lab->now++;
	reassembly_refresh(lab->reassembly, lab->now);
	assert_int_equal(count(lab, STAT_frames_dropped_fragment_timeout), 2);
	assert_int_equal(count(lab, STAT_frames_queued), 1);
	/* What comes too late begins anew. */
	assert_int_equal(add(lab, (struct cut){1, 8, 16, true}), STAT_frames_queued);
	/* The other's time is over when its last fragment comes: without any refresh. */
	lab->now += NS_PER_S;
	assert_int_equal(add(lab, (struct cut){2, 8, 16, false}), STAT_frames_queued);
	assert_int_equal(count(lab, STAT_frames_dropped_fragment_timeout), 3);
	assert_balance(lab);
}

static void
forgets_a_spoiled_datagram_after_its_time(void **state)
{
	struct lab *lab = *state;

	expect_spoiled_by(lab, (struct cut){1, 8, 24, true});
	lab->now += 2 * NS_PER_S;
	add(lab, (struct cut){1, 0, 8, true});
	assert_int_equal(add(lab, (struct cut){1, 8, 12, false}), STAT_NONE);
	assert_packet(lab, 1, 12);
	assert_int_equal(count(lab, STAT_frames_dropped_fragment_timeout), 0);
}

static void
gives_the_oldest_up_in_a_flood(void **state)
{
	struct lab *lab = *state;

	for (uint32_t id = 1; id <= REASSEMBLY_WAITING; id++)
		add(lab, (struct cut){id, 0, 8, true});
	assert_int_equal(count(lab, STAT_frames_dropped_fragment_flood), 0);
	add(lab, (struct cut){100, 0, 8, true});
	assert_int_equal(count(lab, STAT_frames_dropped_fragment_flood), 1);
	assert_int_equal(count(lab, STAT_frames_queued), REASSEMBLY_WAITING);
	/* The second is still there, the first is not. */
	assert_int_equal(add(lab, (struct cut){2, 8, 16, false}), STAT_NONE);
	assert_int_equal(add(lab, (struct cut){1, 8, 16, false}), STAT_frames_queued);
	/* In the midst of a flood, a datagram whose fragments follow each other comes through. */
	for (uint32_t id = 1000; id < 100000; id++)
		add(lab, (struct cut){id, 8, 16, true});
	add(lab, (struct cut){7, 0, 8, true});
	for (uint32_t id = 1000; id < 1000 + REASSEMBLY_WAITING - 1; id++)
		add(lab, (struct cut){id, 8, 16, true});
	assert_int_equal(add(lab, (struct cut){7, 8, 16, false}), STAT_NONE);
	assert_packet(lab, 7, 16);
	assert_balance(lab);
}

static void
holds_a_burst_of_finished_datagrams(void **state)
{
	struct span body[REASSEMBLY_FINISHED];
	struct lab *lab = *state;

	for (uint32_t id = 0; id < REASSEMBLY_WAITING - 1; id++)
		add(lab, (struct cut){1000 + id, 0, 8, true});
	for (uint32_t id = 0; id < REASSEMBLY_FINISHED; id++) {
		add(lab, (struct cut){id, 0, 8, true});
		assert_int_equal(add(lab, (struct cut){id, 8, 11, false}), STAT_NONE);
		body[id] = lab->packet.body;
	}
	for (uint32_t id = 0; id < REASSEMBLY_FINISHED; id++)
		for (uint32_t i = 0; i < 11; i++)
			assert_int_equal(body[id].data[i], byte_of(id, i));
	reassembly_release(lab->reassembly);
	assert_balance(lab);
}

static void
counts_what_waits_at_the_stop(void **state)
{
	struct lab *lab = *state;

	add(lab, (struct cut){1, 0, 8, true});
	add(lab, (struct cut){1, 8, 16, true});
	add(lab, (struct cut){2, 8, 16, true});
	reassembly_stop(lab->reassembly);
	assert_int_equal(count(lab, STAT_frames_queued), 0);
	assert_int_equal(count(lab, STAT_frames_dropped_fragment_stopped), 3);
	assert_balance(lab);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(joins_fragments_in_every_order),
		TEST(keeps_interleaved_datagrams_apart),
		TEST(takes_the_type_from_the_first_fragment),
		TEST(joins_the_longest_datagram),
		TEST(leaves_an_exact_duplicate_out),
		TEST(drops_a_datagram_whose_fragments_overlap),
		TEST(drops_a_datagram_that_is_sent_with_two_contents),
		TEST(drops_a_datagram_with_two_ends),
		TEST(drops_a_datagram_in_too_many_fragments),
		TEST(ends_an_incomplete_datagram_after_two_seconds),
		TEST(forgets_a_spoiled_datagram_after_its_time),
		TEST(gives_the_oldest_up_in_a_flood),
		TEST(holds_a_burst_of_finished_datagrams),
		TEST(counts_what_waits_at_the_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
