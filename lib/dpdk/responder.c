/* SPDX-License-Identifier: BSD-3-Clause */
#include "dpdk/responder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "base/compiler.h"
#include "dpdk/exception.h"
#include "dpdk/guard.h"
#include "frame/answerer.h"
#include "frame/ether.h"

/* Bytes of the longest answer, which is in one buffer as its question is: of net_af_packet with a
 * large framesz; other devices' buffers hold 2048. */
#define ANSWER_MAX 10240

/* A burst of frames on their way to one queue of a device. */
struct outbox {
	struct rte_mbuf *frame[BURST_MAX];
	uint16_t n;
};

/* A queue to send on; one that is not there takes nothing. */
struct sender {
	struct guard guard;
	uint16_t device, queue;
	bool exists;
};

struct responder {
	cache_aligned struct answerer answerer; /* in no line of another thread's */
	struct stats *stats;
	struct port *port;
	struct rte_mempool *pool;
	uint16_t share;
	uint16_t answer_max; /* bytes of an answer that a buffer and answer[] hold */
	uint16_t n_senders,
		n_exceptions; /* queues of the port to send on, and of its exception port */
	bool has_exception;
	struct sender sender, exception;
	uint8_t answer[ANSWER_MAX]; /* the one that is being written */
};

static void
sender_init(struct sender *sender, uint16_t device, uint16_t queue, uint16_t n_queues)
{
	sender->device = device;
	sender->queue = queue;
	sender->exists = queue < n_queues;
	guard_add(&sender->guard, device);
}

/* Returns how many the device took; the rest are freed. */
static uint16_t
send_all(struct sender *sender, struct outbox *outbox)
{
	uint16_t n_sent = 0;

	if (outbox->n == 0)
		return 0;
	if (sender->exists && guard_enter(&sender->guard)) {
		n_sent = rte_eth_tx_burst(sender->device, sender->queue, outbox->frame, outbox->n);
		guard_leave(&sender->guard);
	}
	rte_pktmbuf_free_bulk(outbox->frame + n_sent, outbox->n - n_sent);
	return n_sent;
}

int
responder_new(struct port *port, uint16_t share, struct stats *stats,
	struct responder **ret_responder)
{
	const struct exception *exception = port_exception(port);
	struct responder *responder = aligned_alloc(CACHE_LINE_SIZE, sizeof(*responder));

	if (responder == NULL)
		return -ENOMEM;
	memset(responder, 0, sizeof(*responder));
	responder->answerer.host = port_host(port);
	responder->stats = stats;
	responder->port = port;
	responder->pool = port_pool(port);
	responder->answer_max = RTE_MIN(ANSWER_MAX,
		rte_pktmbuf_data_room_size(responder->pool) - RTE_PKTMBUF_HEADROOM);
	responder->share = share;
	responder->has_exception = exception != NULL;
	responder->n_senders = port_send_queues(port);
	sender_init(&responder->sender, port_number(port), share, responder->n_senders);
	if (exception != NULL) {
		responder->n_exceptions = exception_queues(exception);
		sender_init(&responder->exception, exception_number(exception), share,
			responder->n_exceptions);
	}
	*ret_responder = responder;
	return 0;
}

/* A copy in a buffer of the port; NULL when there is none. */
static struct rte_mbuf *
wrap(const struct responder *responder, const uint8_t *bytes, size_t size)
{
	struct rte_mbuf *mbuf = rte_pktmbuf_alloc(responder->pool);
	char *at = mbuf != NULL ? rte_pktmbuf_append(mbuf, (uint16_t)size) : NULL;

	if (at == NULL) {
		rte_pktmbuf_free(mbuf);
		return NULL;
	}
	memcpy(at, bytes, size);
	return mbuf;
}

/* STAT_frames_answered and *ret_answer, or why there is none (see answerer_take). A frame in more
 * than one buffer is not answered: an echo request of more than a buffer holds. */
static enum counter
answer(struct responder *responder, const struct rte_mbuf *question, uint64_t now,
	struct rte_mbuf **ret_answer)
{
	enum counter reason;
	size_t size;

	if (question->nb_segs != 1 || answerer_room(question->data_len) > responder->answer_max)
		return STAT_NONE;
	reason = answerer_take(&responder->answerer,
		span_of(rte_pktmbuf_mtod(question, const uint8_t *), question->data_len), now,
		responder->answer, &size);
	if (reason != STAT_frames_answered)
		return reason;
	*ret_answer = wrap(responder, responder->answer, size);
	return *ret_answer != NULL ? reason : STAT_frames_dropped_answer_not_sent;
}

/* Whether the kernel may make something of a frame that ended for this reason. Damaged ones end
 * here, and datagrams to the port from a source that it does not allow: what is for the kernel is
 * the kernel's to judge. */
