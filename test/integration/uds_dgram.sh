#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A load of all kinds of lines over a Unix datagram socket, as fast as it takes them, comes out
# exactly, and the ledger counts what the sender counted.
#
#   penstock-load --dgram.sock--> penstockd --> file == sums
. "$(dirname "$0")/lib.sh"

lines=$((${1:-200000} / share))
configure
start_daemon
send_load uds "uds:$uds" --lines $lines "${mixed[@]}"
expect_exact uds uds
stop_daemon
