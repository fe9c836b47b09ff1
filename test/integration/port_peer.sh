#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The link of a memif port is its peer: it comes with each generator and goes with it, and the port
# takes what the second one sends as it did from the first.
#
#   penstock-load (client, twice) ==memif.sock== (server) "peer" penstockd --> file
. "$(dirname "$0")/lib.sh"

memif=socket-abstract=no,socket=$work/memif.sock
top='dogstatsd_port: 8125'
own="ports: [{name: peer, device: \"net_memif0,role=server,$memif\"}]"
configure

state() { # KEY
	ctl --json status | python3 -c '
import json, sys
print(json.load(sys.stdin)["ports"][0][sys.argv[1]])' "$1"
}
has_state() { # KEY VALUE
	[ "$(state "$1")" = "$2" ]
}

start_daemon
expect_equal 'the link without a peer' down "$(state link)"
grep -q 'info port peer: no link yet' "$log" || fail 'the log does not say that there is no link'
for round in 1 2; do
	send_load "load$round" "dpdk:net_memif0,role=client,$memif" --rate 1000 --seconds 3 \
		--types c --udp-port 8125 --timeout 10000 &
	load=$!
	children=("$load")
	wait_until 10 "peer $round is there" has_state link up
	wait "$load" || fail "load $round ended with $?"
	children=()
	wait_until 10 "peer $round has left" has_state link down
	expect_equal 'link changes' $((2 * round)) "$(state link_changes)"
done
[ "$(grep -c 'warning port peer: link down' "$log")" = 2 ] || fail 'the log does not have both losses'
lines=$(python3 -c '
import json, sys
print(sum(json.load(open(path))["sent"]["lines"] for path in sys.argv[1:]))' "$work"/load?.json)
flush
expect ledger "$work/ledger.json" "lines.received=$lines" balanced=true
stop_daemon
