/* SPDX-License-Identifier: BSD-3-Clause */
/* hot: no malloc, no syscall, no log, no lock */
/*
 * One receive queue of a DPDK port. Payloads are handed out where the device put them; a frame
 * that carries none for us is counted by its reason and its buffer goes back at once. The first
 * queue's input also counts, at each refresh, what the device lost.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_prefetch.h>

#undef NS_PER_S /* DPDK's is a double; the one of base/clock.h is meant here */
#include "base/clock.h"
#include "dpdk/guard.h"
#include "dpdk/port.h"
#include "input/driver.h"

/* How far ahead of the parser a frame's first line is fetched. */
#define AHEAD 4

/* Frames that a quiesced queue still hands out: the longest ring of any driver here (memif) has
 * so many, so what was accepted before comes out, and an endless source comes to an end. */
#define LAST_FRAMES (1 << 14)

extern const struct input_ops input_ops_dpdk;

struct queue {
	struct input input;
	struct port *port;
	const struct filter *filter;
	struct guard guard;
	uint16_t port_number, queue;
	unsigned checks; /* where the device said nothing about a frame */
	bool trusts_device;
	bool quiesced;
	uint32_t frames_left; /* once quiesced */
};

/* The table in dpdk/port.h, a column a call. */
static inline unsigned
checks_for(const struct queue *queue, uint64_t flags)
{
	unsigned checks = queue->checks;
	uint64_t ip = flags & RTE_MBUF_F_RX_IP_CKSUM_MASK,
		 udp = flags & RTE_MBUF_F_RX_L4_CKSUM_MASK;

	if (!queue->trusts_device)
		return checks;
	/* NONE: the device vouches for the data, though nobody filled the field in. */
	if (ip == RTE_MBUF_F_RX_IP_CKSUM_GOOD || ip == RTE_MBUF_F_RX_IP_CKSUM_NONE)
		checks &= ~(unsigned)FRAME_CHECK_IP;
	if (udp == RTE_MBUF_F_RX_L4_CKSUM_GOOD || udp == RTE_MBUF_F_RX_L4_CKSUM_NONE)
		checks &= ~(unsigned)FRAME_CHECK_UDP;
	else if (udp == RTE_MBUF_F_RX_L4_CKSUM_BAD)
		checks |= FRAME_CHECK_UDP;
	return checks;
}

/* STAT_NONE and *ret_frame, or why the frame ends here. */
static inline enum counter
judge(const struct queue *queue, const struct rte_mbuf *mbuf, struct frame *ret_frame)
{
	enum counter reason;

	if (unlikely(mbuf->nb_segs != 1))
		return STAT_frames_dropped_segmented;
	reason = frame_parse(span_of(rte_pktmbuf_mtod(mbuf, uint8_t *), mbuf->data_len),
		checks_for(queue, mbuf->ol_flags), ret_frame);
	return likely(reason == STAT_NONE) ? filter_judge(queue->filter, ret_frame) : reason;
}

static inline void
hand_out(struct queue *queue, struct rte_mbuf *mbuf, const struct frame *frame, struct burst *burst)
{
	struct dgram *dgram = input_add(&queue->input, burst, frame->payload);

	dgram->source = frame->source;
	dgram->source_size = frame->address_size;
	burst->handle[burst->n - 1] = mbuf;
}

static inline void
prefetch_frame(const struct rte_mbuf *mbuf)
{
	rte_prefetch0(rte_pktmbuf_mtod(mbuf, const void *));
}

static uint16_t
receive(struct queue *queue, struct rte_mbuf **mbufs)
{
	uint16_t n = BURST_MAX;

	if (unlikely(queue->quiesced)) {
		n = (uint16_t)RTE_MIN(queue->frames_left, (uint32_t)BURST_MAX);
		if (n == 0)
			return 0;
	}
	guard_enter(&queue->guard);
	n = rte_eth_rx_burst(queue->port_number, queue->queue, mbufs, n);
	guard_leave(&queue->guard);
	if (unlikely(queue->quiesced))
		queue->frames_left -= n;
	return n;
}

