#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A flood of series fills max_contexts, then nobody sends any more: they are forgotten within seconds
# although the worker sleeps, their memory is free again, and new series find room.
#
#   penstock-load, once --dgram.sock--> penstockd --> status: contexts, context_bytes
. "$(dirname "$0")/lib.sh"

contexts=60000
top='dogstatsd_context_expiry_seconds: 1
dogstatsd_expiry_seconds: 1'
own="max_contexts: $contexts"
configure 1
start_daemon
send_load flood "uds:$uds" --lines $((contexts * 2)) --contexts $((contexts + 1000)) --types c=1
wait_for_arrival flood
expect ledger "$work/ledger.json" difference=0
grep -Eq '"context_limit": *[1-9]' "$work/ledger.json" || fail 'the flood did not reach max_contexts'

status_number() { # NAME
	ctl --json status | grep -o "\"$1\": *[0-9]*" | grep -o '[0-9]*$'
}
forgotten() {
	[ "$(status_number contexts)" -eq 0 ]
}
began=$SECONDS
wait_until 25 'all series are forgotten' forgotten
flush # what the last bucket held is written and given back
echo "forgotten after $((SECONDS - began)) s; $(status_number context_bytes) bytes are left"
[ "$(status_number context_bytes)" -lt 1048576 ] || fail 'their memory is not free again'
"$tests/send.py" dgram "$uds" 'after.flood:4|c' || fail 'send.py'
flush
expect rows "$output" after.flood=4
stop_daemon
