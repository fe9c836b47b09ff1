/* SPDX-License-Identifier: BSD-3-Clause */
/* One queue and three workers: what is sent on net_ring comes back on its only queue. */
#include <pthread.h>

#include "dpdk/lab.h"

#define SHARES 3
#define FLOWS 64
#define LANE 1024 /* frames: "as many as in a NIC's ring" */
#define FIRST_PORT 40000

struct bench {
	struct port *port;
	struct stats stats[SHARES]; /* each worker has its own */
	struct input *input[SHARES];
	unsigned n_taken[SHARES];
	unsigned share_of[FLOWS]; /* 1 and up; 0: not seen yet */
	unsigned n_sent[FLOWS], n_seen[FLOWS];
};

static void
open_bench(struct bench *bench)
{
	static const struct port_spec spec = {.name = "port0",
		.device = "net_ring0",
		.queues = 1,
		.shares = SHARES};

	memset(bench, 0, sizeof(*bench));
	bench->port = open_port(&spec);
	CHECK(port_facts(bench->port)->queues == 1);
	CHECK(port_facts(bench->port)->shares == SHARES);
	for (uint16_t i = 0; i < SHARES; i++)
		bench->input[i] = open_input(bench->port, i, &bench->stats[i]);
}

static void
close_bench(struct bench *bench)
{
	for (unsigned i = 0; i < SHARES; i++) {
		CHECK(frames_balance(&bench->stats[i]));
		CHECK(*port_frames(bench->port, (uint16_t)i) ==
			bench->stats[i].counter[STAT_frames_received] -
				bench->stats[i].counter[STAT_frames_dropped_steer_full] -
				bench->stats[i].counter[STAT_frames_dropped_stopped]);
		input_close(bench->input[i]);
	}
	port_close(bench->port);
}

static void
send_frame(struct bench *bench, struct span frame)
{
	CHECK(port_send(bench->port, &frame, 1) == 1);
}

/* The next datagram of a flow, which is a source port here; it says which it is. */
static void
send_datagram(struct bench *bench, unsigned flow)
{
	uint8_t buffer[128];
	char text[32];
	struct span frame;

	snprintf(text, sizeof(text), "f%u:%u|g", flow, bench->n_sent[flow]++);
	frame = lay_out(buffer, span_from_string(text), 0);
	buffer[34] = (uint8_t)((FIRST_PORT + flow) >> 8);
	buffer[35] = (uint8_t)(FIRST_PORT + flow);
	send_frame(bench, frame);
}

/* Each flow with one share only, and its datagrams in their order. */
static void
note(struct bench *bench, unsigned share, const struct dgram *dgram)
{
	unsigned flow, number;
	char text[32];

	snprintf(text, sizeof(text), "%.*s", (int)dgram->payload.size,
		(const char *)dgram->payload.data);
	CHECK(sscanf(text, "f%u:%u|g", &flow, &number) == 2 && flow < FLOWS);
	CHECK(bench->share_of[flow] == 0 || bench->share_of[flow] == share + 1);
	bench->share_of[flow] = share + 1;
	CHECK(number >= bench->n_seen[flow]);
	bench->n_seen[flow] = number + 1;
	bench->n_taken[share]++;
}

static unsigned
poll_share(struct bench *bench, unsigned share)
{
	struct burst burst;

	input_poll(bench->input[share], &burst);
	for (uint16_t i = 0; i < burst.n; i++)
		note(bench, share, &burst.dgram[i]);
	if (burst.n != 0)
		input_release(bench->input[share], &burst);
	return burst.n;
}

static uint64_t
sum(const struct bench *bench, enum counter stat)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < SHARES; i++)
		n += bench->stats[i].counter[stat];
	return n;
}

static void
spread_flows(void)
{
	struct bench bench;
	unsigned n_shares_of_flows[SHARES + 1] = {0};

	open_bench(&bench);
	for (unsigned n = 0; n < 10000; n++) {
		send_datagram(&bench, n % FLOWS);
		if (n % 50 == 49)
			for (unsigned i = 0; i < SHARES; i++)
				poll_share(&bench, i);
	}
	CHECK(sum(&bench, STAT_frames_received) == 10000);
	CHECK(sum(&bench, STAT_frames_delivered) == 10000);
	for (unsigned flow = 0; flow < FLOWS; flow++) {
		CHECK(bench.n_seen[flow] == bench.n_sent[flow]);
		n_shares_of_flows[bench.share_of[flow]]++;
	}
	/* 64 flows at 1 in 3: 21 each, 6 sigma are 23; 1 at least. */
	for (unsigned i = 1; i <= SHARES; i++)
		CHECK(n_shares_of_flows[i] > 0);
	close_bench(&bench);
}

