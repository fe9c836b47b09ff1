#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A load of all kinds of lines over a Unix stream socket, as fast as it takes them, comes out
# exactly, and the ledger counts what the sender counted.
#
#   penstock-load --stream.sock, length and payload--> penstockd --> file == sums
. "$(dirname "$0")/lib.sh"

lines=$((${1:-200000} / share))
configure
start_daemon
send_load uds_stream "uds-stream:$uds_stream" --lines $lines "${mixed[@]}"
expect_exact uds_stream uds_stream
stop_daemon