static bool
is_for_exception(const struct responder *responder, const struct rte_mbuf *mbuf,
	enum counter reason)
{
	const uint8_t *to = rte_pktmbuf_mtod(mbuf, const uint8_t *);

	switch (reason) {
	case STAT_frames_dropped_not_asked:
	case STAT_frames_dropped_not_ip:
	case STAT_frames_dropped_not_udp:
	case STAT_frames_dropped_wrong_port:
	case STAT_frames_dropped_wrong_address:
	case STAT_frames_dropped_bad_extension:
		break;
	default:
		return false;
	}
	/* A promiscuous port sees what is for other stations. */
	return responder->has_exception && mbuf->data_len >= ETHER_HDR_LEN &&
		(ether_is_group(to) || memcmp(to, responder->answerer.host->mac, 6) == 0);
}

/* What an answer could be made for: the rest is none of a host's business. */
static bool
may_ask(enum counter reason)
{
	return reason == STAT_frames_dropped_not_ip || reason == STAT_frames_dropped_not_udp;
}

void
responder_take(struct responder *responder, struct refused *refused, uint64_t now)
{
	struct outbox answers = {.n = 0}, exceptions = {.n = 0};
	struct rte_mbuf *done[BURST_MAX];
	struct stats *stats = responder->stats;
	uint16_t n_done = 0, n_sent;

	for (uint16_t i = 0; i < refused->n; i++) {
		struct rte_mbuf *mbuf = refused->frame[i];
		enum counter reason = refused->reason[i], other = STAT_NONE;

		if (may_ask(reason))
			other = answer(responder, mbuf, now, &answers.frame[answers.n]);
		if (other != STAT_NONE)
			reason = other;
		if (reason == STAT_frames_answered) {
			answers.n++;
		} else if (is_for_exception(responder, mbuf, reason)) {
			exceptions.frame[exceptions.n++] = mbuf;
			continue;
		} else {
			stats_add(stats, reason, 1);
		}
		done[n_done++] = mbuf;
	}
	rte_pktmbuf_free_bulk(done, n_done);
	n_sent = send_all(&responder->sender, &answers);
	stats_add(stats, STAT_frames_answered, n_sent);
	stats_add(stats, STAT_frames_dropped_answer_not_sent, answers.n - n_sent);
	n_sent = send_all(&responder->exception, &exceptions);
	stats_add(stats, STAT_frames_exception, n_sent);
	stats_add(stats, STAT_frames_dropped_exception_full, exceptions.n - n_sent);
}

static void
relay(struct responder *responder, uint16_t queue)
{
	struct sender *from = &responder->exception;
	struct outbox outbox;
	uint16_t n_sent;

	if (!guard_enter(&from->guard))
		return;
	outbox.n = rte_eth_rx_burst(from->device, queue, outbox.frame, BURST_MAX);
	guard_leave(&from->guard);
	if (outbox.n == 0)
		return;
	n_sent = send_all(&responder->sender, &outbox);
	stats_add(responder->stats, STAT_frames_relayed, n_sent);
	stats_add(responder->stats, STAT_frames_unsent, outbox.n - n_sent);
}

/* The kernel spreads over all of the exception port's queues, also those of shares that cannot send
 * on the port: each sender reads every n-th. */
void
responder_relay(struct responder *responder)
{
	if (likely(!responder->has_exception) || !responder->sender.exists)
		return;
	for (uint16_t i = responder->share; i < responder->n_exceptions; i += responder->n_senders)
		relay(responder, i);
}

void
responder_refresh(struct responder *responder, uint64_t now)
{
	struct host *host = responder->answerer.host;
	uint8_t frame[HOST_FRAME_MAX];
	struct outbox outbox;
	uint16_t n_sent = 1;
	size_t size;

	if (responder->share != 0 || host->n_addresses == 0)
		return;
	host_link(host, port_has_link(responder->port), now);
	while (n_sent == 1 && (size = host_next(host, now, frame)) != 0) {
		n_sent = 0;
		outbox.n = 1;
		outbox.frame[0] = wrap(responder, frame, size);
		if (outbox.frame[0] != NULL)
			n_sent = send_all(&responder->sender, &outbox);
		stats_add(responder->stats, STAT_frames_originated, n_sent);
		stats_add(responder->stats, STAT_frames_unsent, 1 - n_sent);
		if (n_sent == 0)
			host_unsent(host, now);
	}
}

void
responder_free(struct responder *responder)
{
	if (responder == NULL)
		return;
	guard_remove(&responder->sender.guard);
	if (responder->has_exception)
		guard_remove(&responder->exception.guard);
	free(responder);
}