static void
all_workers_get_whole_flows_in_order(void **state)
{
	(void)state;
	expect_child(spread_flows);
}

static void
send_fragments_and_others(void)
{
	struct bench bench;
	uint8_t buffer[128];

	open_bench(&bench);
	/* Both fragments of 50 datagrams, each from another address; the second names no ports. */
	for (uint8_t i = 0; i < 50; i++) {
		struct span frame = lay_out(buffer, SPAN_LITERAL("a:1|c"), 0);

		buffer[29] = i; /* 192.0.2.i: i - 1 more in a word, and less in the checksum */
		buffer[25] = (uint8_t)(buffer[25] - (i - 1));
		buffer[20] = 0x20;
		send_frame(&bench, frame);
		buffer[20] = 0;
		buffer[21] = 185;
		memset(buffer + 34, i * 5, 8);
		send_frame(&bench, frame);
		for (unsigned share = 0; share < SHARES; share++) {
			poll_share(&bench, share);
			CHECK(bench.stats[share].counter[STAT_frames_received] % 2 == 0);
		}
	}
	CHECK(sum(&bench, STAT_frames_received) == 100);
	for (unsigned i = 0; i < SHARES; i++)
		CHECK(bench.stats[i].counter[STAT_frames_received] > 0);

	/* ARP, and what is too short to be anything: the polling worker's. */
	bench.stats[0].counter[STAT_frames_received] = 0;
	for (unsigned i = 0; i < 10; i++) {
		struct span frame = lay_out(buffer, SPAN_LITERAL("a:1|c"), 0);

		buffer[13] = 6;
		frame.size = i < 5 ? frame.size : 10;
		send_frame(&bench, frame);
	}
	for (unsigned share = 0; share < SHARES; share++)
		poll_share(&bench, share);
	CHECK(bench.stats[0].counter[STAT_frames_received] == 10);
	CHECK(bench.stats[0].counter[STAT_frames_dropped_not_ip] == 5);
	CHECK(bench.stats[0].counter[STAT_frames_dropped_too_short] == 5);
	for (unsigned i = 0; i < SHARES; i++)
		input_close(bench.input[i]);
	port_close(bench.port);
}

static void
fragments_stay_together_and_others_with_the_poller(void **state)
{
	(void)state;
	expect_child(send_fragments_and_others);
}

/* A flow that share 1 gets. */
static unsigned
find_flow(struct bench *bench)
{
	for (unsigned flow = 0; flow < FLOWS; flow++) {
		send_datagram(bench, flow);
		for (unsigned share = 0; share < SHARES; share++)
			poll_share(bench, share);
		if (bench->share_of[flow] == 2)
			return flow;
	}
	CHECK(!"64 flows and none for the second worker");
	return 0;
}

static void
stall_a_worker(void)
{
	struct bench bench;
	unsigned n_before, flow;

	open_bench(&bench);
	flow = find_flow(&bench);
	n_before = bench.n_taken[1];
	/* Twice what the lane holds: the queue is polled to its end all the same. */
	for (unsigned n = 0; n < 2 * LANE; n++) {
		send_datagram(&bench, flow);
		if (n % 16 == 15)
			poll_share(&bench, 0);
	}
	CHECK(bench.stats[0].counter[STAT_frames_dropped_steer_full] == LANE);
	CHECK(frames_balance(&bench.stats[0]));
	CHECK(frames_balance(&bench.stats[1]));
	while (poll_share(&bench, 1) != 0)
		;
	CHECK(bench.n_taken[1] - n_before == LANE);
	/* The lane works again, and the pool has not run dry. */
	send_datagram(&bench, flow);
	poll_share(&bench, 0);
	CHECK(poll_share(&bench, 1) == 1);
	close_bench(&bench);
}

static void
a_full_lane_drops_and_does_not_hold_up_the_queue(void **state)
{
	(void)state;
	expect_child(stall_a_worker);
}

