/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A DPDK port: "net_memif0,role=client,…", any other virtual device, or a PCI address. Frames are
 * offered to the device until it takes them or the timeout is over.
 */
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "dpdk/port.h"
#include "penstock-load/pace.h"
#include "penstock-load/sender_table.h"

#define DATAGRAM_MAX 1472 /* bytes: an Ethernet frame of 1500 without IPv4 and UDP headers */
#define LINK_POLL (10 * NS_PER_MS)
#define MEMIF_ATTEMPT (200 * NS_PER_MS)
#define READ_POLL NS_PER_MS
#define LINGER (500 * NS_PER_MS) /* for devices that do not tell whether they have sent */

struct dpdk {
	struct port *port;
	bool keeps_pace; /* as in struct sender_options */
	bool is_blocked; /* the last send ran into the timeout: the next ones do not wait */
	int timeout; /* ms */
	const atomic_bool *stopping;
	struct envelope envelope;
	struct span frame[SENDER_BATCH]; /* each lies in bytes of the same number */
	uint8_t bytes[SENDER_BATCH][ENVELOPE_SIZE + DATAGRAM_MAX];
};

static uint64_t
deadline(const struct dpdk *dpdk)
{
	return pace_now() + (uint64_t)dpdk->timeout * NS_PER_MS;
}

/* True once the link is up; false at the end (ns) or when a signal came. */
static bool
wait_for_link(const struct dpdk *dpdk, uint64_t end)
{
	while (!port_has_link(dpdk->port)) {
		if (pace_now() >= end || atomic_load(dpdk->stopping))
			return false;
		pace_sleep_until(pace_now() + LINK_POLL);
	}
	return true;
}

/*
 * A memif client can only start when its peer listens, and a peer that listens but has not started
 * turns it away for good: then a new port has to try again. Other links just take their time.
 */
static int
open_port(struct dpdk *dpdk, const struct port_spec *spec, struct error *error)
{
	uint64_t end = deadline(dpdk), attempt_end;
	bool is_memif = strncmp(spec->device, "net_memif", strlen("net_memif")) == 0;
	int result;

	do {
		attempt_end = is_memif ? pace_now() + MEMIF_ATTEMPT : end;
		result = port_open(spec, &dpdk->port, error);
		if (result == 0 && wait_for_link(dpdk, attempt_end))
			return 0;
		port_close(dpdk->port);
		dpdk->port = NULL;
		if (result != 0)
			pace_sleep_until(pace_now() + LINK_POLL);
	} while (is_memif && pace_now() < end && !atomic_load(dpdk->stopping));
	if (result != 0)
		return result;
	return error_fill(error, ETIMEDOUT, "the link of %s did not come up within %d ms",
		spec->device, dpdk->timeout);
}

static int
start(struct dpdk *dpdk, const char *target, struct error *error)
{
	struct port_spec spec = {.name = "load", .device = target, .queues = 1};
	struct eal_options eal = {.devices = &spec.device,
		.n_devices = 1,
		.memory = port_memory(&spec, 0),
		.main_cpu = -1};
	int result = port_check(&spec, error);

	if (result == 0)
		result = eal_start(&eal, error);
	return result == 0 ? open_port(dpdk, &spec, error) : result;
}

static int
dpdk_close(void *state)
{
	struct dpdk *dpdk = state;

	port_close(dpdk->port);
	eal_stop();
	free(dpdk);
	return 0;
}

static int
dpdk_open(const char *target, const struct sender_options *options, void **ret_state,
	struct error *error)
{
	struct dpdk *dpdk = calloc(1, sizeof(*dpdk));
	struct error why;
	int result;

	if (dpdk == NULL)
		return error_fill(error, ENOMEM, "Out of memory.");
	dpdk->keeps_pace = options->keeps_pace;
	dpdk->timeout = options->timeout;
	dpdk->stopping = options->stopping;
	envelope_init(&dpdk->envelope, &options->envelope);
	result = start(dpdk, target, &why);
	if (result != 0) {
		error_fill(error, -result, "%s", why.text);
		dpdk_close(dpdk);
		return result;
	}
	*ret_state = dpdk;
	return 0;
}

static void
fill_frame(struct dpdk *dpdk, unsigned i, const struct datagram *datagram)
{
	uint8_t *bytes = dpdk->bytes[i];

	envelope_write(&dpdk->envelope, span_of(datagram->data, datagram->size), datagram->number,
		bytes);
	memcpy(bytes + ENVELOPE_SIZE, datagram->data, datagram->size);
	dpdk->frame[i] = span_of(bytes, ENVELOPE_SIZE + datagram->size);
}

/* Returns how many of n frames the device took before the timeout, or at once to keep the pace. */
static size_t
offer(struct dpdk *dpdk, size_t n)
{
	size_t done = port_send(dpdk->port, dpdk->frame, n);
	uint64_t end;

	if (done == n || dpdk->keeps_pace || (dpdk->is_blocked && done == 0))
		return done;
	end = deadline(dpdk);
	while (done < n) {
		size_t sent = port_send(dpdk->port, dpdk->frame + done, n - done);

		done += sent;
		if (sent > 0)
			end = deadline(dpdk);
		else if (pace_now() >= end || atomic_load(dpdk->stopping))
			break;
		else
			sched_yield(); /* the peer may need this core */
	}
	return done;
}

static void
dpdk_send(void *state, struct datagram *datagrams, unsigned n)
{
	struct dpdk *dpdk = state;
	size_t sent;

	for (unsigned i = 0; i < n; i++)
		fill_frame(dpdk, i, &datagrams[i]);
	sent = offer(dpdk, n);
	dpdk->is_blocked = sent < n;
	for (unsigned i = 0; i < n; i++)
		datagrams[i].error = i < sent ? 0 : ETIMEDOUT;
}

/* The peer of a memif loses what it has not read when the port is closed. Waits as long as it
 * reads, and for a timeout more. */
static unsigned
wait_for_reader(struct dpdk *dpdk, int n_unread, int *ret_error)
{
	uint64_t end = deadline(dpdk);

	while (n_unread > 0) {
		int n_before = n_unread;

		if (pace_now() >= end) {
			*ret_error = ETIMEDOUT;
			return (unsigned)n_unread;
		}
		pace_sleep_until(pace_now() + READ_POLL);
		n_unread = port_unread(dpdk->port);
		if (n_unread < n_before)
			end = deadline(dpdk);
	}
	if (n_unread == 0)
		return 0;
	*ret_error = -n_unread;
	return UINT_MAX;
}

static unsigned
dpdk_in_doubt(void *state, bool is_last, int *ret_error)
{
	struct dpdk *dpdk = state;
	int n_unread = port_unread(dpdk->port);

	if (n_unread == -ENOTSUP) {
		if (is_last)
			pace_sleep_until(pace_now() + LINGER);
		return 0;
	}
	if (is_last)
		return wait_for_reader(dpdk, n_unread, ret_error);
	/* The peer has left, and what it had not read at the last look is lost. */
	return n_unread < 0 ? UINT_MAX : (unsigned)n_unread;
}

const struct sender_driver sender_dpdk = {
	.scheme = "dpdk",
	.help = "DEVICE",
	.datagram_size = 1432,
	.datagram_size_max = DATAGRAM_MAX,
	.open = dpdk_open,
	.send = dpdk_send,
	.in_doubt = dpdk_in_doubt,
	.close = dpdk_close,
};
