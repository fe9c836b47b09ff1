#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A load of all kinds of lines over a kernel UDP socket comes out exactly, and the ledger counts
# what the sender counted.
#
#   penstock-load --udp, loopback--> penstockd --> file == sums
#
# UDP has no way to hold a sender back: it sends at a rate that leaves room, and the socket's buffer
# takes two seconds of it.
. "$(dirname "$0")/lib.sh"

lines=$((${1:-200000} / share))
configure
start_daemon
send_load udp "udp:127.0.0.1:$udp_port" --lines $lines --rate $((100000 / share)) "${mixed[@]}"
expect_exact udp udp
stop_daemon
