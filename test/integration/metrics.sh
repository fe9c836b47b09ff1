#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# GET /metrics is the Prometheus text format to the letter, and its values are the ledger's.
#
#   penstock-load --dgram.sock--> penstockd --http--> strict reader == ledger
. "$(dirname "$0")/lib.sh"

http=127.0.0.1:$(python3 -c '
import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
own="admin: {socket: $admin, http: \"$http\"}"
configure
start_daemon
send_load metrics "uds:$uds" --lines 20000 "${mixed[@]}" --malformed 0.1
wait_for_arrival metrics
flush
"$tests/metrics.py" "http://$http" "$work/ledger.json" || fail 'metrics.py'
stop_daemon