static void
poll_queue(struct input *input, struct burst *burst)
{
	struct queue *queue = container_of(input, struct queue, input);
	struct rte_mbuf *mbufs[BURST_MAX], *dropped[BURST_MAX];
	uint16_t n = receive(queue, mbufs), n_dropped = 0;

	burst->n = 0;
	if (n == 0)
		return;
	burst->time = clock_monotonic(&clock_system);
	for (uint16_t i = 0; i < n && i < AHEAD; i++)
		prefetch_frame(mbufs[i]);
	for (uint16_t i = 0; i < n; i++) {
		struct frame frame;
		enum counter reason;

		if (i + AHEAD < n)
			prefetch_frame(mbufs[i + AHEAD]);
		reason = judge(queue, mbufs[i], &frame);
		if (likely(reason == STAT_NONE)) {
			hand_out(queue, mbufs[i], &frame, burst);
		} else {
			stats_add(input->stats, reason, 1);
			dropped[n_dropped++] = mbufs[i];
		}
	}
	rte_pktmbuf_free_bulk(dropped, n_dropped);
	stats_add(input->stats, STAT_frames_received, n);
	stats_add(input->stats, STAT_frames_delivered, burst->n);
}

static void
release(struct input *input, struct burst *burst)
{
	(void)input;
	rte_pktmbuf_free_bulk((struct rte_mbuf **)burst->handle, burst->n);
}

static void
quiesce(struct input *input)
{
	struct queue *queue = container_of(input, struct queue, input);

	queue->quiesced = true;
	queue->frames_left = LAST_FRAMES;
}

static void
refresh(struct input *input)
{
	struct queue *queue = container_of(input, struct queue, input);
	struct port_lost lost;

	if (queue->queue != 0)
		return;
	port_lost(queue->port, &lost);
	stats_add(input->stats, STAT_frames_received, lost.missed + lost.no_buffer + lost.errors);
	stats_add(input->stats, STAT_frames_dropped_missed, lost.missed);
	stats_add(input->stats, STAT_frames_dropped_no_mbuf, lost.no_buffer);
	stats_add(input->stats, STAT_frames_dropped_device_error, lost.errors);
}

static void
choose_checks(struct queue *queue, const struct port_facts *facts)
{
	queue->trusts_device = facts->checksum == PORT_CHECKSUM_AUTO;
	if (facts->checksum == PORT_CHECKSUM_IGNORE)
		return;
	queue->checks = FRAME_CHECK_IP;
	if (facts->checksum == PORT_CHECKSUM_VERIFY || !facts->is_virtual)
		queue->checks |= FRAME_CHECK_UDP;
}

static int
queue_open(const struct input_spec *spec, struct stats *stats, struct input **ret_input,
	struct error *error)
{
	const struct port_facts *facts = port_facts(spec->port);
	struct queue *queue;

	if (spec->queue >= facts->queues)
		return error_fill(error, EINVAL, "%s: there is no queue %u: the device granted %u",
			spec->name, spec->queue, facts->queues);
	queue = calloc(1, sizeof(*queue));
	if (queue == NULL)
		return error_fill(error, ENOMEM, "%s: no memory", spec->name);
	input_init(&queue->input, &input_ops_dpdk, spec, stats);
	snprintf(queue->input.address, sizeof(queue->input.address), "%s queue %u", facts->device,
		spec->queue);
	queue->port = spec->port;
	queue->filter = port_filter(spec->port);
	queue->port_number = port_number(spec->port);
	queue->queue = spec->queue;
	choose_checks(queue, facts);
	guard_add(&queue->guard);
	*ret_input = &queue->input;
	return 0;
}

static void
queue_close(struct input *input)
{
	struct queue *queue = container_of(input, struct queue, input);

	guard_remove(&queue->guard);
	free(queue);
}

const struct input_ops input_ops_dpdk = {
	.name = "dpdk",
	.open = queue_open,
	.poll = poll_queue,
	.release = release,
	.quiesce = quiesce,
	.refresh = refresh,
	.close = queue_close,
};
