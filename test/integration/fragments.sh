#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Datagrams in fragments, mixed among each other, come out exactly; so do frames that take more than
# one buffer. Fragments that come to nothing end under the reason that a hand can count.
#
#   penstock-load --file--> fragment.py --file--> net_pcap0 (port0) penstockd --> file == sums
. "$(dirname "$0")/lib.sh"

lines=$((60000 / share))
types=c=40,ms=20,h=10,s=10,d=20 # no gauges: of those the last one wins, and the order changes
port=$(free_port)
top="dogstatsd_port: $port"
value_of() { # JSON NAME
	python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$@"
}
start_on() { # CAPTURE
	own="ports: [{name: port0, device: \"net_pcap0,rx_pcap=$1\"}]"
	configure
	start_daemon
}

# One of 60000 bytes is 235 fragments of 256 bytes: more than a datagram may have.
for size in 60000 7000; do
	rm -f "$output"
	send_load "whole$size" "pcap:$work/whole.pcap" --lines $lines --udp-port "$port" --types "$types" \
		--datagram-size $size "${mixed[@]}"
	start_on "$work/whole.pcap"
	expect_exact "whole$size" port0
	expect ledger "$work/ledger.json" frames.reassembled=0
	stop_daemon
done

rm -f "$output"
"$tests/fragment.py" cut "$work/whole.pcap" "$work/cut.pcap" >"$work/cut.json" || fail 'fragment.py cut'
start_on "$work/cut.pcap"
expect_exact whole7000 port0
expect ledger "$work/ledger.json" "frames.received=$(value_of "$work/cut.json" frames)" \
	"frames.reassembled=$(value_of "$work/cut.json" fragmented)" frames.queued=0
stop_daemon

# As faults.py has them: one bad by itself; two that make a datagram with a wrong checksum; one with
# its duplicate and an overlap; 129 of a datagram that may have 128; 65 datagrams, where 64 can wait
# and two places are those of the spoiled ones, which are the oldest.
"$tests/faults.py" fragments "$port" "$work/bad.pcap" || fail 'faults.py fragments'
start_on "$work/bad.pcap"
complete() {
	read_ledger && "$tests/expect.py" ledger "$work/ledger.json" frames.received=200 frames.queued=0
}
waiting() {
	read_ledger && "$tests/expect.py" ledger "$work/ledger.json" frames.received=200 frames.queued=64
}
wait_until 2 '64 fragments wait' waiting
wait_until 5 'the time of all fragments is over' complete
expect ledger "$work/ledger.json" difference=0 balanced=true frames.delivered=0 \
	frames.reassembled=1 frames.dropped.{bad_fragment,bad_udp_checksum,fragment_duplicate}=1 \
	frames.dropped.fragment_overlap=2 frames.dropped.fragment_limit=129 \
	frames.dropped.fragment_flood=1 frames.dropped.fragment_timeout=64
stop_daemon
