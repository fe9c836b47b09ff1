#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A port with one queue and several workers: the one that polls steers by flow, and every worker
# decodes its part. Sums are exact where no lane was full, and the ledger is in any case.
#
#   penstock-load --file--> net_pcap0 ┐          ┌ worker1 ┐
#   penstock-load ==memif== net_memif0 ┴ queue 0 ┴ worker2 … ┴ penstockd --> file == sums
. "$(dirname "$0")/lib.sh"

lines=$((${1:-400000} / share))
workers=$(nproc)
[ "$workers" -ge 2 ] || skip 'one core only, so there is nobody to steer to'
[ "$workers" -le 3 ] || workers=3
port=$(free_port)
http=127.0.0.1:$(free_port)
top="dogstatsd_port: $port"
# Gauges would not be exact: the load sends a series over all its 64 flows, and the last value of
# two workers is anybody's.
counted=(--types c=60,ms=20,h=10,s=10 --packed 0.2 --sampled 0.2 --events 0.01 --checks 0.01)

configure_port() { # DEVICE [OUTPUTS]
	own="workers: $workers
ports: [{name: port0, device: \"$1\"}]
admin: {socket: $admin, http: \"$http\"}
${2:-}"
	configure
}

sent_datagrams() { # NAME
	python3 -c '
import json, sys
print(json.load(open(sys.argv[1]))["sent"]["datagrams"])' "$work/$1.json"
}

# All workers took in frames, and those of the status and of /metrics add up to the ledger's.
expect_shares() {
	ctl --json status >"$work/status.json"
	curl -s "http://$http/metrics" >"$work/metrics.txt"
	python3 - "$work" "$workers" <<'END' || fail "shares of $1"
import json, re, sys
work, workers = sys.argv[1], int(sys.argv[2])
port, = json.load(open(f'{work}/status.json'))['ports']
frames = json.load(open(f'{work}/ledger.json'))['frames']
expected = frames['received'] - frames['dropped']['steer_full']
shares = port['shares']
metrics = dict(re.findall(r'^(penstock_port_\S+) (\d+)$', open(f'{work}/metrics.txt').read(), re.M))
by_metrics = [int(n) for name, n in metrics.items() if 'port_frames_total' in name]
print(port, metrics)
assert port['steered'] and port['queues_granted'] == 1
assert metrics['penstock_port_steered{port="port0"}'] == '1'
assert metrics['penstock_port_queues{port="port0",kind="granted"}'] == '1'
assert [s['steered'] for s in shares] == [False] + [True] * (workers - 1)
assert all(s['frames'] > 0 for s in shares)
assert sum(s['frames'] for s in shares) == sum(by_metrics) == expected, (shares, expected)
END
}

# A file with fewer frames than a lane holds: nothing can be lost.
send_load small "pcap:$work/small.pcap" --lines 18000 --udp-port "$port" "${counted[@]}"
[ "$(sent_datagrams small)" -le 1024 ] || fail 'more datagrams than a lane holds'
configure_port "net_pcap0,rx_pcap=$work/small.pcap"
start_daemon
expect_exact small port0
expect ledger "$work/ledger.json" "frames.received=$(sent_datagrams small)" \
	"frames.delivered=$(sent_datagrams small)"
expect_shares small
grep -q 'port port0: .* workers share its frames, steered in software' "$log" ||
	fail 'the log does not say that frames are steered'
stop_daemon

# As fast as the file can be read: what a lane refuses is counted, and nothing else is missing.
send_load fast "pcap:$work/fast.pcap" --lines "$lines" --udp-port "$port" "${counted[@]}"
frames=$(sent_datagrams fast)
has_all_frames() {
	read_ledger
	grep -Eq "\"frames\": *\{[^}]*\"received\": *$frames\b" "$work/ledger.json"
}
configure_port "net_pcap0,rx_pcap=$work/fast.pcap"
start_daemon
wait_until 30 'all frames of the file are in the ledger' has_all_frames
flush
expect ledger "$work/ledger.json" "frames.received=$frames" difference=0
expect_shares fast
stop_daemon

# Between two processes at a rate at which no lane fills up.
rm -f "$output"
memif=socket-abstract=no,socket=$work/memif.sock
configure_port "net_memif0,role=server,$memif"
start_daemon
send_load memif "dpdk:net_memif0,role=client,$memif" --lines "$lines" --rate 100000 \
	--udp-port "$port" --timeout 10000 "${counted[@]}"
expect_exact memif port0
expect_shares memif
stop_daemon

# A stop under load: lanes are emptied, and the last line accounts for everything.
configure_port "net_memif0,role=server,$memif" "outputs: [{type: 'null'}]"
has_frames() {
	read_ledger
	grep -Eq '"frames": *\{[^}]*"received": *[1-9]' "$work/ledger.json"
}
for i in 1 2 3; do
	start_daemon
	"$PENSTOCK_LOAD" --to "dpdk:net_memif0,role=client,$memif" --udp-port "$port" --seconds 60 \
		--timeout 10000 >"$work/load.json" 2>"$work/load.err" &
	load=$!
	children=("$load")
	wait_until 20 'frames arrive' has_frames
	sleep "0.$((RANDOM % 5))"
	: >"$log"
	stop_daemon
	kill -TERM "$load"
	wait "$load"
	children=()
	grep -q 'ledger difference 0$' "$log" || fail "stop $i: $(cat "$log")"
	grep -q 'left sockets or queues unread' "$log" && fail "stop $i: $(cat "$log")"
done
exit 0
