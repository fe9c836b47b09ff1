/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A port's claim to one IP address: whether somebody else has it is asked first, then it is
 * announced and held, until it turns out that somebody else uses it. IPv4: RFC 5227; IPv6:
 * RFC 4862 section 5.4 and RFC 4861 section 7.2.6.
 *
 *   probing ── nobody objects ──> held
 *      ^  └──── a dispute ──┐      │ a dispute
 *      └── after a minute ── lost <┘
 *
 * A disputed address is given up and not defended (RFC 5227 section 2.4 a): of two stations that
 * both defend it, neither can be used. One thread owns the claim and steps it; any thread that
 * hears somebody else using the address disputes it.
 */
#ifndef FRAME_CLAIM_H
#define FRAME_CLAIM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum claim_state {
	CLAIM_PROBING,
	CLAIM_HELD,
	CLAIM_LOST,
};

enum claim_action {
	CLAIM_NOTHING,
	CLAIM_PROBE,
	CLAIM_ANNOUNCE,
};

/* Zeroed at first, which is a claim that has not begun. */
struct claim {
	_Atomic uint32_t disputes; /* by any thread */
	_Atomic uint64_t rival; /* the MAC behind the last of them, its bytes in one number */

	/* By the owner. */
	_Atomic uint32_t settled; /* disputes that led to the state */
	_Atomic uint8_t state;
	uint8_t probes_left, announcements_left;
	uint64_t due; /* ns; when to step again */
};

/* Who steps about once a second is not always late: so much early (ns) is not early. */
#define CLAIM_SLACK UINT64_C(50000000)

/* Owner: from the beginning, with the first probe due at once; the interface came up. now, here and
 * below: ns, monotonic. */
void claim_begin(struct claim *claim, unsigned address_size, uint64_t now);

/* Owner: what to send now. Once for each thing that is due. */
enum claim_action claim_step(struct claim *claim, unsigned address_size, uint64_t now);

/* Owner: what the last step asked for could not be sent; it is due again. */
void claim_unsent(struct claim *claim, uint64_t now);

/* Any thread: a station of that MAC uses the address, or is about to. */
void claim_dispute(struct claim *claim, const uint8_t mac[6]);

/* Any thread. A dispute counts at once. */
enum claim_state claim_state(const struct claim *claim);

/* Any thread: the MAC of the last dispute. */
void claim_rival(const struct claim *claim, uint8_t ret_mac[6]);

#endif
