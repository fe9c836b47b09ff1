#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Frames between two processes over shared memory: what the generator's DPDK port sent is what the
# daemon's port received, and it comes out exactly. What a killed daemon left of its socket is taken
# over first.
#
#   penstock-load net_memif0 (client) ==memif.sock== net_memif0 (server, port0) penstockd --> file
. "$(dirname "$0")/lib.sh"

lines=$((${1:-500000} / share))
port=$(free_port)
top="dogstatsd_port: $port"
memif=socket-abstract=no,socket=$work/memif.sock
own="ports: [{name: port0, device: \"net_memif0,role=server,$memif\"}]"
configure
start_daemon
kill_daemon
[ -S "$work/memif.sock" ] || fail 'SIGKILL left no memif.sock, so this test tests nothing'
start_daemon
timeout 20 "$PENSTOCKD" -c "$config" >"$work/second.log" 2>&1
expect_equal 'the exit code of a second penstockd on the same paths' 69 $?
# What the daemon has not read when the generator leaves is gone with it, so a ring of 2^8 frames.
send_load memif "dpdk:net_memif0,role=client,rsize=8,$memif" --lines $lines --udp-port "$port" \
	--timeout 10000 "${mixed[@]}"
expect_exact memif port0
frames=$(python3 -c '
import json, sys
print(json.load(open(sys.argv[1]))["sent"]["datagrams"])' "$work/memif.json")
expect ledger "$work/ledger.json" "frames.received=$frames" "frames.delivered=$frames"
stop_daemon
