/* SPDX-License-Identifier: BSD-3-Clause */
#include "penstockd/addresses.h"

#include <arpa/inet.h>
#include <stdlib.h>

#include "base/log.h"

struct addresses {
	const char *port;
	const struct host *host;
	enum claim_state said[]; /* last, by address; probing is never said */
};

struct addresses *
addresses_new(const char *port, const struct host *host)
{
	struct addresses *addresses =
		calloc(1, sizeof(*addresses) + host->n_addresses * sizeof(addresses->said[0]));

	if (addresses == NULL)
		return NULL;
	addresses->port = port;
	addresses->host = host;
	return addresses;
}

static void
say(const char *port, const struct host_address *own, enum claim_state state)
{
	char text[INET6_ADDRSTRLEN];
	uint8_t mac[6];

	inet_ntop(own->prefix.address_size == 4 ? AF_INET : AF_INET6, own->prefix.address, text,
		sizeof(text));
	if (state == CLAIM_HELD) {
		log_info("port %s: %s is nobody else's: announced, and answered for", port, text);
		return;
	}
	claim_rival(&own->claim, mac);
	log_warning("port %s: %s is in use by %02x:%02x:%02x:%02x:%02x:%02x as well: not answered "
		    "for until that one is silent for a minute; give one of the two another "
		    "address",
		port, text, mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
}

void
addresses_tick(struct addresses *addresses)
{
	for (size_t i = 0; i < addresses->host->n_addresses; i++) {
		const struct host_address *own = &addresses->host->addresses[i];
		enum claim_state state = claim_state(&own->claim);

		if (state == CLAIM_PROBING || state == addresses->said[i])
			continue;
		say(addresses->port, own, state);
		addresses->said[i] = state;
	}
}

void
addresses_free(struct addresses *addresses)
{
	free(addresses);
}
