/* SPDX-License-Identifier: BSD-3-Clause */
/* hot: no malloc, no log, no lock; system calls only in refresh */
/*
 * One share of a DPDK port (dpdk/steer.h): a receive queue, or what is steered in software by the
 * worker that polls one. Payloads are handed out where the device put them; a frame that carries
 * none for us goes to the share's responder, which answers it or counts why it ends. A frame in
 * several buffers is joined, a fragment is kept until its datagram is complete. The first queue's
 * input also counts, at each refresh, what the device lost.
 *
 * A frame counts as received with the worker that it is for, or with the poller if the lane is
 * full; in a lane it is as if still in the device.
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_prefetch.h>

#undef NS_PER_S /* DPDK's is a double; the one of base/clock.h is meant here */
#include "base/clock.h"
#include "dpdk/guard.h"
#include "dpdk/joiner.h"
#include "dpdk/port.h"
#include "dpdk/responder.h"
#include "frame/reassembly.h"
#include "input/driver.h"

/* How far ahead of the parser a frame's first line is fetched. */
#define AHEAD 4

/* Polls in a row that find nothing once it is quiesced: a queue's end. */
#define LAST_POLLS 4

/* Frames that a quiesced queue still hands out: the longest ring of any driver here (memif) has
 * so many, so what was accepted before comes out, and an endless source comes to an end. */
#define LAST_FRAMES (1 << 14)

/* A ring of which so large a part is filled is filling up. */
#define FILLING_PART 4

static_assert(REASSEMBLY_TAILROOM >= BURST_TAILROOM && REASSEMBLY_FINISHED >= BURST_MAX,
	"a burst of reassembled datagrams");

/* How often a bond with LACP is sent on, if only nothing: it must be every 100 ms, and a worker
 * that sleeps still polls every millisecond. */
#define LACP_EVERY (20 * (uint64_t)NS_PER_MS)

extern const struct input_ops input_ops_dpdk;

