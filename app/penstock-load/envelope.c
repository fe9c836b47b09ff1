/* SPDX-License-Identifier: BSD-3-Clause */
/* hot: no malloc, no syscall, no log, no lock */
#include "penstock-load/envelope.h"

#include <arpa/inet.h>
#include <string.h>

#define IP 14 /* offsets into the frame */
#define UDP 34
#define IP_HEADER_SIZE 20
#define UDP_HEADER_SIZE 8
#define FIRST_PORT 49152 /* of the dynamic ports (RFC 6335) */
#define PROTOCOL_UDP 17
#define TIME_TO_LIVE 64

static void
put_16(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static uint16_t
fold(uint64_t sum)
{
	while (sum >> 16 != 0)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

/* Sum of the 16-bit words in network order; an odd last byte is the high half of a word. It may be
 * taken in this machine's order, two words at a time, and swapped at the end (RFC 1071, section 2).
 */
static uint64_t
sum_words(const uint8_t *data, size_t size)
{
	uint64_t sum = 0;
	uint32_t words, rest = 0;
	size_t i = 0;

	for (; i + sizeof(words) <= size; i += sizeof(words)) {
		memcpy(&words, data + i, sizeof(words));
		sum += words;
	}
	memcpy(&rest, data + i, size - i);
	return ntohs(fold(sum + rest));
}

static uint16_t
checksum(uint64_t sum)
{
	return (uint16_t)~fold(sum);
}

void
envelope_init(struct envelope *envelope, const struct envelope_options *options)
{
	uint8_t *header = envelope->header;

	memset(header, 0, ENVELOPE_SIZE);
	memcpy(header, options->mac_destination, 6);
	memcpy(header + 6, options->mac_source, 6);
	put_16(header + 12, 0x0800);
	header[IP] = 0x45; /* version 4, header of 5 words */
	header[IP + 6] = 0x40; /* do not fragment */
	header[IP + 8] = TIME_TO_LIVE;
	header[IP + 9] = PROTOCOL_UDP;
	memcpy(header + IP + 12, options->ip_source, 4);
	memcpy(header + IP + 16, options->ip_destination, 4);
	put_16(header + UDP + 2, options->port);
	envelope->ip_sum = sum_words(header + IP, IP_HEADER_SIZE);
	/* The pseudo header: addresses and protocol (RFC 768); lengths come with each datagram. */
	envelope->udp_sum = sum_words(header + IP + 12, 8) + PROTOCOL_UDP + options->port;
}

void
envelope_write(const struct envelope *envelope, struct span payload, uint64_t number, uint8_t *at)
{
	uint32_t udp_size = (uint32_t)payload.size + UDP_HEADER_SIZE;
	uint32_t ip_size = udp_size + IP_HEADER_SIZE, id = (uint32_t)number & 0xffff;
	uint32_t port = FIRST_PORT + (uint32_t)(number % ENVELOPE_FLOWS);
	uint16_t sum;

	memcpy(at, envelope->header, ENVELOPE_SIZE);
	put_16(at + IP + 2, ip_size);
	put_16(at + IP + 4, id);
	put_16(at + IP + 10, checksum(envelope->ip_sum + ip_size + id));
	put_16(at + UDP, port);
	put_16(at + UDP + 4, udp_size);
	/* The size counts twice: in the pseudo header and in the header. */
	sum = checksum(envelope->udp_sum + port + 2 * (uint64_t)udp_size +
		sum_words(payload.data, payload.size));
	put_16(at + UDP + 6, sum != 0 ? sum : 0xffff); /* 0 would say "no checksum" */
}
