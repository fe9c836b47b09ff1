#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Both ends of a memif end with 0 whichever ends first: the peer a moment before the daemon, a moment
# after it, or both at once.
#
#   penstock-load net_memif0 (client) ==memif.sock== net_memif0 (server, port0) penstockd
. "$(dirname "$0")/lib.sh"

stops=${1:-15}
port=$(free_port)
top="dogstatsd_port: $port"
memif=socket-abstract=no,socket=$work/memif.sock
own="ports: [{name: port0, device: \"net_memif0,role=server,$memif\"}]
outputs: [{type: 'null'}]"
configure

has_frames() {
	read_ledger
	grep -Eq '"frames": *\{[^}]*"received": *[1-9]' "$work/ledger.json"
}

# The generator may be left with frames that the daemon no longer takes: 1 says that.
await_load() { # PID
	local status
	wait_until 10 'penstock-load ends' has_ended "$1"
	wait "$1"
	status=$?
	children=()
	[ $status -le 1 ] || fail "penstock-load ended with $status: $(cat "$work/load.err")"
}

for ((i = 0; i < stops; i++)); do
	start_daemon
	"$PENSTOCK_LOAD" --to "dpdk:net_memif0,role=client,$memif" --udp-port "$port" --rate 20000 \
		--seconds 60 --timeout 10000 >"$work/load.json" 2>"$work/load.err" &
	load=$!
	children=("$load")
	wait_until 20 'frames arrive' has_frames
	first=$load
	second=$daemon
	[ $((i % 3)) -ne 1 ] || { first=$daemon && second=$load; }
	kill -TERM "$first"
	[ $((i % 3)) -eq 2 ] || sleep "0.0$((RANDOM % 100))"
	kill -TERM "$second"
	await_end 10
	await_load "$load"
done
echo "$stops stops"
