#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Frames between two processes over shared memory: what the generator's DPDK port sent is what the
# daemon's port received, and it comes out exactly. What a killed daemon left of its socket is taken
# over first. Frames that the daemon has not read are waited for.
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
send_load memif "dpdk:net_memif0,role=client,$memif" --lines $lines --udp-port "$port" \
	--timeout 10000 "${mixed[@]}"
expect_exact memif port0
frames=$(python3 -c '
import json, sys
print(json.load(open(sys.argv[1]))["sent"]["datagrams"])' "$work/memif.json")
expect ledger "$work/ledger.json" "frames.received=$frames" "frames.delivered=$frames"

# A daemon that reads nothing for a while: the generator waits for it, and then it has everything.
rm -f "$output"
send_load late "dpdk:net_memif0,role=client,$memif" --rate 1000 --seconds 3 --udp-port "$port" \
	--timeout 10000 --types c --lines-per-datagram 5 &
load=$!
children=("$load")
sleep 2
kill -STOP "$daemon"
sleep 3
has_ended "$load" && fail 'the generator left with frames that the daemon had not read'
kill -CONT "$daemon"
wait "$load" || exit 1
children=()
flush
must 'sums of late' "$root/scripts/compare-sums" "$work/late.sums" "$output"

# One that stays away: what it has not read was not sent.
"$PENSTOCK_LOAD" --to "dpdk:net_memif0,role=client,$memif" --rate 1000 --seconds 3 --types c \
	--lines-per-datagram 5 --udp-port "$port" --timeout 1000 >"$work/away.json" &
load=$!
children=("$load")
sleep 2
kill -STOP "$daemon"
wait "$load"
expect_equal 'the exit code of a load that the daemon did not take' 1 $?
children=()
kill -CONT "$daemon"
python3 - "$work/away.json" <<'END' || fail "unread frames were reported so: $(cat "$work/away.json")"
import json, sys
report = json.load(open(sys.argv[1]))
n = report["unsent"]["datagrams"]
sys.exit(not (100 <= n <= 300 and report["errors"] == {"ETIMEDOUT": n}
              and report["unsent"]["lines"] == 5 * n
              and 2900 <= report["sent"]["lines"] + 5 * n <= 3000))
END
stop_daemon
