#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A port is offered more than the ceiling has room for (200,000 new series cost more to make than to
# send): what was sent is received, and each datagram is decoded or dropped under one reason. Nothing
# is lost in front of the port, and afterwards it takes in as before.
#
#   penstock-load net_memif0 (client) ==memif.sock== net_memif0 (server, port0) penstockd --> file
. "$(dirname "$0")/lib.sh"

lines=$((2000000 / share))
port=$(free_port)
top="dogstatsd_port: $port"
memif=socket-abstract=no,socket=$work/memif.sock
own="ports: [{name: port0, device: \"net_memif0,role=server,$memif\"}]
memory_ceiling: 8MiB"
configure
start_daemon
ctl --json status >"$work/status.json"
send_load memif "dpdk:net_memif0,role=client,$memif" --lines $lines --udp-port "$port" \
	--timeout 20000 --contexts 200000 --tags 8 &
load=$!
children=("$load")
until has_ended "$load"; do
	read_ledger || fail 'no ledger'
	expect ledger "$work/ledger.json" difference=0
	sleep 0.2
done
wait "$load" || exit 1
children=()
wait_for_arrival memif
python3 - "$work/memif.json" "$work/ledger.json" <<'END' || fail "the ledger: $(cat "$work/ledger.json")"
import json, sys
sent = json.load(open(sys.argv[1]))["sent"]["datagrams"]
ledger = json.load(open(sys.argv[2]))
got, frames = ledger["datagrams"], ledger["frames"]
sys.exit(not (ledger["difference"] == 0 and got["by_listener"]["port0"] == sent
              and got["delivered"] + got["dropped"]["memory_ceiling"] == sent
              and frames["received"] == frames["delivered"] == sent))
END
ctl --json status >"$work/status.json"
python3 - "$work/status.json" <<'END' || fail "the backlog was not used: $(cat "$work/status.json")"
import json, sys
memory = json.load(open(sys.argv[1]))["intake_memory"]
ports = next(account for account in memory["accounts"] if account["name"] == "ports")
sys.exit(not 0 < ports["peak"] <= ports["cap"] < memory["ceiling"])
END
flush
rm -f "$output"
"$PENSTOCK_LOAD" --to "dpdk:net_memif0,role=client,$memif" --lines 1000 --udp-port "$port" \
	--host "$hostname" --timeout 10000 --name-prefix after. --types c --sums "$work/after.sums" >/dev/null ||
	fail 'the second load'
wait_until 10 'nothing waits any more' eval 'read_ledger; expect ledger "$work/ledger.json" datagrams.queued=0'
flush
must 'sums after the overload' "$root/scripts/compare-sums" "$work/after.sums" "$output"
stop_daemon