struct queue {
	cache_aligned struct input input;
	struct port *port;
	const struct filter *filter;
	struct responder *responder;
	struct guard guard;
	uint16_t port_number, queue;
	unsigned checks; /* where the device said nothing about a frame */
	unsigned reassembled_checks; /* of datagrams, of which no device says anything */
	bool trusts_device;
	bool quiesced;
	uint32_t frames_left, polls_left; /* once quiesced */
	struct steer_poller *poller; /* for a queue whose frames are steered, else NULL */
	struct steer_lane *lane; /* what is steered to us, else NULL: then we poll the queue */
	_Atomic uint64_t *frames; /* the share's, in the port */
	struct joiner joiner;
	struct reassembly *reassembly;
	bool keeps_lacp; /* the one queue of a bond that does */
	uint64_t lacp_at; /* when to send again, monotonic ns */
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

/* Addresses first: what is refused takes no place among the fragments. */
static enum counter
reassemble(struct queue *queue, uint64_t now, struct frame *frame)
{
	enum counter reason = filter_judge_addresses(queue->filter, frame);
	struct packet packet;

	if (reason == STAT_NONE)
		reason = reassembly_add(queue->reassembly, frame, now, &packet);
	return reason == STAT_NONE ? frame_parse_packet(&packet, queue->reassembled_checks, frame)
				   : reason;
}

/* STAT_NONE and *ret_frame, or what becomes of the frame. */
static inline enum counter
judge(struct queue *queue, const struct rte_mbuf *mbuf, uint64_t now, struct frame *ret_frame)
{
	struct span bytes = span_of(rte_pktmbuf_mtod(mbuf, uint8_t *), mbuf->data_len);
	enum counter reason;

	if (unlikely(mbuf->nb_segs != 1)) {
		bytes = joiner_join(&queue->joiner, mbuf);
		if (bytes.data == NULL)
			return STAT_frames_dropped_too_long;
	}
	reason = frame_parse(bytes, checks_for(queue, mbuf->ol_flags), ret_frame);
	if (unlikely(reason == STAT_frames_queued))
		reason = reassemble(queue, now, ret_frame);
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

/* Once a queue found nothing several times, or took in enough, it ends. */
static void
count_down(struct queue *queue, uint16_t n)
{
	queue->frames_left -= n;
	queue->polls_left = n != 0 ? LAST_POLLS : queue->polls_left - 1;
	if (queue->polls_left == 0)
		queue->frames_left = 0;
	if (queue->frames_left == 0)
		steer_end(queue->poller);
}

static uint16_t
poll_device(struct queue *queue, struct rte_mbuf **mbufs)
{
	uint16_t n = BURST_MAX;

	if (unlikely(queue->quiesced)) {
		n = (uint16_t)RTE_MIN(queue->frames_left, (uint32_t)BURST_MAX);
		if (n == 0)
			return 0;
	}
	if (unlikely(!guard_enter(&queue->guard)))
		return 0;
	n = rte_eth_rx_burst(queue->port_number, queue->queue, mbufs, n);
	guard_leave(&queue->guard);
	return n;
}

/* The frames for this worker; counts them, and those that are lost on the way to another. */
static uint16_t
receive(struct queue *queue, struct rte_mbuf **mbufs)
{
	struct stats *stats = queue->input.stats;
	uint16_t n, n_refused = 0, n_polled;

	if (queue->lane != NULL) {
		n = n_polled = steer_take(queue->lane, mbufs, BURST_MAX);
	} else {
		n = n_polled = poll_device(queue, mbufs);
		if (queue->poller != NULL && n != 0)
			n = steer_split(queue->poller, mbufs, n, &n_refused);
		if (unlikely(queue->quiesced) && queue->frames_left != 0)
			count_down(queue, n_polled);
	}
	queue->input.has_more = n_polled == BURST_MAX;
	atomic_store_explicit(queue->frames,
		atomic_load_explicit(queue->frames, memory_order_relaxed) + n,
		memory_order_relaxed);
	stats_add(stats, STAT_frames_received, n + (uint64_t)n_refused);
	stats_add(stats, STAT_frames_dropped_steer_full, n_refused);
	return n;
}

/* The driver sends its own frames, where it has any, with ours. */
static void
keep_lacp(struct queue *queue)
{
	uint64_t now = clock_monotonic(&clock_system);

	if (now < queue->lacp_at || !guard_enter(&queue->guard))
		return;
	rte_eth_tx_burst(queue->port_number, 0, NULL, 0);
	guard_leave(&queue->guard);
	queue->lacp_at = now + LACP_EVERY;
}

static void
take(struct queue *queue, struct rte_mbuf **mbufs, uint16_t n, struct burst *burst)
{
	struct refused refused;

	refused.n = 0;
	for (uint16_t i = 0; i < n && i < AHEAD; i++)
		prefetch_frame(mbufs[i]);
	for (uint16_t i = 0; i < n; i++) {
		struct frame frame;
		enum counter reason;

		if (i + AHEAD < n)
			prefetch_frame(mbufs[i + AHEAD]);
		reason = judge(queue, mbufs[i], burst->time, &frame);
		if (likely(reason == STAT_NONE)) {
			hand_out(queue, mbufs[i], &frame, burst);
		} else {
			refused.frame[refused.n] = mbufs[i];
			refused.reason[refused.n++] = reason;
		}
	}
	if (unlikely(refused.n > 0))
		responder_take(queue->responder, &refused, burst->time);
	stats_add(queue->input.stats, STAT_frames_delivered, burst->n);
}

static void
poll_queue(struct input *input, struct burst *burst)
{
	struct queue *queue = container_of(input, struct queue, input);
	struct rte_mbuf *mbufs[BURST_MAX];
	uint16_t n;

	burst->n = 0;
	joiner_reset(&queue->joiner);
	reassembly_release(queue->reassembly);
	responder_relay(queue->responder);
	n = receive(queue, mbufs);
	if (unlikely(queue->keeps_lacp))
		keep_lacp(queue);
	if (n == 0)
		return;
	burst->time = clock_monotonic(&clock_system);
	take(queue, mbufs, n, burst);
}

static void
release(struct input *input, struct burst *burst)
{
	(void)input;
	rte_pktmbuf_free_bulk((struct rte_mbuf **)burst->handle, burst->n);
}

/* Drivers that cannot count say so, with a negative number. */
static bool
is_filling(struct input *input)
{
	struct queue *queue = container_of(input, struct queue, input);
	int n;

	if (queue->lane != NULL || !guard_enter(&queue->guard))
		return false;
	n = rte_eth_rx_queue_count(queue->port_number, queue->queue);
	guard_leave(&queue->guard);
	return n >= port_facts(queue->port)->descriptors / FILLING_PART;
}

static void
quiesce(struct input *input)
{
	struct queue *queue = container_of(input, struct queue, input);

	queue->quiesced = true;
	queue->frames_left = LAST_FRAMES;
	queue->polls_left = LAST_POLLS;
}

static bool
is_pending(const struct input *input)
{
	const struct queue *queue = container_of(input, const struct queue, input);

	return queue->lane != NULL ? !steer_is_over(queue->lane) : queue->frames_left != 0;
}

static void
settle(struct input *input)
{
	struct queue *queue = container_of(input, struct queue, input);
	struct rte_mbuf *mbufs[BURST_MAX];
	uint16_t n;

	reassembly_stop(queue->reassembly);
	if (queue->lane == NULL)
		return;
	while ((n = steer_take(queue->lane, mbufs, BURST_MAX)) != 0) {
		rte_pktmbuf_free_bulk(mbufs, n);
		stats_add(input->stats, STAT_frames_received, n);
		stats_add(input->stats, STAT_frames_dropped_stopped, n);
	}
}

static void
refresh(struct input *input)
{
	struct queue *queue = container_of(input, struct queue, input);
	struct port_lost lost;
	uint64_t now = clock_monotonic(&clock_system);

	joiner_refresh(&queue->joiner);
	reassembly_refresh(queue->reassembly, now);
	responder_refresh(queue->responder, now);
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
	/* Whoever cuts a datagram into fragments fills its checksum in: no NIC could do it later.
	 */
	queue->reassembled_checks = FRAME_CHECK_UDP;
}

static void
queue_free(struct queue *queue)
{
	if (queue == NULL)
		return;
	reassembly_free(queue->reassembly);
	joiner_free(&queue->joiner);
	responder_free(queue->responder);
	free(queue);
}

static int
queue_open(const struct input_spec *spec, struct stats *stats, struct input **ret_input,
	struct error *error)
{
	const struct port_facts *facts = port_facts(spec->port);
	struct queue *queue;

	if (spec->queue >= facts->shares)
		return error_fill(error, EINVAL, "%s: there is no queue %u: the device granted %u",
			spec->name, spec->queue, facts->queues);
	/* What one worker writes with each burst is in no line of another's. */
	queue = aligned_alloc(CACHE_LINE_SIZE, sizeof(*queue));
	if (queue != NULL)
		memset(queue, 0, sizeof(*queue));
	if (queue == NULL || joiner_init(&queue->joiner) != 0 ||
		reassembly_new(stats, &queue->reassembly) != 0 ||
		responder_new(spec->port, spec->queue, stats, &queue->responder) != 0) {
		queue_free(queue);
		return error_fill(error, ENOMEM, "%s: no memory", spec->name);
	}
	input_init(&queue->input, &input_ops_dpdk, spec, stats);
	queue->poller = port_poller(spec->port, spec->queue);
	queue->lane = port_lane(spec->port, spec->queue);
	queue->frames = port_frames(spec->port, spec->queue);
	snprintf(queue->input.address, sizeof(queue->input.address),
		queue->lane == NULL ? "%s queue %u" : "%s queue %u, steered", facts->device,
		spec->queue % facts->queues);
	queue->port = spec->port;
	queue->filter = port_filter(spec->port);
	queue->port_number = port_number(spec->port);
	queue->queue = spec->queue;
	queue->input.keeps_unread = facts->keeps_unread && queue->lane == NULL;
	queue->keeps_lacp = facts->has_lacp && spec->queue == 0;
	choose_checks(queue, facts);
	guard_add(&queue->guard, queue->port_number);
	*ret_input = &queue->input;
	return 0;
}

static void
queue_close(struct input *input)
{
	struct queue *queue = container_of(input, struct queue, input);

	guard_remove(&queue->guard);
	queue_free(queue);
}

const struct input_ops input_ops_dpdk = {
	.name = "dpdk",
	.open = queue_open,
	.poll = poll_queue,
	.release = release,
	.is_filling = is_filling,
	.quiesce = quiesce,
	.is_pending = is_pending,
	.settle = settle,
	.refresh = refresh,
	.close = queue_close,
};