static void
stop_with_frames_everywhere(void)
{
	unsigned n_sent = 0, n_taken = 0;
	struct bench bench;

	open_bench(&bench);
	for (; n_sent < 500; n_sent++)
		send_datagram(&bench, n_sent % FLOWS);
	poll_share(&bench, 0); /* some are in lanes, the rest still in the device */
	for (unsigned i = 0; i < SHARES; i++)
		input_quiesce(bench.input[i]);
	/* The workers behind the lanes are ahead: an empty lane is not its end yet. */
	for (unsigned i = 1; i < SHARES; i++) {
		while (poll_share(&bench, i) != 0)
			;
		CHECK(input_is_pending(bench.input[i]));
	}
	CHECK(input_is_pending(bench.input[0]));
	while (input_is_pending(bench.input[0]))
		poll_share(&bench, 0);
	for (unsigned i = 1; i < SHARES; i++) {
		CHECK(input_is_pending(bench.input[i]));
		while (input_is_pending(bench.input[i]))
			poll_share(&bench, i);
	}
	for (unsigned i = 0; i < SHARES; i++) {
		input_settle(bench.input[i]);
		n_taken += bench.n_taken[i];
	}
	CHECK(n_taken == n_sent);
	CHECK(sum(&bench, STAT_frames_dropped_stopped) == 0);
	close_bench(&bench);
}

static void
stop_without_time(void)
{
	struct bench bench;
	uint64_t n_left;

	open_bench(&bench);
	for (unsigned n = 0; n < 500; n++)
		send_datagram(&bench, n % FLOWS);
	for (unsigned i = 0; i < 20; i++)
		poll_share(&bench, 0);
	n_left = 500 - bench.n_taken[0];
	for (unsigned i = 0; i < SHARES; i++)
		input_settle(bench.input[i]);
	CHECK(n_left > 0);
	CHECK(bench.stats[0].counter[STAT_frames_dropped_stopped] == 0);
	CHECK(sum(&bench, STAT_frames_dropped_stopped) == n_left);
	CHECK(sum(&bench, STAT_frames_received) == 500);
	close_bench(&bench);
}

static void
what_is_in_the_lanes_at_a_stop_is_decoded_or_counted(void **state)
{
	(void)state;
	expect_child(stop_with_frames_everywhere);
	expect_child(stop_without_time);
}

struct behind {
	struct bench *bench;
	unsigned share;
	bool quiesced;
};

static _Atomic bool stops;

static void *
work_behind_a_lane(void *argument)
{
	struct behind *behind = argument;

	while (behind->quiesced == false || input_is_pending(behind->bench->input[behind->share])) {
		if (!behind->quiesced && stops) {
			input_quiesce(behind->bench->input[behind->share]);
			behind->quiesced = true;
		}
		if (poll_share(behind->bench, behind->share) == 0)
			sched_yield();
	}
	return NULL;
}

/* Flows belong to one share each, so the threads write to different places of the bench. */
static void
run_in_threads(void)
{
	static struct bench bench;
	struct behind behind[SHARES];
	pthread_t thread[SHARES];

	open_bench(&bench);
	for (unsigned i = 1; i < SHARES; i++) {
		behind[i] = (struct behind){&bench, i, false};
		CHECK(pthread_create(&thread[i], NULL, work_behind_a_lane, &behind[i]) == 0);
	}
	for (unsigned n = 0; n < 100000; n++) {
		send_datagram(&bench, n % FLOWS);
		if (n % 16 == 15)
			poll_share(&bench, 0);
	}
	stops = true;
	input_quiesce(bench.input[0]);
	while (input_is_pending(bench.input[0]))
		poll_share(&bench, 0);
	for (unsigned i = 1; i < SHARES; i++)
		pthread_join(thread[i], NULL);
	CHECK(sum(&bench, STAT_frames_received) == 100000);
	CHECK(sum(&bench, STAT_frames_delivered) + sum(&bench, STAT_frames_dropped_steer_full) ==
		100000);
	for (unsigned i = 0; i < SHARES; i++)
		CHECK(bench.n_taken[i] > 0);
	close_bench(&bench);
}

static void
nothing_is_lost_between_threads(void **state)
{
	(void)state;
	expect_child(run_in_threads);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_workers_get_whole_flows_in_order),
		cmocka_unit_test(fragments_stay_together_and_others_with_the_poller),
		cmocka_unit_test(a_full_lane_drops_and_does_not_hold_up_the_queue),
		cmocka_unit_test(what_is_in_the_lanes_at_a_stop_is_decoded_or_counted),
		cmocka_unit_test(nothing_is_lost_between_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
