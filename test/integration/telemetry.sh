#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Our commands on DPDK's telemetry socket, which stands beside the admin socket: the ledger, the
# workers' counters, DPDK's own commands. Two daemons have one each; a killed one leaves nothing in
# the way; a stopped one leaves nothing at all. None of it takes root.
. "$(dirname "$0")/lib.sh"

telemetry=$work/dpdk/admin/dpdk_telemetry.v2
ask() { # COMMAND
	"$tests/telemetry.py" "$telemetry" "$1"
}
value() { # COMMAND EXPRESSION: of the answer, as a
	ask "$1" | python3 -c "import json, sys; a = json.load(sys.stdin); print($2)"
}

own="workers: 1
ports: [{name: empty, device: net_ring0}]"
configure
start_daemon
grep -qF "telemetry of DPDK: $telemetry" "$log" || fail 'the log does not name the socket'
expect_equal 'the pid in the greeting' "$daemon" "$(value '' 'a["pid"]')"
send_load udp "udp:127.0.0.1:$udp_port" --lines 2000 --types c
wait_for_arrival udp
flush
lines=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["sent"]["lines"])' "$work/udp.json")
expect_equal 'lines.received' "$lines" "$(value /penstock/ledger 'a["lines"]["received"]')"
expect_equal 'the difference' 0 "$(value /penstock/ledger 'a["difference"]')"
ask /penstock/ledger >"$work/telemetry.json"
python3 - "$work/telemetry.json" "$work/ledger.json" <<'END' || fail 'the two ledgers differ'
import json, sys
telemetry, ledger = (json.load(open(path)) for path in sys.argv[1:])
for level in ('frames', 'datagrams', 'lines', 'samples'):
    flat = {}
    for name, value in ledger[level].items():
        if isinstance(value, dict):
            flat.update({f'{name}/{reason}': n for reason, n in value.items()})
        else:
            flat[name] = value
    flat = {name: n for name, n in flat.items() if not name.startswith('by_listener')}
    if flat.items() - telemetry[level].items():
        sys.exit(f'{level}: {flat} is not in {telemetry[level]}')
END
expect_equal 'the name of worker 0' slow "$(value /penstock/worker,0 'a["name"]')"
expect_equal 'lines of worker 0' "$lines" "$(value /penstock/worker,0 'a["lines"]["received"]')"
expect_equal 'lines of worker 1' 0 "$(value /penstock/worker,1 'a["lines"]["received"]')"
[ "$(value /penstock/worker,1 'a["stages_ns"]["idle"] > 0')" = True ] || fail 'worker 1 was never idle'
expect_equal 'the input of worker 1' 'net_ring0 queue 0' "$(value /penstock/worker,1 'a["inputs"]["0"]')"
for wrong in /penstock/worker,2 /penstock/worker /penstock/worker,x; do
	expect_equal "$wrong" None "$(value $wrong a)"
done
expect_equal "DPDK's own counters of port 0" 0 "$(value /ethdev/stats,0 'a["ipackets"]')"

# A second daemon with an admin socket of its own beside the first's.
sed "s#$admin#$work/second.sock#; s#$uds_stream#$work/s2.sock#; s#$uds#$work/s1.sock#; s#$output#$work/second.ndjson#" \
	"$config" >"$work/second.yaml"
"$PENSTOCKD" -c "$work/second.yaml" >"$work/second.log" 2>&1 &
second=$!
children=("$second")
wait_until 20 'the second daemon is ready' "$PENSTOCKCTL" -s "$work/second.sock" status
expect_equal 'the pid of the second' "$second" \
	"$("$tests/telemetry.py" "$work/dpdk/second/dpdk_telemetry.v2" '' | python3 -c 'import json, sys; print(json.load(sys.stdin)["pid"])')"
expect_equal 'the pid of the first' "$daemon" "$(value '' 'a["pid"]')"
kill -TERM "$second"
wait "$second" || fail "the second daemon ended with $?: $(cat "$work/second.log")"
children=()
[ ! -e "$work/dpdk/second" ] || fail 'the second daemon left its folder'

kill_daemon
[ -S "$telemetry" ] || fail 'SIGKILL left no socket, so this test tests nothing'
start_daemon
expect_equal 'the pid after a kill' "$daemon" "$(value '' 'a["pid"]')"
stop_daemon
[ ! -e "$work/dpdk" ] || fail "a stop left $(find "$work/dpdk")"

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	mkdir -m 700 "$work/nobody" && chown 65534 "$work/nobody" && chmod 711 "$work"
	sed "s#$admin#$work/nobody/admin.sock#; s#$uds_stream#$work/nobody/s2.sock#; s#$uds#$work/nobody/s1.sock#; s#$output#$work/nobody/o#" \
		"$config" >"$work/nobody.yaml"
	chmod 644 "$work/nobody.yaml"
	setpriv --reuid 65534 --clear-groups "$PENSTOCKD" -c "$work/nobody.yaml" >"$work/nobody.log" 2>&1 &
	second=$!
	children=("$second")
	wait_until 20 'the daemon of another user is ready' "$PENSTOCKCTL" -s "$work/nobody/admin.sock" status
	telemetry=$work/nobody/dpdk/admin/dpdk_telemetry.v2
	expect_equal 'worker 0 of another user' slow "$(value /penstock/worker,0 'a["name"]')"
	kill -TERM "$second"
	wait "$second" || fail "the daemon of another user ended with $?: $(cat "$work/nobody.log")"
	children=()
fi
