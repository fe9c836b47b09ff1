#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Frames of a pcap file through a DPDK port come out exactly: every frame is a datagram, and every
# line of it is in the sums.
#
#   penstock-load --file--> net_pcap0 (port0) penstockd --> file == sums
. "$(dirname "$0")/lib.sh"

lines=$((${1:-2000000} / share))
port=$(free_port)
send_load pcap "pcap:$work/load.pcap" --lines $lines --udp-port "$port" "${mixed[@]}"
frames=$(python3 -c '
import json, sys
print(json.load(open(sys.argv[1]))["sent"]["datagrams"])' "$work/pcap.json")

top="dogstatsd_port: $port"
own="ports: [{name: port0, device: \"net_pcap0,rx_pcap=$work/load.pcap\"}]"
configure
start_daemon
expect_exact pcap port0
expect ledger "$work/ledger.json" "frames.received=$frames" "frames.delivered=$frames"
stop_daemon
