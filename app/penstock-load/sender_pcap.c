/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A capture file in the classic pcap form, nanosecond times, link type Ethernet
 * (draft-ietf-opsawg-pcap). Nothing waits: each frame carries the time at which it is due.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "penstock-load/sender_table.h"

#define MAGIC_NS 0xa1b23c4d
#define VERSION_MAJOR 2
#define VERSION_MINOR 4
#define SNAP_LENGTH 262144
#define LINK_ETHERNET 1
#define UNPACED_GAP 1000 /* ns between datagrams that are all due at once */

struct pcap {
	FILE *file;
	struct envelope envelope;
	int64_t epoch; /* ns */
	int64_t last; /* ns, time of the last frame */
};

static int
write_file_header(FILE *file)
{
	const struct {
		uint32_t magic;
		uint16_t major, minor;
		uint32_t zone, accuracy, snap_length, link;
	} header = {MAGIC_NS, VERSION_MAJOR, VERSION_MINOR, 0, 0, SNAP_LENGTH, LINK_ETHERNET};

	return fwrite(&header, sizeof(header), 1, file) == 1 ? 0 : -EIO;
}

static int
pcap_open(const char *target, const struct sender_options *options, void **ret_state,
	struct error *error)
{
	struct pcap *pcap = calloc(1, sizeof(*pcap));

	if (pcap == NULL)
		return error_fill(error, ENOMEM, "Out of memory.");
	envelope_init(&pcap->envelope, &options->envelope);
	pcap->epoch = options->epoch * NS_PER_S;
	pcap->file = fopen(target, "wbe");
	if (pcap->file == NULL || write_file_header(pcap->file) != 0) {
		int result =
			error_fill(error, errno, "Cannot write %s: %s.", target, strerror(errno));

		if (pcap->file != NULL)
			fclose(pcap->file);
		free(pcap);
		return result;
	}
	*ret_state = pcap;
	return 0;
}

/* 0 or an errno. */
static int
write_frame(struct pcap *pcap, const struct datagram *datagram)
{
	int64_t time = pcap->epoch + (int64_t)datagram->due;
	uint32_t size = ENVELOPE_SIZE + datagram->size, record[4];
	uint8_t header[ENVELOPE_SIZE];

	if (time <= pcap->last)
		time = pcap->last + UNPACED_GAP;
	pcap->last = time;
	record[0] = (uint32_t)(time / NS_PER_S);
	record[1] = (uint32_t)(time % NS_PER_S);
	record[2] = record[3] = size;
	envelope_write(&pcap->envelope, span_of(datagram->data, datagram->size), datagram->number,
		header);
	errno = EIO;
	if (fwrite(record, sizeof(record), 1, pcap->file) != 1 ||
		fwrite(header, sizeof(header), 1, pcap->file) != 1 ||
		fwrite(datagram->data, datagram->size, 1, pcap->file) != 1)
		return errno;
	return 0;
}

static void
pcap_send(void *state, struct datagram *datagrams, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		datagrams[i].error = write_frame(state, &datagrams[i]);
}

static int
pcap_close(void *state)
{
	struct pcap *pcap = state;
	int result = fclose(pcap->file) == 0 ? 0 : -errno;

	free(pcap);
	return result;
}

const struct sender_driver sender_pcap = {
	.scheme = "pcap",
	.help = "FILE",
	.is_timeless = true,
	.datagram_size = 1432,
	.datagram_size_max = ENVELOPE_PAYLOAD_MAX,
	.open = pcap_open,
	.send = pcap_send,
	.close = pcap_close,
};
