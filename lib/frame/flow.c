/* SPDX-License-Identifier: BSD-3-Clause */
/* hot: no malloc, no syscall, no log, no lock */
#include "frame/flow.h"

#include "base/compiler.h"
#include "base/hash.h"
#include "frame/ether.h"

#define PORTS_SIZE 4 /* of UDP: source and destination */

/* Source and destination addresses stand together in both families; ports: NULL or UDP's. */
static inline uint64_t
hash_flow(const uint8_t *addresses, size_t size, const uint8_t *ports, uint64_t seed)
{
	uint8_t key[2 * sizeof(struct in6_addr) + PORTS_SIZE];

	if (ports == NULL)
		return hash_span(span_of(addresses, size), seed);
	memcpy(key, addresses, size);
	memcpy(key + size, ports, PORTS_SIZE);
	return hash_span(span_of(key, size + PORTS_SIZE), seed);
}

static inline bool
hash_ipv4(struct span packet, uint64_t seed, uint64_t *ret_hash)
{
	const uint8_t *ports = NULL;
	size_t header_size;

	if (packet.size < IPV4_HEADER_SIZE || packet.data[9] != IPPROTO_UDP)
		return false;
	if (likely((load_be16(packet.data + 6) & IPV4_FRAGMENT) == 0)) {
		header_size = (size_t)(packet.data[0] & 0x0f) * 4;
		if (header_size < IPV4_HEADER_SIZE || packet.size < header_size + PORTS_SIZE)
			return false;
		ports = packet.data + header_size;
	}
	*ret_hash = hash_flow(packet.data + 12, 2 * sizeof(struct in_addr), ports, seed);
	return true;
}

/* UDP's ports behind all extension headers, or NULL. A fragment ends the search. */
static inline const uint8_t *
find_ports(uint8_t type, struct span packet, bool *ret_is_fragment)
{
	for (unsigned n = 0; unlikely(type != IPPROTO_UDP); n++) {
		size_t size;

		if (n == EXTENSIONS_MAX || packet.size < 8)
			return NULL;
		if (type == IPPROTO_FRAGMENT && (load_be16(packet.data + 2) & IPV6_FRAGMENT) != 0) {
			*ret_is_fragment = true;
			return NULL;
		}
		size = extension_size(type, packet.data);
		if (size == 0 || size > packet.size)
			return NULL;
		type = packet.data[0];
		packet = span_from(packet, size);
	}
	return packet.size >= PORTS_SIZE ? packet.data : NULL;
}

static inline bool
hash_ipv6(struct span packet, uint64_t seed, uint64_t *ret_hash)
{
	bool is_fragment = false;
	const uint8_t *ports;

	if (packet.size < IPV6_HEADER_SIZE)
		return false;
	ports = find_ports(packet.data[6], span_from(packet, IPV6_HEADER_SIZE), &is_fragment);
	if (ports == NULL && !is_fragment)
		return false;
	*ret_hash = hash_flow(packet.data + 8, 2 * sizeof(struct in6_addr), ports, seed);
	return true;
}

bool
flow_hash(struct span frame, uint64_t seed, uint64_t *ret_hash)
{
	uint16_t type;
	size_t offset;

	if (unlikely(!ether_parse(frame, &offset, &type)))
		return false;
	if (likely(type == ETHERTYPE_IP))
		return hash_ipv4(span_from(frame, offset), seed, ret_hash);
	return type == ETHERTYPE_IPV6 && hash_ipv6(span_from(frame, offset), seed, ret_hash);
}
